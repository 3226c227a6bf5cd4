#include "decode/probability.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/check.h"

namespace rex::decode {

float probability(float logit) {
  return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(logit))));
}

double mean_of_cells(float first_logit, float second_logit, float third_logit) {
  const float sum = probability(first_logit) + probability(second_logit) + probability(third_logit);
  return static_cast<double>(sum / 3.0F);
}

double round4(double value) {
  // Through decimal digits: scaling by 10000 would round twice.
  std::array<char, 400> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                     std::chars_format::fixed, 4);
  REX_CHECK(written.ec == std::errc(), "a double has at most 309 digits before the point");
  double rounded = 0.0;
  std::from_chars(digits.data(), written.ptr, rounded);
  return rounded;
}

float logit_of(double threshold) {
  return static_cast<float>(std::log(threshold / (1.0 - threshold)));
}

}  // namespace rex::decode

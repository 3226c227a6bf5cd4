#include "model/tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/check.h"

namespace rex::model {
namespace {

// By the definition of IEEE 754 binary16, in double.
double half_value(uint16_t half) {
  const double sign = (half & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = (half >> 10U) & 0x1F;
  const int mantissa = half & 0x3FF;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::vector<uint16_t> all_words() {
  std::vector<uint16_t> words(65536);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint16_t>(i);
  return words;
}

TensorView view_of(const std::vector<uint16_t>& words, DType dtype) {
  return {dtype, {static_cast<int64_t>(words.size())}, std::as_bytes(std::span(words))};
}

std::vector<uint16_t> encode(std::span<const float> values, DType dtype) {
  std::vector<uint16_t> words(values.size());
  encode_floats(values, dtype, std::as_writable_bytes(std::span(words)));
  return words;
}

TEST(Tensor, EveryHalfBecomesItsExactFloatAndBack) {
  const std::vector<uint16_t> words = all_words();
  const std::vector<float> values = as_floats(view_of(words, DType::kF16));
  const std::vector<uint16_t> back = encode(values, DType::kF16);
  for (size_t i = 0; i < words.size(); ++i) {
    const double expected = half_value(words[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
      ASSERT_TRUE(std::isnan(half_value(back[i]))) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
      ASSERT_EQ(std::signbit(values[i]), std::signbit(expected)) << i;
      ASSERT_EQ(back[i], words[i]) << i;
    }
  }
}

TEST(Tensor, EveryBfloat16IsTheUpperHalfOfAFloat) {
  const std::vector<uint16_t> words = all_words();
  const std::vector<float> values = as_floats(view_of(words, DType::kBF16));
  const std::vector<uint16_t> back = encode(values, DType::kBF16);
  for (size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(values[i]), uint32_t{words[i]} << 16U);
    if (!std::isnan(values[i])) {
      ASSERT_EQ(back[i], words[i]);
    } else {
      ASSERT_EQ(back[i], words[i] | 0x40U);  // stays NaN
    }
  }
}

// The middle of two neighbouring halves rounds to the even one, a little beside it to the nearer.
TEST(Tensor, HalvesAreRoundedToNearestEven) {
  for (uint32_t low = 0; low < 0x7BFF; ++low) {
    const double below = half_value(static_cast<uint16_t>(low));
    const double above = half_value(static_cast<uint16_t>(low + 1));
    const auto middle = static_cast<float>((below + above) / 2);
    const float values[] = {std::nextafter(middle, 0.0F), middle,
                            std::nextafter(middle, std::numeric_limits<float>::infinity())};
    const std::vector<uint16_t> words = encode(values, DType::kF16);
    ASSERT_EQ(words[0], low);
    ASSERT_EQ(words[1], low % 2 == 0 ? low : low + 1);
    ASSERT_EQ(words[2], low + 1);
  }
}

TEST(Tensor, TooLargeValuesBecomeInfinity) {
  const float values[] = {65519.0F, 65520.0F, -1e30F, std::numeric_limits<float>::max()};
  const std::vector<uint16_t> half = encode(values, DType::kF16);
  EXPECT_EQ(half, (std::vector<uint16_t>{0x7BFF, 0x7C00, 0xFC00, 0x7C00}));
  EXPECT_EQ(encode(values, DType::kBF16)[3], 0x7F80);
}

TEST(Tensor, BytesMayStandAtAnyAddress) {
  const float values[] = {1.5F, -2.25F};
  std::vector<std::byte> bytes(9);
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const TensorView view{DType::kF32, {2}, std::span(bytes).subspan(1)};
  EXPECT_EQ(as_floats(view), (std::vector<float>{1.5F, -2.25F}));
}

TEST(Tensor, RoomThatDoesNotFitIsABug) {
  std::vector<float> room(3);
  const std::vector<uint16_t> words(2);
  EXPECT_THROW(copy_as_float(view_of(words, DType::kF16), room), InternalError);
}

}  // namespace
}  // namespace rex::model

// The engine under test: the CPU's, or the one that REX_TEST_DEVICE (cpu, cuda, cuda:1) and
// REX_TEST_PRECISION (f32, f16, bf16) name, with the differences that its precision may make.
#pragma once

#include <cstdlib>
#include <string>

#include "engine/make_engine.h"

namespace rex {

inline std::string test_setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

inline Result<std::unique_ptr<engine::Engine>> make_test_engine(
    std::shared_ptr<const model::Weights> weights, int32_t threads) {
  REX_TRY(device, engine::parse_device(test_setting("REX_TEST_DEVICE", "cpu")));
  REX_TRY(precision, engine::parse_precision(test_setting("REX_TEST_PRECISION", "f32")));
  REX_TRY(made,
          engine::make_engine(std::move(weights),
                              {.device = device, .precision = precision, .threads = threads}));
  return std::move(made.engine);
}

// How far a logit may move against f32 on the CPU: a cell so near to the threshold may fall on the
// other side. 1e-3 is another summation order (M29); 0.02 is what FP16 is allowed.
inline double logit_tolerance() {
  const std::string precision = test_setting("REX_TEST_PRECISION", "f32");
  return precision == "f32" ? 1e-3 : precision == "f16" ? 0.02 : 0.16;
}

// The same for a confidence: a probability moves by a quarter of its logit at most.
inline double confidence_tolerance(double f32_tolerance) {
  return test_setting("REX_TEST_PRECISION", "f32") == "f32" ? f32_tolerance : logit_tolerance() / 4;
}

}  // namespace rex

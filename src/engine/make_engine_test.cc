#include "engine/make_engine.h"

#include <gtest/gtest.h>

#include "model/weights.h"

namespace rex::engine {
namespace {

TEST(ParseDevice, KnowsItsNames) {
  EXPECT_EQ(parse_device("auto")->kind, DeviceKind::kAuto);
  EXPECT_EQ(parse_device("cpu")->kind, DeviceKind::kCpu);
  EXPECT_EQ(parse_device("cuda")->index, 0);
  EXPECT_EQ(parse_device("cuda:3")->kind, DeviceKind::kCuda);
  EXPECT_EQ(parse_device("cuda:3")->index, 3);
}

TEST(ParseDevice, RefusesOthersAndNamesTheChoice) {
  for (const char* name : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "CPU", "cuda:99999999999"}) {
    const auto device = parse_device(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, ErrorCode::kOptionRange);
    EXPECT_EQ(device.error().place, "device");
  }
}

TEST(ParsePrecision, KnowsBothSpellings) {
  EXPECT_EQ(*parse_precision("fp16"), Precision::kF16);
  EXPECT_EQ(*parse_precision("f32"), Precision::kF32);
  EXPECT_EQ(*parse_precision("bf16"), Precision::kBF16);
  EXPECT_EQ(parse_precision("int4").error().place, "precision");
}

model::ModelConfig small() {
  model::ModelConfig config = model::base_config();
  config.vocab_rows = 50;
  config.layers = 1;
  return config;
}

TEST(MakeEngine, TakesTheUsualSizeOfTheCpu) {
  const auto made = make_engine(model::random_weights(small(), 1),
                                {.device = {DeviceKind::kCpu, 0}, .threads = 1});
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(made->engine->info().device, "cpu");
  EXPECT_EQ(made->engine->info().limits.tokens, 2048);
  EXPECT_EQ(made->note, "");
}

TEST(MakeEngine, TheCpuComputesInEveryPrecisionAndF32IsTheUsualOne) {
  const auto weights = model::random_weights(small(), 1);
  for (const auto& [precision, name] :
       {std::pair{Precision::kAuto, "f32"}, std::pair{Precision::kF32, "f32"},
        std::pair{Precision::kBF16, "bf16"}, std::pair{Precision::kF16, "f16"},
        std::pair{Precision::kInt8, "int8"}}) {
    const auto made = make_engine(
        weights, {.device = {DeviceKind::kCpu, 0}, .precision = precision, .threads = 1});
    ASSERT_TRUE(made) << made.error().to_string();
    EXPECT_EQ(made->engine->info().precision, name);
    EXPECT_NE(made->engine->info().detail, "");
  }
}

TEST(MakeEngine, AGpuDoesNotComputeInInt8) {
  const auto made = make_engine(model::random_weights(small(), 1),
                                {.device = {DeviceKind::kCuda, 0}, .precision = Precision::kInt8});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().place, "precision");
}

// With a GPU present the first half of this is what gpu_check shows.
TEST(MakeEngine, WithoutAGpuAutoTakesTheCpuAndSaysWhy) {
  const auto weights = model::random_weights(small(), 1);
  const auto asked = make_engine(weights, {.device = {DeviceKind::kCuda, 0}});
  const auto automatic = make_engine(weights, {.threads = 1});
  ASSERT_TRUE(automatic) << automatic.error().to_string();
  if (asked) {
    EXPECT_EQ(automatic->engine->info().device, "cuda:0");
  } else {
    EXPECT_EQ(asked.error().place, "device");
    EXPECT_EQ(automatic->engine->info().device, "cpu");
    EXPECT_EQ(automatic->note, "no GPU is used: " + asked.error().message);
  }
}

}  // namespace
}  // namespace rex::engine

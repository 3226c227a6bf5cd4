#include "model/write_model.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::model {
namespace {

namespace fs = std::filesystem;

ModelConfig small_config() {
  return {.layers = 1,
          .hidden = 8,
          .heads = 2,
          .intermediate = 12,
          .vocab_rows = 20,
          .position_buckets = 4};
}

TEST(WriteCheckpointFolder, IsReadBackInBothPrecisions) {
  const auto weights = random_weights(small_config(), 3);
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    const TempDir dir;
    const fs::path folder = dir.path() / "new" / "model";
    const auto written = write_checkpoint_folder(folder, *weights, mini_model_dir(), dtype);
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_TRUE(fs::exists(folder / "vocab.txt"));
    EXPECT_TRUE(fs::exists(folder / "tokenizer_config.json"));
    const auto loaded = load_weights(folder);
    ASSERT_TRUE(loaded) << loaded.error().to_string();
    EXPECT_EQ((*loaded)->config, small_config());
    EXPECT_EQ((*loaded)->word_embeddings.dtype, dtype);
    EXPECT_EQ((*loaded)->rotary_frequencies.dtype, DType::kF32);
    const std::vector<float> before = as_floats(weights->layers[0].ffn_in_weight);
    const std::vector<float> after = as_floats((*loaded)->layers[0].ffn_in_weight);
    // Half a unit in the last place of the type, relative to values below 2^-3.
    const float tolerance = dtype == DType::kF32   ? 0.0F
                            : dtype == DType::kF16 ? 0x1p-14F
                                                   : 0x1p-11F;
    for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], tolerance) << i;
  }
}

TEST(WriteCheckpointFolder, WithoutVocabularyItIsAnError) {
  const TempDir dir;
  const auto written =
      write_checkpoint_folder(dir.path() / "m", *random_weights(small_config(), 3), dir.path());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kFileNotFound);
  EXPECT_FALSE(fs::exists(dir.path() / "m" / "model.safetensors"));
}

}  // namespace
}  // namespace rex::model

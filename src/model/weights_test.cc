#include "model/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "model/files/safetensors.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

int64_t total_values(const ModelConfig& config) {
  int64_t total = 0;
  for (const ExpectedTensor& tensor : expected_tensors(config)) {
    total += TensorView{.shape = tensor.shape}.count();
  }
  return total;
}

ModelConfig small_config() {
  return {.layers = 2,
          .hidden = 8,
          .heads = 2,
          .intermediate = 12,
          .vocab_rows = 20,
          .position_buckets = 4};
}

std::vector<TensorToWrite> all_tensors(const Weights& weights) {
  Weights views = weights;
  std::vector<TensorToWrite> tensors;
  visit_tensors(views, [&](const std::string& name, const std::vector<int64_t>&, TensorView& view) {
    tensors.push_back({name, view, view.dtype});
  });
  return tensors;
}

// A folder with config.json and all tensors of a small model, changed by `change`.
class SmallModel {
 public:
  SmallModel() : weights_(random_weights(small_config(), 1)), tensors_(all_tensors(*weights_)) {
    dir_.write("config.json", config_json(small_config()));
  }
  std::vector<TensorToWrite>& tensors() { return tensors_; }
  TensorToWrite& operator[](std::string_view name) {
    return *std::find_if(tensors_.begin(), tensors_.end(),
                         [&](const TensorToWrite& item) { return item.name == name; });
  }
  void remove(std::string_view name) {
    std::erase_if(tensors_, [&](const TensorToWrite& item) { return item.name == name; });
  }
  Result<std::shared_ptr<const Weights>> load(const std::string& file = "model.safetensors") {
    EXPECT_TRUE(write_safetensors(dir_.path() / file, tensors_));
    return load_weights(dir_.path());
  }
  [[nodiscard]] const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
  std::shared_ptr<const Weights> weights_;
  std::vector<TensorToWrite> tensors_;
};

TEST(ExpectedTensors, BaseModelHas207TensorsOf98237568Values) {  // M26
  EXPECT_EQ(expected_tensors(base_config()).size(), 207U);
  EXPECT_EQ(total_values(base_config()), 98'237'568);
}

TEST(ExpectedTensors, WithoutConvolutionFourAreFewer) {
  ModelConfig config = small_config();
  const size_t with = expected_tensors(config).size();
  config.conv_kernel = 0;
  EXPECT_EQ(expected_tensors(config).size(), with - 4);
}

TEST(LoadWeights, MiniModelIsComplete) {  // M27
  const auto weights = load_weights(mini_model_dir());
  ASSERT_TRUE(weights) << weights.error().to_string();
  EXPECT_EQ((*weights)->layers.size(), 8U);
  EXPECT_EQ((*weights)->word_embeddings.shape, (std::vector<int64_t>{12804, 384}));
  EXPECT_EQ((*weights)->word_embeddings.dtype, DType::kF16);
  EXPECT_EQ((*weights)->rotary_frequencies.dtype, DType::kF32);
  EXPECT_TRUE((*weights)->ignored.empty());
  for (const TensorToWrite& item : all_tensors(**weights)) {
    for (const float value : as_floats(item.tensor)) ASSERT_TRUE(std::isfinite(value)) << item.name;
  }
}

// The same tensors by both formats, in the reference's own order of names.
TEST(LoadWeights, TorchFileAndSafetensorsOfTheReferenceAreIdentical) {  // M28
  REX_NEED_SHARED_GOLDEN();
  for (const char* model : {"tiny-a", "tiny-b"}) {
    const fs::path source = shared_golden_dir() / model;
    const TempDir torch_only;
    fs::copy_file(source / "config.json", torch_only.path() / "config.json");
    fs::copy_file(source / "pytorch_model.bin", torch_only.path() / "pytorch_model.bin");
    const auto safetensors = load_weights(source);
    const auto torch = load_weights(torch_only.path());
    ASSERT_TRUE(safetensors) << safetensors.error().to_string();
    ASSERT_TRUE(torch) << torch.error().to_string();
    const auto expected = all_tensors(**safetensors), found = all_tensors(**torch);
    ASSERT_EQ(expected.size(), 63U);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i].tensor.dtype, expected[i].tensor.dtype) << expected[i].name;
      EXPECT_EQ(found[i].tensor.shape, expected[i].tensor.shape) << expected[i].name;
      EXPECT_TRUE(std::ranges::equal(found[i].tensor.bytes, expected[i].tensor.bytes))
          << expected[i].name;
    }
  }
}

TEST(LoadWeights, AllMisfitsAreReportedTogether) {  // M27
  SmallModel model;
  model.remove("ffnq.bias");
  model.remove("ffnk.weight");
  model["rotary_emb.freqs"].tensor.shape = {2, 2};
  TensorToWrite extra = model["ffnk.bias"];
  extra.name = "classifier.bias";
  model.tensors().push_back(extra);
  const auto weights = model.load();
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, ErrorCode::kCheckpointMismatch);
  EXPECT_THAT(weights.error().place, HasSubstr("model.safetensors"));
  EXPECT_EQ(weights.error().message,
            "the tensors do not fit config.json: 2 missing: ffnq.bias, ffnk.weight; 1 of another "
            "shape: rotary_emb.freqs is [2, 2] instead of [4]; 1 unknown: classifier.bias");
}

TEST(LoadWeights, LongListsOfMisfitsAreCut) {
  SmallModel model;
  for (TensorToWrite& item : model.tensors()) item.name = "module." + item.name;
  const auto weights = model.load();
  ASSERT_FALSE(weights);
  EXPECT_THAT(weights.error().message, HasSubstr("47 missing: "));
  EXPECT_THAT(weights.error().message, HasSubstr("47 unknown: "));
  EXPECT_THAT(weights.error().message, HasSubstr(" and 37 more"));
  EXPECT_LT(weights.error().message.size(), 2000U);
}

TEST(LoadWeights, PositionIdsAreIgnored) {
  SmallModel model;
  TensorToWrite ids = model["rotary_emb.freqs"];
  ids.name = "plm.embeddings.position_ids";
  model.tensors().push_back(ids);
  const auto weights = model.load();
  ASSERT_TRUE(weights) << weights.error().to_string();
  EXPECT_EQ((*weights)->ignored, (std::vector<std::string>{"plm.embeddings.position_ids"}));
}

TEST(LoadWeights, ViewsOutliveTheOpening) {
  std::shared_ptr<const Weights> weights;
  {
    SmallModel model;
    weights = *model.load();
  }
  EXPECT_EQ(as_floats(weights->rotary_frequencies)[0], 1.0F);
}

class ShardedModel : public testing::Test {
 protected:
  // Two files, the first with the first ten tensors; the index says where each one is.
  ShardedModel() {
    auto& all = model_.tensors();
    first_.assign(all.begin(), all.begin() + 10);
    second_.assign(all.begin() + 10, all.end());
    Json map = Json::object();
    for (const TensorToWrite& item : first_) map[item.name] = "one.safetensors";
    for (const TensorToWrite& item : second_) map[item.name] = "two.safetensors";
    model_.dir().write("model.safetensors.index.json", Json({{"weight_map", map}}).dump());
    write("one.safetensors", first_);
    write("two.safetensors", second_);
  }
  void write(const std::string& file, const std::vector<TensorToWrite>& tensors) {
    EXPECT_TRUE(write_safetensors(model_.dir().path() / file, tensors));
  }
  Error error() {
    const auto weights = load_weights(model_.dir().path());
    EXPECT_FALSE(weights);
    return weights ? Error{} : weights.error();
  }

  SmallModel model_;
  std::vector<TensorToWrite> first_, second_;
};

TEST_F(ShardedModel, AllFilesTogetherAreTheModel) {
  const auto weights = load_weights(model_.dir().path());
  ASSERT_TRUE(weights) << weights.error().to_string();
  EXPECT_EQ(as_floats((*weights)->key_head_weight), as_floats(model_["ffnk.weight"].tensor));
}

TEST_F(ShardedModel, MissingFileIsNamed) {
  fs::remove(model_.dir().path() / "two.safetensors");
  EXPECT_EQ(error().code, ErrorCode::kFileNotFound);
  EXPECT_THAT(error().place, HasSubstr("two.safetensors"));
}

TEST_F(ShardedModel, FilesMustAgreeWithTheIndex) {
  const TensorToWrite moved = second_.back();
  second_.pop_back();
  write("two.safetensors", second_);
  EXPECT_THAT(error().message, HasSubstr("places tensor " + moved.name + " in this file"));
  first_.push_back(moved);
  write("one.safetensors", first_);
  EXPECT_THAT(error().message, HasSubstr("does not place here"));
}

TEST(LoadWeights, FolderWithoutCheckpointNamesWhatItLooksFor) {
  const TempDir dir;
  dir.write("config.json", config_json(small_config()));
  const auto weights = load_weights(dir.path());
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, ErrorCode::kFileNotFound);
  EXPECT_THAT(weights.error().message, HasSubstr("pytorch_model.bin"));
}

TEST(RandomWeights, AreDeterministicAndAboutNormal) {
  const auto weights = random_weights(small_config(), 7);
  const auto again = random_weights(small_config(), 7);
  const auto other = random_weights(small_config(), 8);
  EXPECT_EQ(as_floats(weights->word_embeddings), as_floats(again->word_embeddings));
  EXPECT_NE(as_floats(weights->word_embeddings), as_floats(other->word_embeddings));
  ModelConfig wide = small_config();
  wide.vocab_rows = 50'000;
  double sum = 0, squares = 0;
  const std::vector<float> values = as_floats(random_weights(wide, 7)->word_embeddings);
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0.0, 1e-4);
  EXPECT_NEAR(std::sqrt(squares / count), 0.02, 1e-4);
  for (const float value : as_floats(weights->embedding_norm_weight))
    EXPECT_NEAR(value, 1.0F, 0.1F);
}

// The same bits on every machine: the first values of seed 1 as computed from the formula.
TEST(RandomWeights, FirstValuesAreKnown) {
  const std::vector<float> values = as_floats(random_weights(small_config(), 1)->word_embeddings);
  EXPECT_EQ(values[0], -0x1.abbf4c0000000p-8F);
  EXPECT_EQ(values[159], 0x1.2635e00000000p-5F);
}

TEST(RandomWeights, RotaryFrequenciesAreThoseOfTheRule) {  // M22
  const std::vector<float> f = as_floats(random_weights(small_config(), 1)->rotary_frequencies);
  ASSERT_EQ(f.size(), 4U);
  EXPECT_EQ(f[0], 1.0F);
  EXPECT_FLOAT_EQ(f[1], 0.1F);
  EXPECT_FLOAT_EQ(f[3], 0.001F);
}

}  // namespace
}  // namespace rex::model

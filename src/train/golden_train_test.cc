// Losses, gradients and optimizer steps of the reference implementation (../shared/golden/train):
// its padding, its padded cells in the loss, dropout off, in f64.
#include <gtest/gtest.h>

#include <fstream>

#include "core/json.h"
#include "support/test_data.h"
#include "train/torch/adamw.h"
#include "train/torch/loss.h"

namespace rex::train {
namespace {

// A safetensors file as f64 and i64 tensors.
class GoldenFile {
 public:
  explicit GoldenFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, bytes_.data(), sizeof header_bytes);
    header_ = Json::parse(bytes_.substr(8, header_bytes));
    data_ = 8 + header_bytes;
  }
  [[nodiscard]] bool has(const std::string& name) const { return header_.contains(name); }
  [[nodiscard]] int gradients() const {
    int count = 0;
    for (const auto& [name, entry] : header_.items()) count += name.starts_with("grad.") ? 1 : 0;
    return count;
  }
  [[nodiscard]] torch::Tensor get(const std::string& name) const {
    const Json& entry = header_.at(name);
    const auto kind = entry.at("dtype").get<std::string>();
    const auto type = kind == "F64"   ? torch::kDouble
                      : kind == "F32" ? torch::kFloat
                      : kind == "I32" ? torch::kInt
                                      : torch::kByte;
    const auto begin = data_ + entry.at("data_offsets")[0].get<size_t>();
    std::string copy =
        bytes_.substr(begin, entry.at("data_offsets")[1].get<size_t>() + data_ - begin);
    return torch::from_blob(copy.data(), entry.at("shape").get<std::vector<int64_t>>(), type)
        .clone()
        .to(kind[0] == 'F' ? torch::kDouble : torch::kLong);
  }

 private:
  std::string bytes_;
  Json header_;
  size_t data_ = 0;
};

std::filesystem::path golden() {
  return shared_golden_dir() / "train";
}

std::vector<Row> golden_rows() {
  std::vector<Row> rows;
  const auto weights_dir = shared_golden_dir() / "tiny-a";
  auto tokenizer = text::Tokenizer::load(weights_dir);
  prompt::TokenWords words((*tokenizer)->special());
  for (const auto& line : read_jsonl(golden() / "tokenized_train.jsonl")) {
    Row row;
    row.ids = line["input_ids"].get<std::vector<int32_t>>();
    row.words.resize(row.ids.size());
    EXPECT_TRUE(words.assign(row.ids, row.words));
    for (size_t i = 0; i < line["rows"].size(); ++i)
      row.positives.push_back({line["rows"][i].get<int32_t>(), line["cols"][i].get<int32_t>()});
    rows.push_back(std::move(row));
  }
  return rows;
}

// The model tiny-a, batches of the reference's own rows.
class GoldenTrain : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(golden())) {
      GTEST_SKIP() << "training vectors not found at " << golden()
                   << "; set REX_SHARED_GOLDEN to the folder above";
    }
    rows_ = golden_rows();
    std::ifstream(golden() / "batches.json") >> batches_;
  }
  // device: REX_TEST_DEVICE, cpu or cuda.
  std::unique_ptr<Net> net(torch::ScalarType type) {
    const char* device = std::getenv("REX_TEST_DEVICE");
    auto weights = model::load_weights(shared_golden_dir() / "tiny-a");
    EXPECT_TRUE(weights) << weights.error().to_string();
    auto made =
        Net::make((*weights)->config, {.device = torch::Device(device == nullptr ? "cpu" : device),
                                       .master = type,
                                       .compute = type,
                                       .dropout = 0.0,
                                       .padding = Padding::kAsOriginal});
    EXPECT_TRUE(made);
    (*made)->load(**weights);
    return *std::move(made);
  }
  std::vector<const Row*> batch(size_t index) {
    std::vector<const Row*> picked;
    for (const auto& row : batches_[index]) picked.push_back(&rows_[row.get<size_t>()]);
    return picked;
  }
  static torch::Tensor loss(Net& net, const std::vector<const Row*>& rows, uint64_t recompute = 0) {
    const BatchTensors tensors = net.put(rows);
    return circle_loss(net.scores(net.encode(tensors, true, recompute), tensors), tensors, true);
  }
  std::vector<Row> rows_;
  nlohmann::json batches_;
};

double relative(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / (b.norm() + 1e-300)).item<double>();
}

TEST_F(GoldenTrain, BatchesHaveTheReferencesPositionsMasksAndLabels) {
  const auto model = net(torch::kDouble);
  for (size_t i = 0; i < batches_.size(); ++i) {
    const GoldenFile file(golden() / ("batch" + std::to_string(i) + ".safetensors"));
    const BatchTensors tensors = model->put(batch(i));
    EXPECT_TRUE(tensors.ids.cpu().equal(file.get("input_ids"))) << i;
    EXPECT_TRUE(tensors.position.cpu().equal(file.get("position_ids"))) << i;
    EXPECT_TRUE(tensors.visible.cpu().to(torch::kLong).equal(file.get("attention_mask"))) << i;
    torch::Tensor labels = torch::zeros_like(tensors.visible.cpu());
    const torch::Tensor at = file.get("label_indices");
    labels.index_put_({at.select(1, 0), at.select(1, 1), at.select(1, 2)}, true);
    EXPECT_TRUE(tensors.positive.cpu().equal(labels)) << i;
  }
}

TEST_F(GoldenTrain, LossesAndGradientsInF64) {  // F13–F21, M1–M23
  const auto model = net(torch::kDouble);
  for (size_t i = 0; i < batches_.size(); ++i) {
    const GoldenFile file(golden() / ("batch" + std::to_string(i) + ".safetensors"));
    model->grad.zero_();
    const torch::Tensor value = loss(*model, batch(i));
    value.backward();
    EXPECT_NEAR(value.item<double>(), file.get("loss_f64").item<double>(),
                1e-9 * value.item<double>());
    int compared = 0;
    for (const Net::Slice& slice : model->slices()) {
      torch::Tensor gradient =
          model->grad.narrow(0, slice.begin, slice.count).view(slice.shape).cpu();
      if (file.has("grad_rows." + slice.name))
        gradient = gradient.index_select(0, file.get("grad_rows." + slice.name));
      if (!file.has("grad." + slice.name)) continue;  // some files hold a choice of them
      const torch::Tensor expected = file.get("grad." + slice.name);
      // A bias of the keys moves every score of a row alike: its gradient is nearly nothing, and
      // is measured against that of the weights.
      const double scale = std::max(expected.norm().item<double>(), 1e-3);
      EXPECT_LT((gradient - expected).norm().item<double>() / scale, 1e-8)
          << slice.name << " " << i;
      ++compared;
    }
    EXPECT_EQ(compared, file.gradients());
    if (i == 0) EXPECT_EQ(compared, static_cast<int>(model->slices().size()));
  }
}

TEST_F(GoldenTrain, LossesInF32) {
  const auto model = net(torch::kFloat);
  for (size_t i = 0; i < batches_.size(); ++i) {
    const GoldenFile file(golden() / ("batch" + std::to_string(i) + ".safetensors"));
    const double expected = file.get("loss_f64").item<double>();
    EXPECT_NEAR(loss(*model, batch(i)).item<double>(), expected, 1e-5 * expected);
  }
}

TEST_F(GoldenTrain, RecomputedLayersGiveTheSameLossAndGradient) {
  const auto model = net(torch::kDouble);
  for (const uint64_t layers : {1U, 2U, 5U, 7U}) {
    model->grad.zero_();
    const torch::Tensor stored = loss(*model, batch(1));
    stored.backward();
    const torch::Tensor gradient = model->grad.clone();
    model->grad.zero_();
    const torch::Tensor again = loss(*model, batch(1), layers);
    again.backward();
    EXPECT_EQ(stored.item<double>(), again.item<double>());
    EXPECT_LT(relative(model->grad, gradient), 1e-12);
  }
}

// F23: three steps, without and with a schedule and a cut gradient.
TEST_F(GoldenTrain, ThreeOptimizerSteps) {
  for (const bool cut : {false, true}) {
    const GoldenFile file(golden() /
                          (cut ? "adamw_hf_default.safetensors" : "adamw_plain.safetensors"));
    const auto model = net(torch::kDouble);
    AdamW optimizer(*model, {.weight_decay = 0.01, .clip = cut ? 1.0 : 0.0});
    const double rates[] = {0.0, 1.0, 0.5};
    for (size_t step = 0; step < 3; ++step) {
      loss(*model, batch(step)).backward();
      optimizer.gather(1);
      optimizer.step(cut ? 5e-4 * rates[step] : 1e-3);
    }
    int compared = 0;
    for (const Net::Slice& slice : model->slices()) {
      torch::Tensor value =
          model->master.narrow(0, slice.begin, slice.count).view(slice.shape).cpu();
      if (file.has("rows." + slice.name))
        value = value.index_select(0, file.get("rows." + slice.name));
      if (!file.has(slice.name) && !file.has("param." + slice.name)) continue;
      const torch::Tensor expected =
          file.get(file.has(slice.name) ? slice.name : "param." + slice.name);
      EXPECT_LT(relative(value, expected), 1e-5) << slice.name << (cut ? " cut" : "");
      ++compared;
    }
    EXPECT_EQ(compared, 62);
  }
}

}  // namespace
}  // namespace rex::train

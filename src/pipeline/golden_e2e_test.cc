// The reference behaviour against the reference implementation, end to end: results, their order,
// and the very passes that were run (../shared/golden/e2e).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "model/weights.h"
#include "pipeline/analyze.h"
#include "support/test_data.h"
#include "support/test_engine.h"

namespace rex::pipeline {
namespace {

// Confidences are rounded to four places on both sides (golden README).
const double kConfidenceTolerance = confidence_tolerance(2e-4);

struct Forward {
  std::vector<int32_t> ids;
  int32_t hint_tokens = 0;
  bool operator==(const Forward&) const = default;
};

// Runs another engine and remembers every pass.
class RecordingEngine final : public engine::Engine {
 public:
  RecordingEngine(std::unique_ptr<engine::Engine> inner, std::vector<Forward>& forwards)
      : inner_(std::move(inner)), forwards_(forwards) {}

  [[nodiscard]] const engine::EngineInfo& info() const override { return inner_->info(); }
  [[nodiscard]] const engine::MemoryPlan& plan() const override { return inner_->plan(); }

  Result<void> run(const engine::PackedBatch& batch, engine::LinkLists& out) override {
    for (const engine::PassInfo& pass : batch.passes) {
      const auto ids = batch.token_ids.subspan(static_cast<size_t>(pass.token_begin),
                                               static_cast<size_t>(pass.token_count));
      forwards_.push_back({{ids.begin(), ids.end()}, pass.text_begin});
    }
    return inner_->run(batch, out);
  }

 private:
  std::unique_ptr<engine::Engine> inner_;
  std::vector<Forward>& forwards_;
};

// Empty when the chains are those of the golden row; otherwise the first difference.
std::string difference(const std::vector<Chain>& got, const Json& want) {
  if (got.size() != want.size()) {
    return std::to_string(got.size()) + " chains, expected " + std::to_string(want.size());
  }
  for (size_t c = 0; c < got.size(); ++c) {
    if (got[c].size() != want[c].size()) return "length of chain " + std::to_string(c);
    for (size_t s = 0; s < got[c].size(); ++s) {
      const Step& step = got[c][s];
      const Json& expected = want[c][s];
      const bool same = step.label == expected.at("type").get<std::string>() &&
                        step.span == expected.at("span").get<std::string>() &&
                        step.start == expected.at("offset")[0] &&
                        step.end == expected.at("offset")[1];
      const bool close = !expected.contains("confidence") ||
                         std::abs(step.confidence - expected.at("confidence").get<double>()) <=
                             kConfidenceTolerance;
      if (!same || !close) {
        return "chain " + std::to_string(c) + " step " + std::to_string(s) + ": " + step.label +
               " \"" + step.span + "\" [" + std::to_string(step.start) + ", " +
               std::to_string(step.end) + "] " + std::to_string(step.confidence) + ", expected " +
               expected.dump();
      }
    }
  }
  return {};
}

std::vector<Forward> forwards_of(const Json& row) {
  std::vector<Forward> forwards;
  for (const Json& forward : row.at("forwards")) {
    forwards.push_back({forward.at("ids"), forward.at("n_hint")});
  }
  return forwards;
}

double nearest_to_threshold(const Json& row) {
  double nearest = INFINITY;
  for (const Json& forward : row.at("forwards")) {
    nearest = std::min(nearest, forward.at("min_abs_logit").get<double>());
  }
  return nearest;
}

class GoldenE2e : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    REX_NEED_SHARED_GOLDEN();
    const auto folder =
        GetParam() == "mini" ? shared_mini_model_dir() : shared_golden_dir() / GetParam();
    if (GetParam() == "mini" && !std::filesystem::exists(folder)) {
      GTEST_SKIP() << "the model that e2e/mini.jsonl was made with is not at " << folder
                   << "; put it there to compare with the reference's answers";
    }
    auto tokenizer = text::Tokenizer::load(folder);
    ASSERT_TRUE(tokenizer) << tokenizer.error().to_string();
    auto weights = model::load_weights(folder);
    ASSERT_TRUE(weights) << weights.error().to_string();
    auto engine = make_test_engine(*weights, 1);
    ASSERT_TRUE(engine) << engine.error().to_string();
    pipeline_ = std::make_unique<Pipeline>(
        *tokenizer, std::make_unique<RecordingEngine>(*std::move(engine), forwards_));
    rows_ = read_jsonl(shared_golden_dir() / "e2e" / (GetParam() + ".jsonl"));
  }

  Result<Answer> ask(const Json& row, bool final_step) {
    auto schema = schema::parse_schema(row.at("schema"), {.reference = true});
    EXPECT_TRUE(schema) << schema.error().to_string();
    Query query{row.at("text"), std::make_shared<const schema::Schema>(*std::move(schema)), {}, {}};
    query.options.behaviour = Behaviour::kReference;
    query.options.reference_final_step = final_step;
    forwards_.clear();
    return std::move(pipeline_->analyze({&query, 1}).front());
  }

  // Compares one entry point; a difference is only allowed, and then named, where a cell lies at
  // the threshold. Returns whether it was equal.
  bool compare(const Json& row, const std::string& entry_point, const Json& want) {
    const std::string name =
        GetParam() + " " + row.at("name").get<std::string>() + " " + entry_point;
    const auto answer = ask(row, entry_point == "prediction_step");
    std::string fault;
    if (!answer) {
      fault = answer.error().to_string();
    } else {
      fault = difference(answer->chains, want);
      if (fault.empty() && forwards_ != forwards_of(row)) {
        fault = "other passes: " + std::to_string(forwards_.size()) + " run, expected " +
                std::to_string(row.at("forwards").size());
      }
    }
    if (fault.empty()) return true;
    const double nearest = nearest_to_threshold(row);
    EXPECT_LT(nearest, logit_tolerance()) << name << ": " << fault;
    std::printf("%s differs, with a logit of %.2e in it: %s\n", name.c_str(), nearest,
                fault.c_str());
    return false;
  }

  std::unique_ptr<Pipeline> pipeline_;
  std::vector<Forward> forwards_;
  std::vector<Json> rows_;
};

TEST_P(GoldenE2e, D1_D29_ReferenceBehaviourGivesTheReferencesAnswersAndPasses) {
  size_t compared = 0, equal = 0;
  for (const Json& row : rows_) {
    if (row.contains("error")) {
      const auto answer = ask(row, false);
      ASSERT_FALSE(answer) << row.at("name");
      EXPECT_EQ(answer.error().code, ErrorCode::kFieldConflict) << row.at("name");
      continue;
    }
    equal += compare(row, "do_predict", row.at("do_predict")) ? 1 : 0;
    ++compared;
    if (!row.contains("prediction_step")) continue;  // the same as do_predict
    equal += compare(row, "prediction_step", row.at("prediction_step")) ? 1 : 0;
    ++compared;
  }
  EXPECT_GE(compared, 65U);
  std::printf("%s: %zu of %zu answers equal\n", GetParam().c_str(), equal, compared);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenE2e, testing::Values("tiny-a", "tiny-b", "mini"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace rex::pipeline

// Engines against the reference implementation's forward passes (../shared/golden/forward).
#include <gtest/gtest.h>

#include <cmath>

#include "engine/cpu/cpu_engine.h"
#include "engine/reference/reference_engine.h"
#include "support/golden_forward.h"
#include "support/test_data.h"

namespace rex::engine {
namespace {

constexpr const char* kModels[] = {"tiny-a", "tiny-b"};

std::shared_ptr<const model::Weights> golden_weights(const std::string& name) {
  auto weights = model::load_weights(shared_golden_dir() / name);
  EXPECT_TRUE(weights) << weights.error().to_string();
  return *weights;
}

double largest_difference(const Matrix& got, const GoldenMatrix& want) {
  double worst = 0.0;
  for (size_t r = 0; r < got.size(); ++r) {
    for (size_t c = 0; c < got[r].size(); ++c)
      worst = std::max(worst, std::abs(got[r][c] - want.at(r, c)));
  }
  return worst;
}

TEST(GoldenForward, P21_P24_TwoIntegersATokenGiveEveryStoredMask) {
  REX_NEED_SHARED_GOLDEN();
  for (const char* name : kModels) {
    for (const GoldenForward& golden : load_golden_forwards(name)) {
      const size_t n = golden.ids.size();
      for (size_t row = 0; row < n; ++row) {
        for (size_t col = 0; col < n; ++col) {
          ASSERT_EQ(TokenWord::visible(golden.words[row], golden.words[col]),
                    golden.mask[row * n + col] == 1)
              << golden.name << " (" << row << ", " << col << ")";
        }
      }
    }
  }
}

// Hidden states, rotated heads and logits; the stored values are good to 1e-10 relative in f64 and
// to 1e-6 in f32 (golden README). q and k are of the size of tens.
TEST(ReferenceModel, M1_M23_AgreesWithEveryGoldenForward) {
  REX_NEED_SHARED_GOLDEN();
  size_t rows = 0;
  for (const char* name : kModels) {
    const ReferenceModel reference(*golden_weights(name));
    for (const GoldenForward& golden : load_golden_forwards(name)) {
      const ReferenceTrace trace = reference.forward(golden.ids, golden.words);
      for (const auto& [key, want] : golden.matrices) {
        const Matrix& got = key == "q"   ? trace.query
                            : key == "k" ? trace.key
                                         : trace.hidden[static_cast<size_t>(key.back() - '0')];
        EXPECT_LT(largest_difference(got, want), want.is_double ? 1e-8 : 5e-5)
            << golden.name << " " << key;
      }
      for (const auto& [row, values] : golden.logits) {
        for (size_t col = 0; col < values.size(); ++col) {
          ASSERT_NEAR(trace.logits[row][col], values[col],
                      (golden.logits_double ? 1e-9 : 1e-5) * golden.logit_rms)
              << golden.name << " (" << row << ", " << col << ")";
        }
        ++rows;
      }
    }
  }
  EXPECT_GT(rows, 500U);
}

struct LogitError {
  double worst = 0.0, mean = 0.0;
  size_t cells = 0;
};

// Every cell that decoding can read against the float64 logits, relative to their spread.
LogitError error_of(WeightType precision) {
  LogitError error;
  for (const char* name : kModels) {
    const auto weights = golden_weights(name);
    auto made = make_cpu_engine(weights, {.threads = 2, .limits = {}, .precision = precision});
    EXPECT_TRUE(made) << made.error().to_string();
    for (const GoldenForward& golden : load_golden_forwards(name)) {
      std::vector<int32_t> types;
      for (int32_t t = 0; t < golden.text_begin; ++t) {
        if (golden.ids[static_cast<size_t>(t)] == 12801) types.push_back(t);
      }
      const PassInfo pass{0,   static_cast<int32_t>(golden.ids.size()), golden.text_begin,
                          0,   static_cast<int32_t>(types.size()),      -INFINITY,
                          true};
      LinkLists links;
      EXPECT_TRUE((*made)->run({golden.ids, golden.words, {&pass, 1}, types}, links));
      const auto compare = [&](int32_t row, int32_t col, float logit) {
        const auto found = golden.logits.find(static_cast<size_t>(row));
        if (found == golden.logits.end() || !golden.logits_double) return;
        const double one =
            std::abs(logit - found->second[static_cast<size_t>(col)]) / golden.logit_rms;
        error.worst = std::max(error.worst, one);
        error.mean += one;
        ++error.cells;
      };
      const PassLinks result = links.pass(0);
      const auto text = static_cast<size_t>(pass.token_count - pass.text_begin);
      EXPECT_EQ(result.spans.size(), text * (text + 1) / 2) << golden.name;
      EXPECT_EQ(result.heads.size(), text * types.size());
      EXPECT_EQ(result.tails.size(), text * types.size());
      for (const Link& link : result.spans) compare(link.row, link.col, link.logit);
      for (const Link& link : result.heads)
        compare(link.row, types[static_cast<size_t>(link.col)], link.logit);
      for (const Link& link : result.tails)
        compare(types[static_cast<size_t>(link.row)], link.col, link.logit);
      for (size_t k = 0; k < types.size(); ++k) {
        compare(golden.text_begin, golden.text_begin, result.classes[k].marker);
        compare(golden.text_begin, types[k], result.classes[k].marker_to_type);
        compare(types[k], golden.text_begin, result.classes[k].type_to_marker);
      }
    }
  }
  error.mean /= static_cast<double>(error.cells);
  return error;
}

TEST(CpuEngine, LogitsOfEveryPrecisionStayNearTheReferenceInFloat64) {
  REX_NEED_SHARED_GOLDEN();
  for (const auto& [precision, allowed] :
       {std::pair{WeightType::kF32, 1e-5}, std::pair{WeightType::kBF16, 0.03},
        std::pair{WeightType::kF16, 0.03}, std::pair{WeightType::kInt8, 0.3}}) {
    const LogitError error = error_of(precision);
    std::printf("%s: error of the logits relative to their spread: largest %.1e, mean %.1e\n",
                std::string(name_of(precision)).c_str(), error.worst, error.mean);
    EXPECT_LT(error.worst, allowed) << name_of(precision);
    EXPECT_GT(error.cells, 10000U);
  }
}

}  // namespace
}  // namespace rex::engine

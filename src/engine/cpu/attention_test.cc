#include "engine/cpu/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "engine/batch.h"

namespace rex::engine {
namespace {

struct Pass {
  std::vector<uint32_t> words;
  std::vector<float> qkv;  // [n, 3D], one head
};

// A prompt of `groups` prefixes with `types` types each, positions restarting as in P19, then text.
std::vector<uint32_t> prompt_words(int32_t n, uint32_t groups, uint32_t types) {
  std::vector<uint32_t> words = {TokenWord::pack(0, 0, 0)};
  uint32_t highest = 0;
  for (uint32_t g = 1; g <= groups; ++g) {
    for (uint32_t p = 1; p <= 4; ++p) words.push_back(TokenWord::pack(p, g, 0));
    for (uint32_t t = 1; t <= types; ++t) {
      for (uint32_t p = 5; p <= 4 + t % 3 + 1; ++p) {
        words.push_back(TokenWord::pack(p, g, t));
        highest = std::max(highest, p);
      }
    }
  }
  while (static_cast<int32_t>(words.size()) < n) words.push_back(TokenWord::pack(++highest, 0, 0));
  words.resize(static_cast<size_t>(n));
  return words;
}

std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 0.6F);
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

struct Model {
  AttentionShape shape;
  SlotTable table{};
  std::vector<float> position_key, position_query;  // [D, ld_slots]
};

Model make_model(int32_t width, int32_t max_relative_positions) {
  Model m;
  model::ModelConfig config = model::base_config();
  config.max_relative_positions = max_relative_positions;
  m.table = make_slot_table(config);
  m.shape = {width, 3 * width, width, config.slots(), max_relative_positions <= 0, nullptr};
  const auto size = static_cast<size_t>(width) * static_cast<size_t>(m.shape.ld_slots());
  m.position_key = random_floats(size, 11);
  m.position_query = random_floats(size, 12);
  return m;
}

// M8–M10 as plain sums in double.
std::vector<double> expected(const Model& m, const Pass& pass) {
  const size_t n = pass.words.size(), width = static_cast<size_t>(m.shape.head_width);
  const auto ld = static_cast<size_t>(m.shape.ld_slots());
  std::vector<double> context(n * width, 0.0);
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> weight(n, 0.0);
    double sum = 0.0;
    for (size_t j = 0; j < n; ++j) {
      if (!TokenWord::visible(pass.words[i], pass.words[j])) continue;
      const auto distance = static_cast<int32_t>(TokenWord::position(pass.words[i])) -
                            static_cast<int32_t>(TokenWord::position(pass.words[j]));
      const auto u =
          static_cast<size_t>(m.table[static_cast<size_t>(distance + kMaxPassTokens - 1)]);
      double score = 0.0;
      for (size_t c = 0; c < width; ++c) {
        const double q = pass.qkv[i * 3 * width + c], k = pass.qkv[j * 3 * width + width + c];
        score += q * k + q * m.position_key[c * ld + u] + k * m.position_query[c * ld + u];
      }
      weight[j] = std::exp(score);
      sum += weight[j];
    }
    for (size_t j = 0; j < n; ++j) {
      for (size_t c = 0; c < width; ++c) {
        context[i * width + c] += weight[j] / sum * pass.qkv[j * 3 * width + 2 * width + c];
      }
    }
  }
  return context;
}

void check(Model& m, const std::vector<uint32_t>& words) {
  m.shape.slot_table = &m.table;
  const auto width = static_cast<size_t>(m.shape.head_width);
  const Pass pass{words, random_floats(words.size() * 3 * width, 13)};
  const std::vector<double> want = expected(m, pass);
  const auto n = static_cast<int32_t>(words.size());
  // NaN in the scratch: nothing may be read that was not written before.
  std::vector<float> scratch(static_cast<size_t>(attention_scratch_floats(m.shape, n)),
                             std::nanf(""));
  std::vector<float> context(words.size() * width, std::nanf(""));
  attend(m.shape,
         {n, pass.words, pass.qkv.data(), pass.qkv.data() + width, pass.qkv.data() + 2 * width,
          m.position_key.data(), m.position_query.data(), context.data()},
         scratch.data());
  for (size_t i = 0; i < words.size(); ++i) {
    for (size_t c = 0; c < width; ++c) {
      ASSERT_NEAR(context[i * width + c], want[i * width + c], 2e-5)
          << "n " << n << ", width " << width << ", token " << i << ", column " << c;
    }
  }
}

TEST(Attend, M8_M10_AgreesWithPlainSumsInEveryLength) {
  Model m = make_model(64, -1);
  for (const int32_t n : {1, 2, 15, 16, 17, 23, 24, 25, 48, 64, 65, 130, 512}) {
    check(m, prompt_words(n, 0, 0));
  }
}

TEST(Attend, P21_P24_PromptsAreIsolatedAndPositionsRestart) {
  Model m = make_model(64, -1);
  for (const uint32_t groups : {1U, 2U, 7U}) {
    for (const uint32_t types : {1U, 3U, 9U}) check(m, prompt_words(200, groups, types));
  }
}

TEST(Attend, HeadWidthsThatAreNoWholeVector) {
  for (const int32_t width : {16, 24, 10, 96}) {
    Model m = make_model(width, -1);
    check(m, prompt_words(77, 2, 3));
  }
}

TEST(Attend, M4_LogBucketsWhenTheModelHasThem) {
  Model m = make_model(64, 512);
  check(m, prompt_words(512, 1, 3));
}

}  // namespace
}  // namespace rex::engine

// Every forward pass of the reference implementation, built again from its two strings: ids,
// position ids and isolation mask (../shared/golden/forward).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/json.h"
#include "engine/batch.h"
#include "prompt/pass.h"
#include "prompt/prompt_test_support.h"
#include "prompt/token_words.h"
#include "support/test_data.h"

namespace rex::prompt {
namespace {

using engine::TokenWord;

// The integer tensors of one golden file; item b of a tensor [B, …] is its b-th equal part.
class GoldenTensors {
 public:
  explicit GoldenTensors(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, bytes_.data(), sizeof header_bytes);
    header_ = Json::parse(bytes_.substr(8, header_bytes));
    data_ = 8 + header_bytes;
  }

  [[nodiscard]] std::vector<int32_t> ids(const std::string& name, size_t item) const {
    const auto raw = part(name, item);
    const size_t width = header_.at(name).at("dtype") == "I64" ? 8 : 4;
    std::vector<int32_t> values(raw.size() / width);
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&values[i], raw.data() + i * width, sizeof(int32_t));  // little endian
    }
    return values;
  }

  // Whether row may attend to col, of item `item`.
  [[nodiscard]] bool mask(size_t item, size_t row, size_t col) const {
    const bool packed = header_.contains("attention_mask_packed");
    const std::string name = packed ? "attention_mask_packed" : "attention_mask";
    const auto stored = header_.at(name).at("shape")[2].get<size_t>();
    const auto raw = part(name, item);
    const auto byte = static_cast<uint8_t>(raw[row * stored + (packed ? col / 8 : col)]);
    return packed ? (byte >> (7 - col % 8) & 1) != 0 : byte != 0;
  }

 private:
  [[nodiscard]] std::string_view part(const std::string& name, size_t item) const {
    const Json& entry = header_.at(name);
    const auto begin = entry.at("data_offsets")[0].get<size_t>();
    const auto end = entry.at("data_offsets")[1].get<size_t>();
    const size_t one = (end - begin) / entry.at("shape")[0].get<size_t>();
    return std::string_view(bytes_).substr(data_ + begin + item * one, one);
  }

  std::string bytes_;
  Json header_;
  size_t data_ = 0;
};

std::vector<std::string> split(const std::string& text, const std::string& mark) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + mark.size();
  }
}

// A hint string taken apart and packed again (P8, Q44). The strings were written by hand and may
// exceed the hint limit, so the limit is left out.
Hint hint_of(const std::string& hint_string, const text::Tokenizer& tokenizer) {
  std::vector<std::vector<int32_t>> prefixes;
  std::vector<std::vector<LabelNode>> labels;
  std::vector<Ask> asks;
  const std::vector<std::string> groups = split(hint_string, "[PREFIX]");
  for (size_t g = 1; g < groups.size(); ++g) {
    const std::vector<std::string> parts = split(groups[g], "[TYPE]");
    prefixes.push_back(ids_of(tokenizer, parts[0]));
    labels.emplace_back();
    for (size_t k = 1; k < parts.size(); ++k) {
      labels.back().push_back(
          {.label = parts[k], .ids = ids_of(tokenizer, parts[k]), .children = {}, .path = {}});
    }
  }
  for (size_t g = 0; g < prefixes.size(); ++g) asks.push_back({prefixes[g], labels[g]});
  Hints built = build_hints(asks, {512, 512, 125}, tokenizer.special());
  EXPECT_EQ(built.hints.size(), 1U) << hint_string;
  return built.hints.empty() ? Hint{} : std::move(built.hints.front());
}

// The window whose ids are the golden ones; texts longer than a window have several.
std::vector<int32_t> matching_ids(const Hint& hint, const std::vector<text::Token>& tokens,
                                  const text::SpecialIds& special,
                                  const std::vector<int32_t>& want) {
  std::vector<Pass> passes;
  append_span_passes(hint, tokens, {}, 32, passes);
  for (const Pass& pass : passes) {
    std::vector<int32_t> ids;
    pass.append_ids(special.sep, ids);
    if (ids == want) return ids;
  }
  return {};
}

class GoldenForwardPrompt : public testing::TestWithParam<std::string> {};

TEST_P(GoldenForwardPrompt, P8_P25_IdsPositionsAndMaskOfEveryPass) {
  REX_NEED_SHARED_GOLDEN();
  const auto tokenizer = *text::Tokenizer::load(shared_golden_dir() / GetParam());
  std::ifstream index(shared_golden_dir() / "forward" / (GetParam() + ".index.json"));
  size_t compared = 0;
  for (const Json& entry : Json::parse(index)) {
    const auto name = entry.at("file").get<std::string>();
    const GoldenTensors golden(shared_golden_dir() / "forward" / name);
    for (size_t item = 0; item < entry.at("texts").size(); ++item) {
      const auto n = entry.at("lengths")[item].get<size_t>();
      std::vector<int32_t> want = golden.ids("input_ids", item);
      want.resize(n);  // batches are padded
      const Hint hint = hint_of(entry.at("texts")[item][0], *tokenizer);
      const auto tokens = *tokenizer->encode(entry.at("texts")[item][1].get<std::string>(),
                                             text::SpecialMatching::kAll);
      const auto ids = matching_ids(hint, tokens, tokenizer->special(), want);
      ASSERT_EQ(ids, want) << name << " " << item;

      std::vector<uint32_t> words(n);
      ASSERT_TRUE(TokenWords(tokenizer->special()).assign(ids, words)) << name;
      const std::vector<int32_t> positions = golden.ids("position_ids", item);
      for (size_t row = 0; row < n; ++row) {
        ASSERT_EQ(TokenWord::position(words[row]), static_cast<uint32_t>(positions[row]))
            << name << " " << item << " token " << row;
        for (size_t col = 0; col < n; ++col) {
          ASSERT_EQ(TokenWord::visible(words[row], words[col]), golden.mask(item, row, col))
              << name << " " << item << " (" << row << ", " << col << ")";
        }
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, GetParam() == "tiny-a" ? 22U : 7U);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenForwardPrompt, testing::Values("tiny-a", "tiny-b"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace rex::prompt

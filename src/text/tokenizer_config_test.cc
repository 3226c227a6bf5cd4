#include "text/tokenizer_config.h"

#include <gtest/gtest.h>

#include <string>

namespace rex::text {
namespace {

TEST(TokenizerConfig, AcceptsTheReleaseAndAbsentSettings) {
  EXPECT_TRUE(check_tokenizer_config("{}"));
  EXPECT_TRUE(check_tokenizer_config(R"({
    "do_lower_case": true, "do_basic_tokenize": true, "never_split": null, "unk_token": "[UNK]",
    "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
    "tokenize_chinese_chars": true, "strip_accents": null, "special_tokens_map_file": null,
    "tokenizer_class": "BertTokenizer"})"));
  EXPECT_TRUE(check_tokenizer_config(R"({"unk_token": {"content": "[UNK]", "lstrip": false}})"));
  EXPECT_TRUE(check_tokenizer_config(R"({"strip_accents": true, "never_split": []})"));
}

struct Unsupported {
  const char* json;
  const char* key;
};

TEST(TokenizerConfig, RefusesUnsupportedSettingsByName) {
  const Unsupported cases[] = {
      {R"({"do_lower_case": false})", "do_lower_case"},
      {R"({"do_lower_case": 1})", "do_lower_case"},
      {R"({"do_basic_tokenize": false})", "do_basic_tokenize"},
      {R"({"tokenize_chinese_chars": false})", "tokenize_chinese_chars"},
      {R"({"strip_accents": false})", "strip_accents"},
      {R"({"never_split": ["<x>"]})", "never_split"},
      {R"({"unk_token": "<unk>"})", "unk_token"},
      {R"({"sep_token": {"content": "</s>"}})", "sep_token"},
      {R"({"cls_token": {"text": "[CLS]"}})", "cls_token"},
  };
  for (const Unsupported& unsupported : cases) {
    const auto checked = check_tokenizer_config(unsupported.json);
    ASSERT_FALSE(checked) << unsupported.json;
    EXPECT_EQ(checked.error().code, ErrorCode::kVocabularyInvalid);
    EXPECT_EQ(checked.error().place, std::string("tokenizer_config.json/") + unsupported.key);
  }
}

TEST(TokenizerConfig, MessageSaysWhatWasFoundAndWhatIsAllowed) {
  const auto checked = check_tokenizer_config(R"({"do_lower_case": false})");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "is false; only true is supported");
}

TEST(TokenizerConfig, RefusesWhatIsNotAnObject) {
  for (const char* json : {"", "{", "[]", "1", "{\"a\": \"\xFF\"}"}) {
    const auto checked = check_tokenizer_config(json);
    ASSERT_FALSE(checked) << json;
    EXPECT_EQ(checked.error().code, ErrorCode::kVocabularyInvalid) << json;
    EXPECT_TRUE(checked.error().place.starts_with("tokenizer_config.json")) << json;
  }
}

}  // namespace
}  // namespace rex::text

#include "text/tokenizer_config.h"

#include <algorithm>

#include "core/json.h"

namespace rex::text {
namespace {

constexpr const char* kFile = "tokenizer_config.json";

// Setting → values that lead to the behaviour of the specification. Unset accent stripping follows
// lower-casing (T8), so null and true are the same.
const Json& supported_values() {
  static const Json kValues = Json::parse(R"({
    "do_lower_case": [true],
    "do_basic_tokenize": [true],
    "tokenize_chinese_chars": [true],
    "strip_accents": [null, true],
    "never_split": [null, []],
    "pad_token": ["[PAD]"],
    "cls_token": ["[CLS]"],
    "sep_token": ["[SEP]"],
    "unk_token": ["[UNK]"],
    "mask_token": ["[MASK]"]
  })");
  return kValues;
}

// A special token is written as its string or as an object with the string in "content".
Json plain_value(const Json& value) {
  if (!value.is_object()) return value;
  const auto content = value.find("content");
  return content == value.end() ? value : *content;
}

std::string shown(const Json& value) {
  const std::string text = value.dump();
  return text.size() <= 40 ? text : std::string(json_kind(value));
}

}  // namespace

Result<void> check_tokenizer_config(std::string_view json_text) {
  const auto config = parse_json(json_text);
  if (!config) {
    return fail(ErrorCode::kVocabularyInvalid, config.error().message,
                std::string(kFile) + " " + config.error().place);
  }
  if (!config->is_object()) {
    return fail(ErrorCode::kVocabularyInvalid,
                "expected an object, found " + std::string(json_kind(*config)), kFile);
  }
  for (const auto& [key, supported] : supported_values().items()) {
    const auto setting = config->find(key);
    if (setting == config->end()) continue;
    const Json value = plain_value(*setting);
    if (std::find(supported.begin(), supported.end(), value) != supported.end()) continue;
    return fail(ErrorCode::kVocabularyInvalid,
                "is " + shown(value) + "; only " + supported.front().dump() + " is supported",
                std::string(kFile) + "/" + key);
  }
  return {};
}

}  // namespace rex::text

#include "schema/label.h"

#include "schema/schema.h"
#include "text/utf8.h"

namespace rex::schema {
namespace {

bool is_white(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

}  // namespace

Result<std::string> clean_label(std::string_view raw, const std::string& place) {
  auto decoded = text::decode_utf8(raw);
  if (!decoded) {
    Error error = std::move(decoded).error();
    error.message = "label: " + error.message + " at " + error.place;
    error.place = place;
    return fail(std::move(error));
  }
  std::u32string_view chars = *decoded;
  while (!chars.empty() && is_white(chars.front())) chars.remove_prefix(1);
  while (!chars.empty() && is_white(chars.back())) chars.remove_suffix(1);
  if (chars.empty()) return fail(ErrorCode::kLabelEmpty, "a label is empty", place);
  if (chars.size() > static_cast<size_t>(kMaxLabelChars)) {
    return fail(ErrorCode::kLabelTooLong,
                "a label has " + std::to_string(chars.size()) + " chars; at most " +
                    std::to_string(kMaxLabelChars) + " are allowed",
                place);
  }
  std::string label = text::encode_utf8(chars);
  if (label == "$ref" || label == "$defs") {
    return fail(ErrorCode::kSchemaRef, "\"" + label + "\" is reserved and no label", place);
  }
  return label;
}

}  // namespace rex::schema

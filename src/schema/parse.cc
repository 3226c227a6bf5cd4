// The accepted forms, read into the canonical tree. TreeReader is the product's reading,
// read_reference() the original's.
#include <algorithm>
#include <set>

#include "schema/label.h"
#include "schema/references.h"
#include "schema/schema.h"

namespace rex::schema {
namespace {

constexpr JsonLimits kJsonLimits{.max_depth = 64, .reject_duplicate_keys = true};
constexpr JsonLimits kReferenceLimits{.max_depth = 64, .reject_duplicate_keys = false};

std::string below(const std::string& place, std::string_view key) {
  return place + "/" + pointer_escape(key);
}

class TreeReader {
 public:
  TreeReader(const Json& document, const ParseOptions& options)
      : document_(document), options_(options), references_(document, options.max_labels) {}

  Result<Schema> read() {
    Schema schema;
    if (document_.is_null() || !(document_.is_structured() || document_.is_string())) {
      return fail(ErrorCode::kSchemaBadValue,
                  "expected labels, found " + std::string(json_kind(document_)), "");
    }
    REX_TRY_VOID(read_labels(document_, "", 1, schema.roots));
    if (schema.roots.empty()) return fail(ErrorCode::kSchemaEmpty, "the schema has no labels", "");
    schema.warnings = std::move(warnings_);
    return schema;
  }

 private:
  // Adds the labels of an object, a list or a string at level `level` to `out`.
  Result<void> read_labels(const Json& value, const std::string& place, int32_t level,
                           std::vector<Node>& out) {
    if (is_reference(value)) {
      REX_TRY(target, references_.enter(value, place));
      REX_TRY_VOID(read_labels(*target, place, level, out));
      references_.leave();
      return {};
    }
    if (value.is_object()) return read_members(value, false, place, level, out);
    if (value.is_array()) return read_list(value, place, level, out);
    if (value.is_string()) {
      std::set<std::string> seen;
      return add(value.get_ref<const std::string&>(), nullptr, false, place, level, seen, out);
    }
    return fail(ErrorCode::kSchemaBadValue,
                "expected labels, found " + std::string(json_kind(value)), place);
  }

  Result<void> read_members(const Json& object, bool in_list, const std::string& place,
                            int32_t level, std::vector<Node>& out) {
    std::set<std::string> seen;
    for (const auto& [key, value] : object.items()) {
      if (key == "$defs" && &object == &document_) continue;
      REX_TRY_VOID(add(key, &value, in_list, below(place, key), level, seen, out));
    }
    return {};
  }

  Result<void> read_list(const Json& list, const std::string& place, int32_t level,
                         std::vector<Node>& out) {
    for (size_t i = 0; i < list.size(); ++i) {
      const Json& item = list[i];
      const std::string here = below(place, std::to_string(i));
      const size_t before = labels_;
      if (item.is_object() && !is_reference(item)) {
        REX_TRY_VOID(read_members(item, true, here, level, out));
      } else if (item.is_object() || item.is_string()) {
        REX_TRY_VOID(read_labels(item, here, level, out));
      } else {
        return fail(ErrorCode::kSchemaBadValue,
                    "expected a label, found " + std::string(json_kind(item)), here);
      }
      if (labels_ == before) return fail(ErrorCode::kSchemaBadValue, "names no label", here);
    }
    return {};
  }

  // One label with the value written behind it (null pointer: none). `seen` holds the labels of
  // the same object: equal ones there contradict each other, elsewhere they are merged.
  Result<void> add(std::string_view raw, const Json* value, bool in_list, const std::string& place,
                   int32_t level, std::set<std::string>& seen, std::vector<Node>& out) {
    REX_TRY(label, clean_label(raw, place));
    if (level > options_.max_depth) {
      return fail(ErrorCode::kSchemaTooDeep,
                  "deeper than " + std::to_string(options_.max_depth) + " levels", place);
    }
    if (++labels_ > static_cast<size_t>(options_.max_labels)) {
      return fail(ErrorCode::kTooManyLabels,
                  "more than " + std::to_string(options_.max_labels) + " labels", place);
    }
    if (!seen.insert(label).second) {
      return fail(ErrorCode::kSchemaDuplicateKey,
                  "label \"" + label + "\" stands twice when white space is removed", place);
    }
    if (label.size() != raw.size()) {
      warn("LABEL_TRIMMED", "white space around \"" + label + "\" was removed", place);
    }
    auto found =
        std::find_if(out.begin(), out.end(), [&](const Node& n) { return n.label == label; });
    if (found != out.end()) {
      warn("LABEL_DUPLICATE", "label \"" + label + "\" was named before; merged", place);
    } else {
      found = out.insert(out.end(), Node{label, {}});
    }
    return value == nullptr ? Result<void>{} : read_value(*value, in_list, place, level, *found);
  }

  // What stands behind a label: nothing, a hint of a type, or the labels below it.
  Result<void> read_value(const Json& value, bool in_list, const std::string& place, int32_t level,
                          Node& node) {
    if (value.is_null()) return {};
    if (is_reference(value)) {
      REX_TRY(target, references_.enter(value, place));
      REX_TRY_VOID(read_value(*target, false, place, level, node));
      references_.leave();
      return {};
    }
    const bool is_text = value.is_string();
    if (!is_text && !value.is_structured()) {
      return fail(ErrorCode::kSchemaBadValue,
                  "expected null or labels, found " + std::string(json_kind(value)), place);
    }
    if (is_text ? value.get_ref<const std::string&>().empty() : value.empty()) {
      warn("SCHEMA_VALUE_NORMALISED", "an empty value was read as null", place);
      return {};
    }
    if (!is_text || in_list) return read_labels(value, place, level + 1, node.children);
    if (options_.strict) {
      return fail(ErrorCode::kSchemaBadValue, "expected null or labels, found a string", place);
    }
    warn("SCHEMA_TYPE_HINT_IGNORED",
         "the text behind \"" + node.label + "\" was read as a type name and ignored", place);
    return {};
  }

  void warn(const char* code, std::string message, const std::string& place) {
    warnings_.push_back({code, std::move(message), place});
  }

  const Json& document_;
  const ParseOptions& options_;
  References references_;
  std::vector<Warning> warnings_;
  size_t labels_ = 0;
};

// P1, Q25: an empty object, list or string, false, 0 and null are leaves; labels stay as they are.
Result<void> read_reference(const Json& object, const std::string& place, size_t level,
                            std::vector<Node>& out) {
  if (level > kReferenceLimits.max_depth) {
    return fail(ErrorCode::kSchemaTooDeep, "nested deeper than 64 levels", place);
  }
  for (const auto& [key, value] : object.items()) {
    const std::string here = below(place, key);
    const bool empty = value.empty() || value == Json(false) || value == Json("") ||
                       (value.is_number() && value.get<double>() == 0.0);
    Node node{key, {}};
    if (value.is_object()) {
      REX_TRY_VOID(read_reference(value, here, level + 1, node.children));
    } else if (!empty) {
      return fail(ErrorCode::kSchemaBadValue,
                  "expected null or an object, found " + std::string(json_kind(value)), here);
    }
    out.push_back(std::move(node));
  }
  return {};
}

bool starts_document(std::string_view text) {
  return text.starts_with('{') || text.starts_with('[');
}

std::string_view skip_blank(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

}  // namespace

Result<Schema> parse_schema(const Json& json, const ParseOptions& options) {
  if (json.is_string()) {
    const std::string_view text = skip_blank(json.get_ref<const std::string&>());
    if (text.empty()) return fail(ErrorCode::kSchemaEmpty, "the schema is empty", "");
    if (starts_document(text)) {
      REX_TRY(inner, parse_json(text, options.reference ? kReferenceLimits : kJsonLimits));
      return parse_schema(inner, options);
    }
  }
  if (!options.reference) return TreeReader(json, options).read();
  if (!json.is_object()) {
    return fail(ErrorCode::kSchemaBadValue,
                "expected an object, found " + std::string(json_kind(json)));
  }
  Schema schema;
  REX_TRY_VOID(read_reference(json, "", 1, schema.roots));
  return schema;
}

Result<Schema> parse_schema_text(std::string_view text, const ParseOptions& options) {
  text = skip_blank(text);
  if (text.empty()) return fail(ErrorCode::kSchemaEmpty, "the schema is empty", "");
  const auto json = parse_json(text, options.reference ? kReferenceLimits : kJsonLimits);
  if (json) return parse_schema(*json, options);
  if (starts_document(text) || text.starts_with('"')) return fail(json.error());
  return parse_schema(Json(std::string(text)), options);
}

}  // namespace rex::schema

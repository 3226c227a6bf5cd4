#include "schema/references.h"

#include <algorithm>

namespace rex::schema {
namespace {

constexpr size_t kMaxOpen = 64;

// The inverse of pointer_escape().
std::string pointer_unescape(std::string_view escaped) {
  std::string key;
  for (size_t i = 0; i < escaped.size(); ++i) {
    const bool special = escaped[i] == '~' && i + 1 < escaped.size();
    if (special && escaped[i + 1] == '1') {
      key += '/', ++i;
    } else if (special && escaped[i + 1] == '0') {
      key += '~', ++i;
    } else {
      key += escaped[i];
    }
  }
  return key;
}

Result<std::string> name_of(const Json& target, const std::string& place) {
  if (target.is_string()) {
    const std::string& text = target.get_ref<const std::string&>();
    for (const std::string_view start : {"#/$defs/", "#/defs/"}) {
      if (!text.starts_with(start)) continue;
      const std::string_view rest = std::string_view(text).substr(start.size());
      if (rest.find('/') == std::string_view::npos) return pointer_unescape(rest);
    }
  }
  return fail(ErrorCode::kSchemaRef, "expected a reference such as \"#/$defs/name\"", place);
}

}  // namespace

bool is_reference(const Json& value) {
  return value.is_object() && value.contains("$ref");
}

Result<const Json*> References::enter(const Json& reference, const std::string& place) {
  const std::string here = place + "/$ref";
  const size_t allowed = &reference == &document_ && reference.contains("$defs") ? 2 : 1;
  if (reference.size() != allowed) {
    return fail(ErrorCode::kSchemaRef, "$ref cannot stand beside other keys", here);
  }
  REX_TRY(name, name_of(reference.at("$ref"), here));
  if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
    return fail(ErrorCode::kSchemaRef, "\"" + name + "\" refers to itself", here);
  }
  if (open_.size() >= kMaxOpen) {
    return fail(ErrorCode::kSchemaRef, "more than 64 references inside one another", here);
  }
  if (++uses_ > max_uses_) {
    return fail(ErrorCode::kTooManyLabels,
                "more than " + std::to_string(max_uses_) + " references to expand", here);
  }
  const auto defs = document_.is_object() ? document_.find("$defs") : document_.end();
  if (defs == document_.end() || !defs->is_object() || !defs->contains(name)) {
    return fail(ErrorCode::kSchemaRef, "$defs at the top has no entry \"" + name + "\"", here);
  }
  open_.push_back(name);
  return &defs->at(name);
}

}  // namespace rex::schema

#include "eval/formats/fields.h"

namespace rex::eval::formats {
namespace {

Failure wrong(const Json& value, std::string_view wanted, std::string_view key,
              const std::string& place) {
  std::string message = "expected " + std::string(wanted) + ", found ";
  message += value.is_null() ? std::string_view("nothing") : json_kind(value);
  return fail(ErrorCode::kSampleInvalid, std::move(message), place + "/" + std::string(key));
}

}  // namespace

const Json& value_at(const Json& object, std::string_view key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

Result<std::string> string_at(const Json& object, std::string_view key, const std::string& place) {
  const Json& value = value_at(object, key);
  if (!value.is_string()) return wrong(value, "a string", key, place);
  return value.get<std::string>();
}

Result<int64_t> integer_at(const Json& object, std::string_view key, const std::string& place) {
  const Json& value = value_at(object, key);
  if (!value.is_number_integer()) return wrong(value, "an integer", key, place);
  return value.get<int64_t>();
}

std::string id_text(const Json& id) {
  if (id.is_string()) return id.get<std::string>();
  return id.is_number_integer() ? id.dump() : std::string();
}

std::string at(const std::string& place, size_t index) {
  return place + "/" + std::to_string(index);
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rex::eval::formats

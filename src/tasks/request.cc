#include "tasks/request.h"

namespace rex::tasks {
namespace {

// The value under `name` or its other name, or null pointer. Errors: FIELD_CONFLICT for both.
Result<const Json*> find_field(const Json& body, const char* name, const char* other) {
  const auto first = body.find(name);
  const auto second = body.find(other);
  if (first != body.end() && second != body.end()) {
    return fail(ErrorCode::kFieldConflict,
                std::string("\"") + name + "\" and \"" + other + "\" mean the same",
                std::string("/") + other);
  }
  if (first != body.end()) return &*first;
  return second != body.end() ? &*second : nullptr;
}

Result<std::vector<std::string>> read_strings(const Json& value, const std::string& place) {
  std::vector<std::string> strings;
  if (!value.is_array()) {
    return fail(ErrorCode::kOptionType, "expected a list, found " + std::string(json_kind(value)),
                place);
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string()) {
      return fail(ErrorCode::kOptionType,
                  "expected a string, found " + std::string(json_kind(value[i])),
                  place + "/" + std::to_string(i));
    }
    strings.push_back(value[i].get<std::string>());
  }
  return strings;
}

Result<void> read_text(const Json& body, TaskRequest& request) {
  REX_TRY(text, find_field(body, "text", "input"));
  if (text == nullptr) return {};
  if (!text->is_string()) {
    return fail(ErrorCode::kTextNotString, "the text is " + std::string(json_kind(*text)), "/text");
  }
  request.text = text->get<std::string>();
  return {};
}

// A schema in the body replaces labels of the defaults and the other way round.
Result<void> read_schema_fields(const Json& body, TaskRequest& request) {
  REX_TRY(schema, find_field(body, "schema", "extraction_schema"));
  REX_TRY(labels, find_field(body, "labels", "entity_types"));
  if (schema != nullptr && labels != nullptr) {
    return fail(ErrorCode::kFieldConflict, "give either a schema or labels", "/labels");
  }
  if (schema != nullptr) {
    request.schema = *schema;
    request.labels.clear();
  }
  if (labels != nullptr) {
    REX_TRY(names, read_strings(*labels, "/labels"));
    if (names.empty())
      return fail(ErrorCode::kSchemaEmpty, "the list of labels is empty", "/labels");
    request.labels = std::move(names);
    request.schema.reset();
  }
  return {};
}

Result<void> read_legal_paths(const Json& body, TaskRequest& request) {
  const auto list = body.find("legal_output_type_list");
  if (list == body.end()) return {};
  const std::string place = "/legal_output_type_list";
  if (!list->is_array())
    return fail(ErrorCode::kOptionType, "expected a list of label paths", place);
  request.legal_paths.clear();
  for (size_t i = 0; i < list->size(); ++i) {
    REX_TRY(path, read_strings((*list)[i], place + "/" + std::to_string(i)));
    request.legal_paths.push_back(std::move(path));
  }
  return {};
}

constexpr std::string_view kCommonFields =
    "task text input schema extraction_schema labels entity_types options id strict "
    "legal_output_type_list";

Result<void> read_own_fields(const Json& body, TaskRequest& request) {
  for (const auto& [name, value] : body.items()) {
    if (has_word(kCommonFields, name)) continue;
    const std::string place = "/" + pointer_escape(name);
    if (has_word(request.task->fields, name)) {
      request.fields[name] = value;
    } else if (request.strict) {
      return fail(ErrorCode::kFieldUnknown, "there is no field \"" + name + "\"", place);
    } else {
      request.warnings.push_back(
          {"UNKNOWN_FIELD", "there is no field \"" + name + "\"; ignored", place});
    }
  }
  return {};
}

}  // namespace

Result<TaskRequest> read_request(const Json& body, const TaskRequest& defaults) {
  if (!body.is_object()) {
    return fail(ErrorCode::kJsonInvalid,
                "expected an object, found " + std::string(json_kind(body)));
  }
  TaskRequest request = defaults;
  if (const auto task = body.find("task"); task != body.end()) {
    if (!task->is_string()) return fail(ErrorCode::kTaskUnknown, "the task is no string", "/task");
    const std::string& name = task->get_ref<const std::string&>();
    REX_TRY(row, find_task(name));
    if (row != defaults.task) request.fields = Json::object();
    request.task = row;
    if (name == "nli") request.fields["mode"] = "nli";
  }
  if (request.task == nullptr) return fail(ErrorCode::kTaskUnknown, "no task is given", "/task");
  if (const auto strict = body.find("strict"); strict != body.end()) {
    if (!strict->is_boolean())
      return fail(ErrorCode::kOptionType, "expected true or false", "/strict");
    request.strict = strict->get<bool>();
  }
  if (const auto id = body.find("id"); id != body.end()) request.id = *id;
  REX_TRY_VOID(read_text(body, request));
  REX_TRY_VOID(read_schema_fields(body, request));
  REX_TRY_VOID(read_legal_paths(body, request));
  REX_TRY_VOID(read_own_fields(body, request));
  if (const auto options = body.find("options"); options != body.end()) {
    REX_TRY_VOID(
        read_options(*options, "/options", request.strict, request.options, request.warnings));
  }
  return request;
}

}  // namespace rex::tasks

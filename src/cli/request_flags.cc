#include "cli/request_flags.h"

#include "cli/context.h"

namespace rex::cli {

void RequestFlags::add_to(CLI::App& command) {
  CLI::App& c = command;
  c.add_option("--task", task,
               "ner, relation, event, absa, sentiment, coref, classification, multi_label, "
               "hierarchical, matching or reading");
  c.add_option("--schema", schema, "what to find: JSON in any accepted form, or one label");
  c.add_option("--schema-file", schema_file, "the same from a file");
  c.add_option("--labels", labels, "a flat schema: a,b,c")->delimiter(',');
  c.add_option("--behaviour", behaviour,
               "standard, or reference: the original's decoding step by step");
  c.add_option("--threshold", threshold, "probability that an answer must exceed");
  c.add_option("--options", options, "any options as a JSON object");
  c.add_option("--top-k", top_k, "class tasks: scores shown; 0: all");
  c.add_option("--max-span-num", max_span_num, "spans for each label, best first; 0: all");
  c.add_option("--max-length", max_length, "tokens of a window with its prompt, 16 to 512");
  c.add_option("--stride", stride, "overlap of windows in tokens");
  c.add_flag("--strict", strict, "soft problems (unknown fields, type names) are errors");
  const std::string own = "Fields of single tasks";
  c.add_option("--text1", text1, "matching: the first text")->group(own);
  c.add_option("--text2", text2, "matching: the second text")->group(own);
  c.add_option("--mode", mode, "matching: similar, nli or custom")->group(own);
  c.add_option("--prompt", prompt, "matching: words before each label")->group(own);
  c.add_flag("--symmetric", symmetric, "matching: also with the texts exchanged")->group(own);
  c.add_option("--question", questions, "reading: a question; may be repeated")->group(own);
  c.add_option("--choices", choices, "reading: answers to choose from: a,b,c")
      ->delimiter(',')
      ->group(own);
  c.add_option("--pronoun", pronouns, "coref: pronouns: a,b")->delimiter(',')->group(own);
  c.add_option("--candidates", candidates, "coref: what a pronoun may refer to: a,b,c")
      ->delimiter(',')
      ->group(own);
  c.add_option("--level", level, "sentiment: aspect or sentence")->group(own);
  c.add_flag("--implicit-aspect", implicit_aspect, "absa, sentiment: aspects may be absent")
      ->group(own);
  c.add_flag("--multi", multi, "hierarchical: several paths")->group(own);
  c.add_flag("--stop-early", stop_early, "hierarchical: a path may end at an inner node")
      ->group(own);
}

namespace {

void set(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}
void set(Json& object, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) object[key] = values;
}
void set(Json& object, const char* key, bool value) {
  if (value) object[key] = true;
}

}  // namespace

Result<Json> read_schema(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos)
    return fail(ErrorCode::kSchemaEmpty, "the schema is empty", "--schema");
  auto json = parse_json(text);
  if (json) return json;
  const bool meant_as_json = std::string_view("{[\"").find(text[start]) != std::string_view::npos;
  if (meant_as_json || json.error().code == ErrorCode::kEncodingInvalid) {
    return fail(std::move(json).error().in("--schema "));
  }
  return Json(text);
}

Result<Json> RequestFlags::to_body() const {
  Json body = Json::object();
  set(body, "task", task);
  if (!schema.empty() && !schema_file.empty()) {
    return fail(ErrorCode::kFieldConflict, "give either --schema or --schema-file",
                "--schema-file");
  }
  std::string written = schema;
  if (!schema_file.empty()) {
    REX_TRY(content, read_input(schema_file));
    written = std::move(content);
  }
  if (!schema.empty() || !schema_file.empty()) {
    REX_TRY(parsed, read_schema(written));
    body["schema"] = std::move(parsed);
  }
  set(body, "labels", labels);
  set(body, "text1", text1);
  set(body, "text2", text2);
  set(body, "mode", mode);
  set(body, "prompt", prompt);
  set(body, "level", level);
  set(body, "symmetric", symmetric);
  set(body, "multi", multi);
  set(body, "stop_early", stop_early);
  set(body, "strict", strict);
  set(body, "pronoun", pronouns);
  set(body, "candidates", candidates);
  set(body, "choices", choices);
  if (questions.size() == 1) set(body, "question", questions[0]);
  if (questions.size() > 1) set(body, "questions", questions);
  Json chosen = Json::object();
  if (!options.empty()) {
    auto parsed = parse_json(options);
    if (!parsed) return fail(std::move(parsed).error().in("--options "));
    chosen = *std::move(parsed);
    if (!chosen.is_object())
      return fail(ErrorCode::kOptionType, "expected a JSON object", "--options");
  }
  set(chosen, "behaviour", behaviour);
  set(chosen, "implicit_aspect", implicit_aspect);
  if (threshold >= 0) chosen["threshold"] = threshold;
  if (top_k >= 0) chosen["top_k"] = top_k;
  if (max_span_num >= 0) chosen["max_span_num"] = max_span_num;
  if (max_length >= 0) chosen["max_length"] = max_length;
  if (stride >= 0) chosen["stride"] = stride;
  if (!chosen.empty()) body["options"] = std::move(chosen);
  return body;
}

}  // namespace rex::cli

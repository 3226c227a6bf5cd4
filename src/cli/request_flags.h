// The flags that describe a request, and the request they make.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::cli {

struct RequestFlags {
  std::string task, schema, schema_file, options;
  std::string text1, text2, mode, prompt, level, behaviour;
  std::vector<std::string> labels, pronouns, candidates, questions, choices;
  bool symmetric = false, multi = false, stop_early = false, implicit_aspect = false,
       strict = false;
  double threshold = -1.0;
  int32_t top_k = -1, max_span_num = -1, max_length = -1, stride = -1;

  void add_to(CLI::App& command);

  // The request's JSON form without a text. Errors: FIELD_CONFLICT, JSON_INVALID (--options,
  // schema), FILE_NOT_FOUND (--schema-file).
  [[nodiscard]] Result<Json> to_body() const;

  // True when the text stands in flags of its own (--text1, …).
  [[nodiscard]] bool brings_text() const { return !text1.empty() || !text2.empty(); }
};

// A schema as it is typed: JSON, or a bare label.
Result<Json> read_schema(const std::string& text);

}  // namespace rex::cli

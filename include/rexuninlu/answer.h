// What a request gets: chains of labelled spans, and the task's own form as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rexuninlu {

// One link of a chain. Offsets count code points of the text as it was sent, end exclusive. A
// label of the whole text (class tasks) and an absent aspect have no place: start = end = -1.
struct Span {
  std::string label;
  std::string text;
  int32_t start = -1;
  int32_t end = -1;
  double confidence = 0.0;  // 4 decimals

  [[nodiscard]] bool has_place() const { return start >= 0; }
};

// A path of spans through the levels of the schema, outermost first.
using Chain = std::vector<Span>;

// Something worth knowing that did not stop the work.
struct Warning {
  std::string code;
  std::string message;
  std::string place;  // JSON pointer or empty
};

// What a request cost.
struct Usage {
  int32_t chars = 0;
  int32_t tokens = 0;
  int32_t labels = 0;
  int32_t prompts = 0;
  int32_t windows = 0;
  int32_t passes = 0;
  int32_t levels = 0;
};

struct Answer {
  std::string task;
  std::vector<Chain> chains;
  std::string result_json;  // the task's own form, one JSON object (docs/tasks.md)
  std::vector<Warning> warnings;
  Usage usage;
  std::string json;  // everything above as one JSON object

  [[nodiscard]] const std::string& to_json() const { return json; }
};

}  // namespace rexuninlu

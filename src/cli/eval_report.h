// What `rexuninlu eval` tells: totals, scores by label, the confusion table and the mistakes, for
// people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "eval/metrics.h"
#include "eval/report.h"

namespace rex::cli {

// A sample with a mistake.
struct Mistakes {
  int64_t line = 0;
  Json id;           // null when it has none
  std::string text;  // what the offsets count in
  std::vector<eval::Finding> missing, wrong;
};

// What was counted over the whole file.
struct Tally {
  std::vector<eval::Metric> metrics;
  std::vector<eval::Counts> counts;  // by metric
  int64_t samples = 0;
  eval::Report report;          // under the first metric
  std::vector<Mistakes> shown;  // the first few
};

// [[{"type", "span", "offset"}]], the native form (F2).
Json lists_json(const std::vector<eval::ItemList>& lists);

// {"id", "text", "missing", "wrong"}; the two are lists of {"path", "items"}.
Json mistakes_json(const Mistakes& mistakes);

// The text with its spans marked, [-missed](label) and [+wrong](label), in colour -missed⟨label⟩;
// below it a line for each chain. Spans that cross one marked before are only in the lines.
std::string mistakes_text(const Mistakes& mistakes, bool colour);

// {"samples", "f1", "metrics", "labels", "confusion"}, and with `show_mistakes` "errors".
Json report_json(const Tally& tally, bool show_mistakes);
// The same as tables, cut to what a terminal can hold.
std::string report_text(const Tally& tally, bool colour);

}  // namespace rex::cli

// Precision, recall and F1 by the original's definitions (F29–F32): each answer and each gold list
// is mapped by the metric, both sides are made sets, and counts are summed over the samples.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace rex::eval {

// One step of an answer or a gold list.
struct Item {
  std::string type;
  std::string span;
  int32_t start = 0;  // chars
  int32_t end = 0;
  auto operator<=>(const Item&) const = default;
};
using ItemList = std::vector<Item>;

// F30.
enum class Metric : uint8_t {
  kStrict,    // the list as it is
  kSpan,      // offsets removed
  kTriplet,   // lists of two; the second type cut at the first "(" and stripped; no offsets
  kTrigger,   // the first item only
  kArgument,  // lists of two: the first item's type, the second item whole; lists of one drop out
};

inline constexpr std::string_view kMetricNames = "strict, span, triplet, trigger, argument";

std::string_view name_of(Metric metric);
// Comma-separated names. Errors: OPTION_RANGE for any other name or an empty list.
Result<std::vector<Metric>> parse_metrics(std::string_view names);

// What a list counts as; equal values are one. Offsets that a metric removes are (-1, -1).
// No value: the list drops out. Errors: SCHEMA_TASK_MISMATCH for lists of three and more under
// kArgument (F30).
Result<std::optional<ItemList>> map_list(Metric metric, const ItemList& list);

struct Counts {
  int64_t predicted = 0;
  int64_t gold = 0;
  int64_t correct = 0;

  void add(const Counts& more);
};

// Counts of one sample (F29). Errors of map_list().
Result<Counts> count(Metric metric, std::span<const ItemList> predicted,
                     std::span<const ItemList> gold);

struct Scores {
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
};

// correct / (predicted + 1e-10), correct / (gold + 1e-10), 2 p r / (p + r + 1e-10) (F29).
Scores scores_of(const Counts& counts);

}  // namespace rex::eval

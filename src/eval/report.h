// What lies behind the totals: counts by label, which class was taken for which, and the chains of
// a sample that were missed or made up. Totals are in metrics.h; this adds nothing to them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "eval/metrics.h"

namespace rex::eval {

inline constexpr std::string_view kNoLabel = "(none)";
inline constexpr std::string_view kOtherLabels = "(other)";

// The types of a list joined: "组织机构 > 创始人". Empty for an empty list.
std::string path_of(const ItemList& list);

// A list that counts under a metric.
struct Finding {
  std::string path;  // of the mapped list
  ItemList list;     // as it was before the mapping, offsets included; of equal ones the first
  bool operator==(const Finding&) const = default;
};

// Both sides of one sample as sets (F29), in the order of the mapped lists.
struct Difference {
  std::vector<Finding> correct;  // the gold lists that were predicted
  std::vector<Finding> missing;  // gold, not predicted
  std::vector<Finding> wrong;    // predicted, not gold

  [[nodiscard]] bool has_mistake() const { return !missing.empty() || !wrong.empty(); }
};

// Sizes agree with count(): gold = correct + missing, predicted = correct + wrong.
// Errors of map_list().
Result<Difference> compare(Metric metric, std::span<const ItemList> predicted,
                           std::span<const ItemList> gold);

struct LabelRow {
  std::string label;
  Counts counts;
};

struct ConfusionCell {
  std::string gold;
  std::string predicted;
  int64_t count = 0;
};

// How much a report may keep, however long the file is.
struct ReportLimits {
  size_t labels = 20'000;
  size_t label_bytes = size_t{8} << 20;
  size_t cells = 200'000;  // of the confusion table
};

// Counts over a file. Labels that are first seen when the limits are reached are counted together
// as "(other)", and so are both sides of a pair that finds no cell; sums stay right. One thread.
class Report {
 public:
  explicit Report(ReportLimits limits = {}) : limits_(limits) {}

  void add_labels(const Difference& difference);

  // A class text (F3). Its lists count as their paths, whatever the metric. Each path on both
  // sides is a pair with itself. If exactly one gold and one predicted path are left, they are a
  // pair: the one was taken for the other. Otherwise, as on many multi-label texts, nobody can say
  // which was taken for which, so each that is left is paired with "(none)". A text without any
  // path on both sides is the pair "(none)", "(none)".
  void add_classes(std::span<const ItemList> predicted, std::span<const ItemList> gold);

  // By gold count, then predicted count, most first; then by label.
  [[nodiscard]] std::vector<LabelRow> labels() const;
  // Cells above 0, by count, most first; then by label. Empty without class texts.
  [[nodiscard]] std::vector<ConfusionCell> confusion() const;

 private:
  using Id = uint32_t;
  static constexpr Id kNone = 0, kOther = 1;

  Id id_of(const std::string& label);
  void add_cell(Id gold, Id predicted);

  ReportLimits limits_;
  size_t label_bytes_ = 0;
  std::map<std::string, Id> ids_;
  std::vector<std::string> names_ = {std::string(kNoLabel), std::string(kOtherLabels)};
  std::vector<Counts> counts_ = {{}, {}};  // by id
  std::map<std::pair<Id, Id>, int64_t> cells_;
};

// The confusion table cut for people: the `most` labels with the highest counts one by one, the
// others summed.
struct ConfusionTable {
  std::vector<std::string> labels;  // rows and columns; then "other" if `has_other`, then "(none)"
  bool has_other = false;
  std::vector<std::vector<int64_t>> counts;  // [gold][predicted], square
};
ConfusionTable table_of(std::span<const ConfusionCell> cells, size_t most);

}  // namespace rex::eval

#include "eval/metrics.h"

#include <algorithm>
#include <array>
#include <set>

namespace rex::eval {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"strict", "span", "triplet", "trigger",
                                                    "argument"};
constexpr double kTiny = 1e-10;  // F29

Item without_offset(Item item) {
  item.start = item.end = -1;
  return item;
}

std::string_view strip(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

using ItemSet = std::set<ItemList>;

Result<ItemSet> map_all(Metric metric, std::span<const ItemList> lists) {
  ItemSet set;
  for (const ItemList& list : lists) {
    REX_TRY(mapped, map_list(metric, list));
    if (mapped) set.insert(*std::move(mapped));
  }
  return set;
}

}  // namespace

std::string_view name_of(Metric metric) {
  return kNames[static_cast<size_t>(metric)];
}

Result<std::vector<Metric>> parse_metrics(std::string_view names) {
  std::vector<Metric> metrics;
  for (bool more = true; more;) {
    const size_t comma = names.find(',');
    const std::string_view name = strip(names.substr(0, comma));
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) {
      return fail(ErrorCode::kOptionRange,
                  "no metric is called \"" + std::string(name) + "\"; there are " +
                      std::string(kMetricNames),
                  "metrics");
    }
    metrics.push_back(static_cast<Metric>(found - kNames.begin()));
    more = comma != std::string_view::npos;
    if (more) names.remove_prefix(comma + 1);
  }
  return metrics;
}

Result<std::optional<ItemList>> map_list(Metric metric, const ItemList& list) {
  switch (metric) {
    case Metric::kStrict: return list;
    case Metric::kSpan: {
      ItemList bare;
      for (const Item& item : list) bare.push_back(without_offset(item));
      return bare;
    }
    case Metric::kTriplet: {
      if (list.size() != 2) return std::nullopt;
      ItemList triplet = {without_offset(list[0]), without_offset(list[1])};
      const std::string type = list[1].type.substr(0, list[1].type.find('('));
      triplet[1].type = strip(type);
      return triplet;
    }
    case Metric::kTrigger:
      if (list.empty()) return std::nullopt;
      return ItemList{list[0]};
    case Metric::kArgument:
      if (list.size() < 2) return std::nullopt;
      if (list.size() > 2) {
        return fail(ErrorCode::kSchemaTaskMismatch,
                    "metric argument takes lists of at most two items, found " +
                        std::to_string(list.size()));
      }
      return ItemList{{list[0].type, "", -1, -1}, list[1]};
  }
  return std::nullopt;
}

void Counts::add(const Counts& more) {
  predicted += more.predicted;
  gold += more.gold;
  correct += more.correct;
}

Result<Counts> count(Metric metric, std::span<const ItemList> predicted,
                     std::span<const ItemList> gold) {
  REX_TRY(answers, map_all(metric, predicted));
  REX_TRY(truth, map_all(metric, gold));
  const auto correct =
      std::count_if(answers.begin(), answers.end(),
                    [&truth](const ItemList& list) { return truth.contains(list); });
  return Counts{static_cast<int64_t>(answers.size()), static_cast<int64_t>(truth.size()), correct};
}

Scores scores_of(const Counts& counts) {
  const auto correct = static_cast<double>(counts.correct);
  Scores scores;
  scores.precision = correct / (static_cast<double>(counts.predicted) + kTiny);
  scores.recall = correct / (static_cast<double>(counts.gold) + kTiny);
  scores.f1 = 2 * scores.precision * scores.recall / (scores.precision + scores.recall + kTiny);
  return scores;
}

}  // namespace rex::eval

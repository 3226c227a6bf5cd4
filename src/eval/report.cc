#include "eval/report.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace rex::eval {
namespace {

using Mapped = std::map<ItemList, const ItemList*>;

Result<Mapped> sources_of(Metric metric, std::span<const ItemList> lists) {
  Mapped all;
  for (const ItemList& list : lists) {
    REX_TRY(mapped, map_list(metric, list));
    if (mapped) all.emplace(*std::move(mapped), &list);
  }
  return all;
}

std::set<std::string> paths_of(std::span<const ItemList> lists) {
  std::set<std::string> paths;
  for (const ItemList& list : lists) {
    if (!list.empty()) paths.insert(path_of(list));
  }
  return paths;
}

std::vector<std::string> only_in_first(const std::set<std::string>& first,
                                       const std::set<std::string>& second) {
  std::vector<std::string> rest;
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(),
                      std::back_inserter(rest));
  return rest;
}

}  // namespace

std::string path_of(const ItemList& list) {
  std::string path;
  for (size_t i = 0; i < list.size(); ++i) path.append(i == 0 ? "" : " > ").append(list[i].type);
  return path;
}

Result<Difference> compare(Metric metric, std::span<const ItemList> predicted,
                           std::span<const ItemList> gold) {
  REX_TRY(answers, sources_of(metric, predicted));
  REX_TRY(truth, sources_of(metric, gold));
  Difference difference;
  for (const auto& [mapped, list] : truth) {
    auto& side = answers.contains(mapped) ? difference.correct : difference.missing;
    side.push_back({path_of(mapped), *list});
  }
  for (const auto& [mapped, list] : answers) {
    if (!truth.contains(mapped)) difference.wrong.push_back({path_of(mapped), *list});
  }
  return difference;
}

void Report::add_labels(const Difference& difference) {
  for (const Finding& finding : difference.correct) counts_[id_of(finding.path)].add({1, 1, 1});
  for (const Finding& finding : difference.missing) counts_[id_of(finding.path)].add({0, 1, 0});
  for (const Finding& finding : difference.wrong) counts_[id_of(finding.path)].add({1, 0, 0});
}

void Report::add_classes(std::span<const ItemList> predicted, std::span<const ItemList> gold) {
  const std::set<std::string> answers = paths_of(predicted), truth = paths_of(gold);
  if (answers.empty() && truth.empty()) return add_cell(kNone, kNone);
  for (const std::string& path : truth) {
    if (answers.contains(path)) add_cell(id_of(path), id_of(path));
  }
  const auto missing = only_in_first(truth, answers), wrong = only_in_first(answers, truth);
  if (missing.size() == 1 && wrong.size() == 1) {
    return add_cell(id_of(missing.front()), id_of(wrong.front()));
  }
  for (const std::string& path : missing) add_cell(id_of(path), kNone);
  for (const std::string& path : wrong) add_cell(kNone, id_of(path));
}

std::vector<LabelRow> Report::labels() const {
  std::vector<LabelRow> rows;
  for (Id id = 0; id < names_.size(); ++id) {
    if (counts_[id].gold > 0 || counts_[id].predicted > 0)
      rows.push_back({names_[id], counts_[id]});
  }
  std::sort(rows.begin(), rows.end(), [](const LabelRow& a, const LabelRow& b) {
    return std::tie(b.counts.gold, b.counts.predicted, a.label) <
           std::tie(a.counts.gold, a.counts.predicted, b.label);
  });
  return rows;
}

std::vector<ConfusionCell> Report::confusion() const {
  std::vector<ConfusionCell> cells;
  cells.reserve(cells_.size());
  for (const auto& [pair, count] : cells_) {
    cells.push_back({names_[pair.first], names_[pair.second], count});
  }
  std::sort(cells.begin(), cells.end(), [](const ConfusionCell& a, const ConfusionCell& b) {
    return std::tie(b.count, a.gold, a.predicted) < std::tie(a.count, b.gold, b.predicted);
  });
  return cells;
}

Report::Id Report::id_of(const std::string& label) {
  if (const auto known = ids_.find(label); known != ids_.end()) return known->second;
  if (ids_.size() >= limits_.labels || label_bytes_ + label.size() > limits_.label_bytes)
    return kOther;
  const Id id = static_cast<Id>(names_.size());
  ids_.emplace(label, id);
  label_bytes_ += label.size();
  names_.push_back(label);
  counts_.emplace_back();
  return id;
}

void Report::add_cell(Id gold, Id predicted) {
  auto cell = cells_.find({gold, predicted});
  if (cell == cells_.end() && cells_.size() >= limits_.cells) {
    gold = predicted = kOther;
  }
  ++cells_[{gold, predicted}];
}

ConfusionTable table_of(std::span<const ConfusionCell> cells, size_t most) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;  // negative gold, negative predicted
  for (const ConfusionCell& cell : cells) {
    if (cell.gold != kNoLabel) sums[cell.gold].first -= cell.count;
    if (cell.predicted != kNoLabel) sums[cell.predicted].second -= cell.count;
  }
  std::vector<std::pair<std::pair<int64_t, int64_t>, std::string>> order;
  for (const auto& [label, sum] : sums) order.emplace_back(sum, label);
  std::sort(order.begin(), order.end());

  ConfusionTable table;
  table.has_other = order.size() > most;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i < most) table.labels.push_back(order[i].second);
    places[order[i].second] = std::min(i, most);
  }
  const size_t none = table.labels.size() + (table.has_other ? 1 : 0);
  places[std::string(kNoLabel)] = none;
  table.counts.assign(none + 1, std::vector<int64_t>(none + 1));
  for (const ConfusionCell& cell : cells)
    table.counts[places[cell.gold]][places[cell.predicted]] += cell.count;
  return table;
}

}  // namespace rex::eval

#include "cli/eval_report.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "cli/context.h"
#include "cli/terminal_text.h"
#include "text/utf8.h"

namespace rex::cli {
namespace {

constexpr size_t kShownLabels = 30, kShownClasses = 12;
constexpr int32_t kLabelWidth = 40;

struct Mark {
  int32_t start, end;
  bool missing;
  std::string label;
};

// The whole class text, not a span of it (F3).
bool is_marker(const eval::Item& item) {
  return item.start == 0 && (item.span == "[CLASSIFY]" || item.span == "[MULTICLASSIFY]");
}

// Outer ones first, equal ones once.
std::vector<Mark> marks_of(const Mistakes& mistakes) {
  std::vector<Mark> marks;
  const auto collect = [&marks](const std::vector<eval::Finding>& findings, bool missing) {
    for (const eval::Finding& finding : findings) {
      for (const eval::Item& item : finding.list) {
        if (!is_marker(item) && item.start < item.end)
          marks.push_back({item.start, item.end, missing, item.type});
      }
    }
  };
  collect(mistakes.missing, true);
  collect(mistakes.wrong, false);
  const auto key = [](const Mark& mark) {
    return std::make_tuple(mark.start, -mark.end, !mark.missing, std::string_view(mark.label));
  };
  std::sort(marks.begin(), marks.end(),
            [&key](const Mark& a, const Mark& b) { return key(a) < key(b); });
  marks.erase(std::unique(marks.begin(), marks.end(),
                          [&key](const Mark& a, const Mark& b) { return key(a) == key(b); }),
              marks.end());
  return marks;
}

// Writes a text from left to right with marks that lie in one another.
class MarkedText {
 public:
  MarkedText(const text::CharText& chars, bool colour) : chars_(chars), colour_(colour) {}

  std::string write(const std::vector<Mark>& marks) && {
    for (const Mark& mark : marks) {
      if (mark.end > chars_.size()) continue;
      while (!open_.empty() && open_.back()->end <= mark.start) close();
      if (!open_.empty() && open_.back()->end < mark.end) continue;
      copy_to(mark.start);
      open_.push_back(&mark);
      shown_ += colour_ ? style() : "[";
      shown_ += mark.missing ? '-' : '+';
    }
    while (!open_.empty()) close();
    copy_to(chars_.size());
    return std::move(shown_);
  }

 private:
  void copy_to(int32_t end) {
    shown_ += printable(chars_.slice(at_, end), !open_.empty());
    at_ = end;
  }

  [[nodiscard]] std::string style() const {
    return open_.back()->missing ? "\033[1;33m" : "\033[1;31m";
  }

  void close() {
    copy_to(open_.back()->end);
    const std::string label = printable(open_.back()->label, true);
    open_.pop_back();
    shown_ += colour_ ? "\033[0m\033[2m⟨" + label + "⟩\033[0m" : "](" + label + ")";
    if (colour_ && !open_.empty()) shown_ += style();
  }

  const text::CharText& chars_;
  bool colour_;
  std::string shown_;
  std::vector<const Mark*> open_;
  int32_t at_ = 0;
};

std::string finding_line(const eval::Finding& finding, bool missing) {
  std::string line = missing ? "  - missed  " : "  + wrong   ";
  for (size_t i = 0; i < finding.list.size(); ++i) {
    const eval::Item& item = finding.list[i];
    line += (i == 0 ? "" : "  →  ") + printable(item.type, true);
    if (is_marker(item)) continue;
    line += ": " + printable(item.span, true) + " [" + std::to_string(item.start) + "," +
            std::to_string(item.end) + ")";
  }
  return line + '\n';
}

Json findings_json(const std::vector<eval::Finding>& findings) {
  Json json = Json::array();
  for (const eval::Finding& finding : findings)
    json.push_back({{"path", finding.path}, {"items", lists_json({finding.list})[0]}});
  return json;
}

Json metrics_json(const Tally& tally) {
  Json metrics = Json::object();
  for (size_t m = 0; m < tally.metrics.size(); ++m) {
    const eval::Scores scores = eval::scores_of(tally.counts[m]);
    metrics[std::string(name_of(tally.metrics[m]))] = {{"precision", scores.precision},
                                                       {"recall", scores.recall},
                                                       {"f1", scores.f1},
                                                       {"predicted", tally.counts[m].predicted},
                                                       {"gold", tally.counts[m].gold},
                                                       {"correct", tally.counts[m].correct}};
  }
  return metrics;
}

// F31: mean over the metrics.
double mean_f1(const Tally& tally) {
  double sum = 0.0;
  for (const eval::Counts& counts : tally.counts) sum += eval::scores_of(counts).f1;
  return sum / static_cast<double>(tally.metrics.size());
}

Json labels_json(const eval::Report& report) {
  Json labels = Json::array();
  for (const auto& [label, counts] : report.labels()) {
    const eval::Scores scores = eval::scores_of(counts);
    labels.push_back({{"label", label},
                      {"gold", counts.gold},
                      {"predicted", counts.predicted},
                      {"correct", counts.correct},
                      {"precision", scores.precision},
                      {"recall", scores.recall},
                      {"f1", scores.f1}});
  }
  return labels;
}

Json confusion_json(const eval::Report& report) {
  Json cells = Json::array();
  for (const eval::ConfusionCell& cell : report.confusion())
    cells.push_back({{"gold", cell.gold}, {"predicted", cell.predicted}, {"count", cell.count}});
  return cells;
}

std::string scores_text(const eval::Counts& counts) {
  const eval::Scores scores = eval::scores_of(counts);
  char figures[64];
  std::snprintf(figures, sizeof figures, "%-11.4f%-9.4f%-9.4f", scores.precision, scores.recall,
                scores.f1);
  return figures + std::to_string(counts.correct) + " / " + std::to_string(counts.predicted) +
         " / " + std::to_string(counts.gold) + '\n';
}

// A label of one line and at most kLabelWidth columns.
std::string short_label(const std::string& label) {
  const std::string shown = printable(label, true);
  if (display_width(shown) <= kLabelWidth) return shown;
  const auto chars = text::CharText::make(shown);
  int32_t end = std::min(chars ? chars->size() : 0, kLabelWidth - 1);
  while (end > 0 && display_width(chars->slice(0, end)) >= kLabelWidth) --end;
  return (chars ? std::string(chars->slice(0, end)) : "") + "…";
}

std::string labels_text(const eval::Report& report) {
  std::vector<eval::LabelRow> rows = report.labels();
  const size_t all = rows.size();
  rows.resize(std::min(all, kShownLabels));
  int32_t width = 10;
  for (eval::LabelRow& row : rows) {
    row.label = short_label(row.label);
    width = std::max(width, display_width(row.label));
  }
  if (rows.empty()) return {};
  std::string table =
      "\n" + pad("label", width + 2) + "precision  recall   F1       correct / predicted / gold\n";
  for (const eval::LabelRow& row : rows)
    table += pad(row.label, width + 2) + scores_text(row.counts);
  if (all > rows.size()) table += "… " + std::to_string(all - rows.size()) + " more\n";
  return table;
}

// Columns have the numbers of the rows: labels are too long to stand side by side.
std::string confusion_text(const eval::Report& report) {
  const std::vector<eval::ConfusionCell> cells = report.confusion();
  if (cells.empty()) return {};
  const eval::ConfusionTable table = eval::table_of(cells, kShownClasses);
  std::vector<std::string> rows, columns;
  for (const std::string& label : table.labels) {
    columns.push_back(std::to_string(columns.size() + 1));
    rows.push_back(pad(columns.back(), 4) + short_label(label));
  }
  if (table.has_other) rows.push_back(columns.emplace_back("other"));
  rows.push_back(columns.emplace_back("(none)"));
  const std::string title = "gold \\ predicted";
  int32_t width = display_width(title), cell_width = 6;
  for (const std::string& row : rows) width = std::max(width, display_width(row));
  for (const auto& row : table.counts) {
    for (const int64_t count : row)
      cell_width = std::max(cell_width, static_cast<int32_t>(std::to_string(count).size()));
  }
  const auto cell = [cell_width](const std::string& figure) {
    return std::string(2 + static_cast<size_t>(cell_width) - figure.size(), ' ') + figure;
  };
  std::string shown = "\n" + pad(title, width);
  for (const std::string& column : columns) shown += cell(column);
  for (size_t gold = 0; gold < rows.size(); ++gold) {
    shown += "\n" + pad(rows[gold], width);
    for (const int64_t count : table.counts[gold])
      shown += cell(count == 0 ? "." : std::to_string(count));
  }
  return shown + "\n";
}

}  // namespace

Json lists_json(const std::vector<eval::ItemList>& lists) {
  Json json = Json::array();
  for (const eval::ItemList& list : lists) {
    Json items = Json::array();
    for (const eval::Item& item : list) {
      items.push_back(
          {{"type", item.type}, {"span", item.span}, {"offset", {item.start, item.end}}});
    }
    json.push_back(std::move(items));
  }
  return json;
}

Json mistakes_json(const Mistakes& mistakes) {
  return {{"id", mistakes.id},
          {"text", mistakes.text},
          {"missing", findings_json(mistakes.missing)},
          {"wrong", findings_json(mistakes.wrong)}};
}

std::string mistakes_text(const Mistakes& mistakes, bool colour) {
  std::string shown = "line " + std::to_string(mistakes.line);
  if (!mistakes.id.is_null()) {
    const std::string id =
        mistakes.id.is_string() ? mistakes.id.get<std::string>() : dump(mistakes.id);
    shown += ", " + printable(id, true);
  }
  const auto chars = text::CharText::make(mistakes.text);
  shown += '\n';
  if (chars) shown += MarkedText(*chars, colour).write(marks_of(mistakes)) + '\n';
  for (const eval::Finding& finding : mistakes.missing) shown += finding_line(finding, true);
  for (const eval::Finding& finding : mistakes.wrong) shown += finding_line(finding, false);
  return shown;
}

Json report_json(const Tally& tally, bool show_mistakes) {
  Json report = {{"samples", tally.samples},
                 {"f1", mean_f1(tally)},
                 {"metrics", metrics_json(tally)},
                 {"labels", labels_json(tally.report)},
                 {"confusion", confusion_json(tally.report)}};
  if (!show_mistakes) return report;
  Json& errors = report["errors"] = Json::array();
  for (const Mistakes& mistakes : tally.shown) {
    Json error = {{"line", mistakes.line}};
    error.update(mistakes_json(mistakes));
    errors.push_back(std::move(error));
  }
  return report;
}

std::string report_text(const Tally& tally, bool colour) {
  std::string shown =
      std::to_string(tally.samples) +
      " samples\nmetric      precision  recall   F1       correct / predicted / gold\n";
  for (size_t m = 0; m < tally.metrics.size(); ++m)
    shown += pad(name_of(tally.metrics[m]), 12) + scores_text(tally.counts[m]);
  shown += labels_text(tally.report) + confusion_text(tally.report);
  for (const Mistakes& mistakes : tally.shown) shown += "\n" + mistakes_text(mistakes, colour);
  return shown;
}

}  // namespace rex::cli

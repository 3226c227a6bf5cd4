#include "cli/render.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/context.h"
#include "cli/terminal_text.h"
#include "text/utf8.h"

namespace rex::cli {
namespace {

using pipeline::Chain;
using pipeline::Step;

struct Mark {
  int32_t start, end;
  std::string label;
};

// Whether `label` is one of those in "a|b|c".
bool has_part(const std::string& labels, const std::string& label) {
  return ("|" + labels + "|").find("|" + label + "|") != std::string::npos;
}

// Spans that can be shown in the text: longer ones first, later ones that overlap left out; equal
// ranges share their labels.
std::vector<Mark> visible_marks(const tasks::TaskAnswer& answer) {
  std::vector<Mark> marks;
  for (const Chain& chain : answer.chains) {
    for (const Step& step : chain) {
      if (step.start >= 0) marks.push_back({step.start, step.end, step.label});
    }
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<Mark> shown;
  for (Mark& mark : marks) {
    const bool same =
        !shown.empty() && shown.back().start == mark.start && shown.back().end == mark.end;
    if (same) {
      std::string& labels = shown.back().label;
      if (!has_part(labels, mark.label)) labels.append("|").append(mark.label);
    } else if (shown.empty() || shown.back().end <= mark.start) {
      shown.push_back(std::move(mark));
    }
  }
  return shown;
}

std::string colour_of(const std::string& label) {
  constexpr std::array<const char*, 6> kColours = {"\033[32m", "\033[36m", "\033[33m",
                                                   "\033[35m", "\033[34m", "\033[31m"};
  size_t sum = 0;
  for (const char c : label) sum = sum * 31 + static_cast<unsigned char>(c);
  return kColours[sum % kColours.size()];
}

std::string coloured(const std::string& span, const std::string& label) {
  return "\033[1m" + colour_of(label) + span + "\033[0m\033[2m⟨" + label + "⟩\033[0m";
}

std::string bracketed(const std::string& span, const std::string& label) {
  return "[" + span + "](" + label + ")";
}

std::string marked_text(std::string_view text, const std::vector<Mark>& marks, bool colour) {
  const auto chars = text::CharText::make(std::string(text));
  if (!chars) return {};
  std::string shown;
  int32_t at = 0;
  for (const Mark& mark : marks) {
    if (mark.end > chars->size()) continue;
    shown += printable(chars->slice(at, mark.start), false);
    const std::string span = printable(chars->slice(mark.start, mark.end), true);
    const std::string label = printable(mark.label, true);
    shown += colour ? coloured(span, label) : bracketed(span, label);
    at = mark.end;
  }
  return shown + printable(chars->slice(at, chars->size()), false);
}

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f", value);
  return buffer;
}

std::string step_line(const Step& step) {
  std::string line = printable(step.label, true);
  if (step.start >= 0) {
    line += ": " + printable(step.span, true) + " [" + std::to_string(step.start) + "," +
            std::to_string(step.end) + ")";
  }
  return line + " " + number(step.confidence);
}

std::string score_lines(const Json& result) {
  constexpr size_t kShown = 10;
  std::string lines;
  if (!result.contains("scores")) return lines;
  size_t count = 0;
  for (const Json& score : result["scores"]) {
    if (++count > kShown) break;
    std::string label;
    if (score.contains("path")) {
      for (const Json& part : score["path"])
        label += (label.empty() ? "" : " > ") + part.get<std::string>();
    } else {
      label = score["label"].get<std::string>();
    }
    const double confidence = score["confidence"].get<double>();
    std::string bar;
    for (int i = 0; i < 20; ++i) bar += i < confidence * 20 ? "█" : "░";
    lines += "  " + bar + " " + number(confidence) + "  " + printable(label, true) + "\n";
  }
  if (result["scores"].size() > kShown)
    lines += "  … " + std::to_string(result["scores"].size() - kShown) + " more\n";
  return lines;
}

}  // namespace

std::string render_text(const tasks::TaskAnswer& answer, std::string_view text, bool colour) {
  const std::vector<Mark> marks = visible_marks(answer);
  std::string shown;
  if (!marks.empty()) shown += marked_text(text, marks, colour) + "\n\n";
  for (const Chain& chain : answer.chains) {
    std::string line;
    for (const Step& step : chain) line += (line.empty() ? "" : "  →  ") + step_line(step);
    shown += "  " + line + "\n";
  }
  if (answer.chains.empty()) shown += "  –\n";
  shown += score_lines(answer.result);
  if (answer.result.contains("resolved_text")) {
    shown += "\n" + printable(answer.result["resolved_text"].get<std::string>(), false) + "\n";
  }
  return shown;
}

std::string render_table(const tasks::TaskAnswer& answer) {
  std::vector<std::array<std::string, 6>> rows = {
      {"chain", "label", "text", "start", "end", "confidence"}};
  for (size_t i = 0; i < answer.chains.size(); ++i) {
    for (const Step& step : answer.chains[i]) {
      const bool placed = step.start >= 0;
      rows.push_back({std::to_string(i + 1), printable(step.label, true),
                      placed ? printable(step.span, true) : "-",
                      placed ? std::to_string(step.start) : "-",
                      placed ? std::to_string(step.end) : "-", number(step.confidence)});
    }
  }
  std::array<int32_t, 6> widths{};
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string table;
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c)
      table += c + 1 < row.size() ? pad(row[c], widths[c] + 2) : row[c];
    table += '\n';
  }
  return table;
}

std::string render(const tasks::TaskAnswer& answer, std::string_view text, const Json& id,
                   Format format, bool colour) {
  if (format == Format::kText) return render_text(answer, text, colour);
  if (format == Format::kTable) return render_table(answer);
  Json json = Json::object();
  if (!id.is_null()) json["id"] = id;
  json.update(tasks::to_json(answer));
  return dump(json, format == Format::kJson ? 2 : -1) + "\n";
}

}  // namespace rex::cli

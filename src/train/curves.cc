#include "train/curves.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "core/mapped_file.h"

namespace rex::train {
namespace {

constexpr const char* kHeader = "step,loss,learning_rate,tokens_per_s,dev_f1";
constexpr double kLeft = 60, kTop = 30, kWidth = 620, kHeight = 260;

std::string number(double value, const char* format = "%.6g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// One curve scaled to [low, high], as an SVG polyline.
std::string line(const std::vector<std::pair<double, double>>& points, double last, double low,
                 double high, const char* colour) {
  std::string path;
  for (const auto& [x, y] : points) {
    const double px = kLeft + kWidth * x / std::max(last, 1.0);
    const double py = kTop + kHeight * (1.0 - (y - low) / std::max(high - low, 1e-9));
    path += number(px, "%.1f") + "," + number(py, "%.1f") + " ";
  }
  return "<polyline fill='none' stroke='" + std::string(colour) + "' stroke-width='1.5' points='" +
         path + "'/>\n";
}

std::string label(double x, double y, const std::string& text, const char* more = "") {
  return "<text x='" + number(x) + "' y='" + number(y) + "' " + more + ">" + text + "</text>\n";
}

}  // namespace

Result<std::vector<CurvePoint>> read_curve(const std::filesystem::path& dir) {
  std::ifstream file(dir / "curve.csv");
  std::vector<CurvePoint> points;
  std::string text;
  std::getline(file, text);
  while (std::getline(file, text)) {
    CurvePoint p;
    long long step = 0;
    if (std::sscanf(text.c_str(), "%lld,%lf,%lf,%lf,%lf", &step, &p.loss, &p.learning_rate,
                    &p.tokens_per_s, &p.f1) < 4) {
      return fail(ErrorCode::kSampleInvalid, "not a line of a training curve: " + text,
                  (dir / "curve.csv").string());
    }
    p.step = step;
    points.push_back(p);
  }
  return points;
}

Result<void> write_curve(const std::filesystem::path& dir, const std::vector<CurvePoint>& points) {
  std::string text = std::string(kHeader) + "\n";
  for (const CurvePoint& p : points) {
    text += std::to_string(p.step) + "," + number(p.loss, "%.9g") + "," +
            number(p.learning_rate, "%.9g") + "," + number(p.tokens_per_s) + "," +
            number(p.f1, "%.9g") + "\n";
  }
  return write_text_file(dir / "curve.csv", text);
}

Result<void> draw_curve(const std::filesystem::path& dir, const std::vector<CurvePoint>& points) {
  std::vector<std::pair<double, double>> losses, scores;
  double lowest = 1e300, highest = -1e300, last = 1.0;
  for (const CurvePoint& p : points) {
    const auto step = static_cast<double>(p.step);
    last = std::max(last, step);
    if (std::isfinite(p.loss)) {
      losses.emplace_back(step, p.loss);
      lowest = std::min(lowest, p.loss), highest = std::max(highest, p.loss);
    }
    if (p.f1 >= 0) scores.emplace_back(step, p.f1);
  }
  std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 740 340' font-family='sans-serif' "
      "font-size='12'>\n<rect width='740' height='340' fill='white'/>\n<rect x='" +
      number(kLeft) + "' y='" + number(kTop) + "' width='" + number(kWidth) + "' height='" +
      number(kHeight) + "' fill='none' stroke='#999'/>\n";
  if (!losses.empty()) {
    svg += line(losses, last, lowest, highest, "#2563eb");
    svg += label(4, kTop + 10, number(highest, "%.4g"), "fill='#2563eb'");
    svg += label(4, kTop + kHeight, number(lowest, "%.4g"), "fill='#2563eb'");
    svg += label(kLeft, 20, "loss", "fill='#2563eb'");
  }
  if (!scores.empty()) {
    svg += line(scores, last, 0.0, 1.0, "#dc2626");
    svg += label(kLeft + kWidth + 6, kTop + 10, "1", "fill='#dc2626'");
    svg += label(kLeft + kWidth + 6, kTop + kHeight, "0", "fill='#dc2626'");
    svg += label(kLeft + 60, 20, "dev F1", "fill='#dc2626'");
  }
  svg += label(kLeft, kTop + kHeight + 20, "step 0");
  svg += label(kLeft + kWidth, kTop + kHeight + 20, number(last), "text-anchor='end'");
  return write_text_file(dir / "curve.svg", svg + "</svg>\n");
}

}  // namespace rex::train

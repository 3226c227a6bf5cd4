// The course of a training run: a CSV file that grows with it and a picture (SVG) of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace rex::train {

struct CurvePoint {
  int64_t step = 0;
  double loss = 0.0;  // mean since the point before
  double learning_rate = 0.0;
  double tokens_per_s = 0.0;
  double f1 = -1.0;  // on the development set; below 0: not measured here
};

// Both read and write `dir`/curve.csv. Errors: FILE_UNWRITABLE; SAMPLE_INVALID for a foreign file.
Result<std::vector<CurvePoint>> read_curve(const std::filesystem::path& dir);
Result<void> write_curve(const std::filesystem::path& dir, const std::vector<CurvePoint>& points);
// `dir`/curve.svg: loss and F1 over the steps.
Result<void> draw_curve(const std::filesystem::path& dir, const std::vector<CurvePoint>& points);

}  // namespace rex::train

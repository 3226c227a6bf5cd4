// The model in double precision, one pass at a time, as plain loops that follow the specification
// line by line (M1–M25). Slow on purpose: nothing is shared, fused or skipped. Tests trust it.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"

namespace rex::engine {

using Matrix = std::vector<std::vector<double>>;

// Everything that a pass computes on its way.
struct ReferenceTrace {
  std::vector<Matrix> hidden;  // [0] embedding output, [l] output of layer l; each [n][C]
  Matrix query, key;           // head projections after the rotation, [n][C]
  Matrix logits;               // Z, [n][n]
};

class ReferenceModel {
 public:
  explicit ReferenceModel(const model::Weights& weights);
  ~ReferenceModel();
  ReferenceModel(const ReferenceModel&) = delete;
  ReferenceModel& operator=(const ReferenceModel&) = delete;

  // One pass. `words` are TokenWord; both spans have the same length n.
  [[nodiscard]] ReferenceTrace forward(std::span<const int32_t> ids,
                                       std::span<const uint32_t> words) const;

 private:
  struct Parameters;
  std::unique_ptr<const Parameters> parameters_;
};

std::unique_ptr<Engine> make_reference_engine(std::shared_ptr<const model::Weights> weights,
                                              BatchLimits limits);

}  // namespace rex::engine

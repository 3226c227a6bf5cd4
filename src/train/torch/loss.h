// The circle loss over the score matrix (F21).
#pragma once

#include "train/torch/net.h"

namespace rex::train {

// Mean over the rows of log(1 + Σ exp Z over negative cells) + log(1 + Σ exp −Z over positive
// ones). all_cells: cells of padding count as negative ones (F20); otherwise hint and text alone.
torch::Tensor circle_loss(const torch::Tensor& scores, const BatchTensors& batch, bool all_cells);

}  // namespace rex::train

// What a training step costs: the plan's prediction of its memory beside the allocator's peak, the
// time, and the loss, without recomputation and with it.
#pragma once

#include "train/options.h"

namespace rex::train {

// A table of shapes (16, 128) and (16, 512) for the model's size with random weights (dropout on),
// and the throughput for shapes of many tokens. Memory is measured on a GPU alone.
Result<int> measure(const Options& options);

}  // namespace rex::train

// The net behind the engines' contract, so that the project's own pipeline decodes what is being
// trained: the scores of the trainer and of the program differ by rounding alone.
#pragma once

#include "engine/engine.h"
#include "train/torch/net.h"

namespace rex::train {

// Borrows the net; computes with its master values. Requires Padding::kAsEngine.
std::unique_ptr<engine::Engine> make_torch_engine(Net& net, engine::BatchLimits limits);

}  // namespace rex::train

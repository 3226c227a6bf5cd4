// AdamW over the flat parameters of a Net (F23), with the gradient's norm cut (F21–F26).
#pragma once

#include "train/torch/net.h"

namespace rex::train {

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.01;
  double clip = 1.0;  // greatest norm of the whole gradient; 0: any
};

class AdamW {
 public:
  AdamW(Net& net, const AdamWOptions& options);

  // Adds the net's gradient, divided by `parts`, to the step's gradient and clears it.
  void gather(int64_t parts);
  // One step on what was gathered; returns the gradient's norm before it was cut, on the device.
  // A gradient that is not finite changes nothing.
  torch::Tensor step(double learning_rate);

  // For a state file.
  torch::Tensor mean, square;  // [P], master type
  int64_t steps = 0;

 private:
  Net& net_;
  AdamWOptions options_;
  torch::Tensor sum_;
};

}  // namespace rex::train

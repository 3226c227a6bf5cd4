#include "train/torch/adamw.h"

#include <cmath>

namespace rex::train {

AdamW::AdamW(Net& net, const AdamWOptions& options)
    : mean(torch::zeros_like(net.master)),
      square(torch::zeros_like(net.master)),
      net_(net),
      options_(options),
      sum_(torch::zeros_like(net.master)) {}

void AdamW::gather(int64_t parts) {
  torch::NoGradGuard guard;
  sum_.add_(net_.grad, 1.0 / static_cast<double>(parts));
  net_.grad.zero_();
}

torch::Tensor AdamW::step(double learning_rate) {
  torch::NoGradGuard guard;
  ++steps;
  const torch::Tensor norm = sum_.norm();
  // Nothing waits for the device here: a gradient that is not finite is multiplied away.
  const torch::Tensor good = norm.isfinite();
  torch::Tensor factor = torch::ones_like(norm);
  if (options_.clip > 0) factor = (options_.clip / (norm + 1e-6)).clamp_max(1.0);
  sum_.mul_(torch::where(good, factor, torch::zeros_like(factor)));
  sum_.nan_to_num_(0.0, 0.0, 0.0);
  const auto t = static_cast<double>(steps);
  net_.master.narrow(0, 0, net_.decayed).mul_(1.0 - learning_rate * options_.weight_decay);
  mean.mul_(options_.beta1).add_(sum_, 1.0 - options_.beta1);
  square.mul_(options_.beta2).addcmul_(sum_, sum_, 1.0 - options_.beta2);
  const double scale1 = 1.0 - std::pow(options_.beta1, t);
  const double scale2 = std::sqrt(1.0 - std::pow(options_.beta2, t));
  const torch::Tensor root = square.sqrt().div_(scale2).add_(options_.epsilon);
  net_.master.addcdiv_(mean, root, -learning_rate / scale1);
  sum_.zero_();
  net_.refresh();
  return norm;
}

}  // namespace rex::train

#include "train/torch/loss.h"

namespace rex::train {

torch::Tensor circle_loss(const torch::Tensor& scores, const BatchTensors& batch, bool all_cells) {
  constexpr double kNever = -1e12;
  const int64_t b = scores.size(0);
  torch::Tensor not_negative = batch.positive;
  if (!all_cells) {
    const torch::Tensor cells = batch.real.unsqueeze(2).logical_and(batch.real.unsqueeze(1));
    not_negative = not_negative.logical_or(cells.logical_not());
  }
  const auto log_one_plus = [&](const torch::Tensor& exponents) {
    const torch::Tensor flat = exponents.reshape({b, -1});
    return torch::logsumexp(torch::cat({flat, torch::zeros({b, 1}, flat.options())}, 1), 1);
  };
  return (log_one_plus(scores.masked_fill(not_negative, kNever)) +
          log_one_plus((-scores).masked_fill(batch.positive.logical_not(), kNever)))
      .mean();
}

}  // namespace rex::train

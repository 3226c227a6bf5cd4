#include "train/torch/torch_engine.h"

#include <algorithm>
#include <numeric>

#include "engine/collect_links.h"

namespace rex::train {
namespace {

class TorchEngine : public engine::Engine {
 public:
  TorchEngine(Net& net, engine::BatchLimits limits) : net_(net) {
    info_.device = net.options().device.str();
    info_.precision = "f32";
    info_.detail = "LibTorch";
    info_.limits = limits;
  }
  [[nodiscard]] const engine::EngineInfo& info() const override { return info_; }
  [[nodiscard]] const engine::MemoryPlan& plan() const override { return plan_; }

  Result<void> run(const engine::PackedBatch& batch, engine::LinkLists& out) override {
    REX_TRY_VOID(engine::check_batch(batch, info_.limits));
    torch::NoGradGuard guard;
    net_.use_master(true);
    std::vector<Row> rows(batch.passes.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const engine::PassInfo& pass = batch.passes[i];
      const auto begin = static_cast<size_t>(pass.token_begin);
      const auto count = static_cast<size_t>(pass.token_count);
      const auto ids = batch.token_ids.subspan(begin, count);
      const auto words = batch.token_words.subspan(begin, count);
      rows[i].ids.assign(ids.begin(), ids.end());
      rows[i].words.assign(words.begin(), words.end());
    }
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rows[a].ids.size() < rows[b].ids.size(); });
    std::vector<torch::Tensor> scores(rows.size());  // of each pass, [N, N] on the host
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin;
      std::vector<const Row*> picked;
      // Rows of one padded length.
      const auto padded = [&](size_t i) { return (rows[order[i]].ids.size() + 31) / 32; };
      while (end < order.size() && padded(end) == padded(begin))
        picked.push_back(&rows[order[end++]]);
      const BatchTensors tensors = net_.put(picked);
      const torch::Tensor z = net_.scores(net_.encode(tensors, false), tensors).to(torch::kCPU);
      for (size_t i = begin; i < end; ++i)
        scores[order[i]] = z[static_cast<int64_t>(i - begin)].contiguous();
      begin = end;
    }
    net_.use_master(false);
    out.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      const float* z = scores[i].data_ptr<float>();
      const int64_t width = scores[i].size(1);
      engine::collect_links(
          batch, batch.passes[i], [z, width](int32_t r, int32_t c) { return z[r * width + c]; },
          out);
    }
    return {};
  }

 private:
  Net& net_;
  engine::EngineInfo info_;
  engine::MemoryPlan plan_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_torch_engine(Net& net, engine::BatchLimits limits) {
  return std::make_unique<TorchEngine>(net, limits);
}

}  // namespace rex::train

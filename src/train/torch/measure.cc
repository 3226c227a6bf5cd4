#include "train/torch/measure.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "engine/batch.h"
#include "model/config.h"
#include "train/torch/adamw.h"
#include "train/torch/loss.h"
#include "train/torch/trainer.h"

namespace rex::train {
namespace {

// A prompt of four labels and a text: positions restart as in real rows.
Row synthetic(int64_t length, Rng& rng) {
  Row row;
  row.ids = {1, 12800};
  row.words = {engine::TokenWord::pack(0, 0, 0), engine::TokenWord::pack(1, 1, 0)};
  uint32_t longest = 1;
  for (uint32_t type = 1; type <= 4; ++type) {
    for (uint32_t k = 0; k < 5; ++k) {
      row.ids.push_back(k == 0 ? 12801 : static_cast<int32_t>(300 + rng.below(7000)));
      row.words.push_back(engine::TokenWord::pack(2 + k, 1, type));
      longest = 2 + k;
    }
  }
  row.text_begin = static_cast<int32_t>(row.ids.size()) + 1;
  while (static_cast<int64_t>(row.ids.size()) < length) {
    row.ids.push_back(static_cast<int32_t>(300 + rng.below(7000)));
    row.words.push_back(engine::TokenWord::pack(++longest, 0, 0));
  }
  row.ids[static_cast<size_t>(row.text_begin) - 1] = row.ids.back() = 2;
  const int32_t h = row.text_begin + 3;
  row.positives = {{h, h + 2}, {h, 2}, {2, h + 2}};
  return row;
}

struct Cost {
  double loss = 0.0, milliseconds = 0.0;
  int64_t predicted = 0, peak = 0;
};

void synchronise(const torch::Device& device) {
  if (device.is_cuda()) torch::cuda::synchronize();
}

Cost cost_of(Net& net, AdamW& optimizer, const std::vector<const Row*>& rows, int64_t recomputed,
             int repeats, bool dropout) {
  const torch::Device device = net.options().device;
  Cost cost;
  const auto step = [&] {
    torch::manual_seed(7);
    const BatchTensors batch = net.put(rows);
    const uint64_t mask = (uint64_t{1} << recomputed) - 1;
    const torch::Tensor loss =
        circle_loss(net.scores(net.encode(batch, true, mask), batch), batch, false);
    loss.backward();
    optimizer.gather(1);
    optimizer.step(0.0);
    const bool narrow = net.options().compute == torch::kBFloat16;
    cost.predicted =
        step_memory(net.config(), {narrow ? 2 : 4, narrow && batch.ids.is_cuda(), dropout},
                    {batch.ids.size(0), batch.ids.size(1), batch.slot_end - batch.slot_begin})
            .peak(net.config().layers, recomputed);
    return loss;
  };
  cost.loss = step().item<double>();
  synchronise(device);
  peak_memory(device, true);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) step();
  synchronise(device);
  cost.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
      repeats;
  cost.peak = peak_memory(device, false);
  return cost;
}

}  // namespace

Result<int> measure(const Options& options) {
  model::ModelConfig config = model::base_config();
  if (!options.model.empty()) {
    REX_TRY(read, model::load_config(options.model));
    config = read;
  }
  const bool gpu = options.device != "cpu" && torch::cuda::is_available();
  const torch::Device device(gpu ? "cuda:0" : "cpu");
  const bool narrow = options.precision == "bf16" || (options.precision == "auto" && gpu);
  at::globalContext().setAllowTF32CuBLAS(true);
#if REX_TORCH_AT_LEAST(2, 2)
  at::globalContext().setSDPUseCuDNN(false);
#endif
  REX_TRY(net, Net::make(config, {.device = device,
                                  .master = torch::kFloat,
                                  .compute = narrow ? torch::kBFloat16 : torch::kFloat,
                                  .dropout = options.dropout}));
  net->randomise(7);
  AdamW optimizer(*net, {});
  std::printf("%d layers, hidden %d, %s, %s\n", config.layers, config.hidden,
              narrow ? "bf16" : "f32", gpu ? "GPU" : "CPU");
  std::printf("%-12s %10s %14s %14s %8s %10s %12s %12s\n", "shape", "recomputed", "predicted MB",
              "measured MB", "error", "ms/step", "tokens/s", "loss");
  std::vector<std::pair<int64_t, int64_t>> shapes = {{16, 128}, {16, 512}};
  if (gpu) shapes.insert(shapes.end(), {{128, 128}, {512, 128}});
  if (options.batch_tokens > 0) shapes = {{std::max<int64_t>(1, options.batch_tokens / 64), 64}};
  for (const auto& [count, length] : shapes) {
    Rng rng(5);
    std::vector<Row> rows;
    for (int64_t i = 0; i < count; ++i) rows.push_back(synthetic(length, rng));
    std::vector<const Row*> picked;
    for (const Row& row : rows) picked.push_back(&row);
    for (const int64_t recomputed :
         {int64_t{0}, int64_t{config.layers / 2}, int64_t{config.layers}}) {
      const Cost cost =
          cost_of(*net, optimizer, picked, recomputed, gpu ? 20 : 1, options.dropout > 0);
      const double predicted = static_cast<double>(cost.predicted) / 1e6;
      const double peak = static_cast<double>(cost.peak) / 1e6;
      char shape[32], error[16] = "-";
      std::snprintf(shape, sizeof shape, "%lldx%lld", static_cast<long long>(count),
                    static_cast<long long>(length));
      if (peak > 0) std::snprintf(error, sizeof error, "%+.1f %%", 100 * (predicted / peak - 1));
      std::printf("%-12s %10lld %14.1f %14.1f %8s %10.2f %12.0f %12.6f\n", shape,
                  static_cast<long long>(recomputed), predicted, peak, error, cost.milliseconds,
                  static_cast<double>(count * length) * 1000 / cost.milliseconds, cost.loss);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace rex::train

// One training run: rows from a source, a loss, steps on a schedule, evaluation through the
// project's pipeline, the best model kept, and a state on disk from which it goes on after a stop.
#pragma once

#include "text/tokenizer.h"
#include "train/curves.h"
#include "train/options.h"
#include "train/sources.h"
#include "train/torch/adamw.h"
#include "train/torch/net.h"

namespace rex::train {

enum class Goal : uint8_t { kLabels, kLanguage };  // circle loss, masked language modelling

struct DevFile {
  std::string path;
  std::vector<Json> lines;
};

struct DevScore {
  std::string name;
  double f1 = 0.0;
  int64_t samples = 0;
};

// Strict micro F1 of each file by the project's decoding, with the net's master values.
// Errors: those of eval::read_sample() with file and line.
Result<std::vector<DevScore>> score(Net& net, std::shared_ptr<const text::Tokenizer> tokenizer,
                                    const std::vector<DevFile>& files, int64_t limit,
                                    const std::string& metric);
Result<DevFile> read_dev(const std::string& path);

struct RunResult {
  int64_t steps = 0;
  double best_f1 = -1.0;
  bool finished = false;  // false: stopped by --minutes or a signal; the state is on disk
};

// Runs until the schedule's end, an early stop, the time limit or `stop`. Writes into options.out:
// state.safetensors, state.json, curve.csv, curve.svg, best/ and, when finished, model/ (F25).
Result<RunResult> run(const Options& options, Goal goal, Net& net, RowSource& source,
                      std::shared_ptr<const text::Tokenizer> tokenizer,
                      const std::vector<DevFile>& dev, const std::atomic<bool>& stop);

// Learning rate at `progress` (0…1) of a run (F23).
double rate_at(const Options& options, double progress);

// Bytes that the device has free now, and the most that was ever in use; 0 on the CPU.
int64_t free_memory(const torch::Device& device);
int64_t peak_memory(const torch::Device& device, bool reset);

}  // namespace rex::train

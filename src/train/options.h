// What a training run is told, as options by name: --learning-rate 3e-5. The same names, with
// underscores, stand in the section `training` of config.yaml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "train/recompute.h"

namespace rex::train {

struct Options {
  std::string model;                         // folder to start from
  std::string data;                          // folder with train.json(l) and dev.json(l), or files
  std::string dev;                           // files; empty: dev.json(l) in `data`
  std::string out;                           // folder for everything that is made
  std::string names;                         // file of label names of equal meaning (mix)
  std::string exclude;                       // data sets kept out (mix), comma-separated
  std::string factors;                       // set=factor,… (mix)
  std::string device = "auto";               // cpu, cuda, cuda:N
  std::string precision = "auto";            // f32, bf16; auto: bf16 on a GPU
  std::string loss_cells = "hint_and_text";  // or all (F20)
  std::string dynamic_checkpoint = "memory";
  std::string task;                 // whose list dynamic_checkpoint: task takes
  std::string metrics = "strict";   // of dev; the first decides
  std::string save_as = "f32";      // weights of the result: f32, f16, bf16
  std::string schedule = "linear";  // or constant; after warm-up
  std::string bad_lines = "stop";   // or skip: train on the others
  double learning_rate = 3e-5;      // F23…F26
  double epochs = 10;
  double warmup_ratio = 0.1;
  double weight_decay = 0.01;
  double max_grad_norm = 1.0;
  double dropout = 0.1;
  double early_stop = 0;         // evaluations without a better F1; 0: never
  double minutes = 0;            // stop after so many and keep the state; 0: until the end
  double for_minutes = 0;        // the schedule ends after so many minutes of all runs
                                 // together instead of after the steps
  int64_t batch_size = 16;       // rows of a step's part
  int64_t batch_tokens = 0;      // padded tokens of a part at most; 0: any
  int64_t accumulation = 1;      // parts of a step
  int64_t steps = 0;             // 0: epochs
  int64_t eval_steps = 0;        // 0: each epoch
  int64_t dev_limit = 0;         // dev samples of an evaluation during training; 0: all
  int64_t save_steps = 0;        // 0: with each evaluation, and at the end
  int64_t memory_budget_mb = 0;  // 0: nine tenths of what the device has free
  int64_t max_length = 512;
  int64_t stride = 32;
  int64_t window = 192;  // tokens (text)
  int64_t pool = 4096;   // samples or windows drawn at a time (mix, text)
  int64_t seed = 42;
  int64_t threads = 0;     // preparing data; 0: all cores
  bool by_length = false;  // rows of like length go together
  bool random = false;     // random weights of the model's shape
  bool resume = true;      // go on from the state in `out`, if there is one
};

// Reads --name value pairs. Errors: OPTION_RANGE, OPTION_TYPE, UNKNOWN_FIELD with the nearest name.
Result<Options> parse_options(std::span<const std::string> words);
// One line for each option with its default.
std::string describe_options();

}  // namespace rex::train

// Everything that can be set about the service, with its defaults. Names, ranges and help stand in
// settings_table.cc; the sample config.yaml at the root of the repository explains each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"

namespace rex::config {

struct ModelSettings {
  std::string name;  // shown to clients; empty: the name of the model's folder
  std::string path;  // empty: $REXUNINLU_MODEL, else the small model of this project
  std::string version = "1";
};

struct GpuSettings {
  bool enabled = false;  // model.use_gpu_optimization
  bool memory_pool = true;
  bool dynamic_checkpoint = true;
  std::string sparse_attention = "true";  // or false, punctuation, auto (api::OpenOptions)
  int32_t memory_budget_mb = 0;  // for requests; 0: memory_fraction of what is free at the start
  double memory_fraction = 0.9;
  std::string estimate = "planner";  // or "legacy": reserve_base_mb + reserve_per_label_mb a label
  int32_t reserve_base_mb = 120;
  int32_t reserve_per_label_mb = 8;
};

struct InferenceSettings {
  std::string device = "auto";  // auto, cpu, cuda, cuda:N
  std::string dtype = "auto";
  int32_t max_length = 512;
  int32_t stride = 32;
  int32_t batch_size = 256;      // passes of a batch at most
  int32_t max_batch_tokens = 0;  // tokens of a batch at most; 0: the device's usual size
  double queue_timeout_s = 30;
  double request_timeout_s = 60;
  bool warmup = true;
  int32_t threads = 0;  // 0: all cores
};

struct ServerSettings {
  std::string host = "127.0.0.1";
  int32_t port = 7860;
  int32_t threads = 2;                  // event loops
  int32_t max_concurrent_requests = 0;  // 0: 64 on a CPU, 256 on a GPU
  int32_t queue_capacity = 1024;
  int32_t max_connections = 20'000;
  int32_t max_body_bytes = 2 << 20;
  double header_timeout_s = 10, body_timeout_s = 30, write_timeout_s = 30, idle_timeout_s = 75;
  double drain_timeout_s = 30;
  bool allow_insecure = false;
  std::string cert_file, key_file;
  std::vector<std::string> cors_origins;
};

struct AuthSettings {
  std::string keys_file;  // empty: no keys are asked for
  int32_t requests_per_minute = 0;
  int32_t burst = 0;  // 0: a tenth of the rate, at least 1
};

struct UiSettings {
  bool enabled = true;
  std::string dir;  // empty: the installed page, or web/dist of the repository
};

struct LimitSettings {
  int32_t max_batch_texts = 64;
  int32_t max_text_chars = 100'000;
  int32_t max_labels = 1000;
  int32_t max_schema_depth = 6;
  int32_t max_coref_pairs = 200;
};

struct LogSettings {
  std::string level = "info";   // debug, info, warn, error
  std::string format = "text";  // or json
  std::string file;             // empty: standard error alone
  int32_t rotate_mb = 100;
  int32_t keep = 7;
  int32_t slow_ms = 1000;
};

struct Settings {
  ModelSettings model;
  GpuSettings gpu;
  InferenceSettings inference;
  ServerSettings server;
  AuthSettings auth;
  UiSettings ui;
  LimitSettings limits;
  LogSettings logging;
  bool debug_enabled = true;
  bool training = false, training_gpu = false;  // refused together
  // Options of the trainer, by name as its command line has them; it checks the values.
  std::vector<std::pair<std::string, std::string>> training_options;
  bool single_flight = true;
  std::string presets_dir;
  bool compat_predict = true, compat_nlu = true, compat_v2 = true;
  std::string task_profile = "default";  // or "articles"
  // Options by task name, and under "default" for all: what a request's own `options` go over.
  std::map<std::string, Json> task_options;
};

}  // namespace rex::config

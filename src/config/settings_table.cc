#include "config/settings_table.h"

#include <algorithm>

#include "tasks/request.h"
#include "tasks/task_table.h"

namespace rex::config {
namespace {

using ReadValue = std::function<Result<void>(const Json&, Settings&)>;

tl::unexpected<Error> bad(const std::string& expected, const Json& found) {
  return fail(ErrorCode::kSettingInvalid, "expected " + expected + ", found " + found.dump());
}

template <class Place>
ReadValue flag(Place place) {
  return [place](const Json& value, Settings& s) -> Result<void> {
    if (!value.is_boolean()) return bad("true or false", value);
    place(s) = value.get<bool>();
    return {};
  };
}

template <class Place>
ReadValue integer(Place place, int32_t low, int32_t high) {
  return [=](const Json& value, Settings& s) -> Result<void> {
    if (!value.is_number_integer() || value.get<double>() < low || value.get<double>() > high) {
      return bad("a whole number from " + std::to_string(low) + " to " + std::to_string(high),
                 value);
    }
    place(s) = value.get<int32_t>();
    return {};
  };
}

template <class Place>
ReadValue number(Place place, double low, double high) {
  return [=](const Json& value, Settings& s) -> Result<void> {
    if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
      return bad("a number from " + Json(low).dump() + " to " + Json(high).dump(), value);
    }
    place(s) = value.get<double>();
    return {};
  };
}

// null stands for the empty string.
template <class Place>
ReadValue text(Place place) {
  return [place](const Json& value, Settings& s) -> Result<void> {
    if (!value.is_string() && !value.is_null()) return bad("a string", value);
    place(s) = value.is_null() ? std::string() : value.get<std::string>();
    return {};
  };
}

template <class Place>
ReadValue word(Place place, std::vector<std::string> words) {
  return [place, words = std::move(words)](const Json& value, Settings& s) -> Result<void> {
    if (value.is_string() &&
        std::find(words.begin(), words.end(), value.get<std::string>()) != words.end()) {
      place(s) = value.get<std::string>();
      return {};
    }
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "" : ", ") + w;
    return bad("one of " + list, value);
  };
}

// true, false, or one of the lossy forms.
Result<void> read_sparse_attention(const Json& value, Settings& s) {
  if (value.is_boolean() || value == "punctuation" || value == "auto") {
    s.gpu.sparse_attention = value.is_string() ? value.get<std::string>() : value.dump();
    return {};
  }
  return bad("true, false, punctuation or auto", value);
}

Result<void> read_origins(const Json& value, Settings& s) {
  if (!value.is_array()) return bad("a list of origins", value);
  std::vector<std::string> origins;
  for (const Json& origin : value) {
    if (!origin.is_string()) return bad("a list of origins", value);
    origins.push_back(origin.get<std::string>());
  }
  s.server.cors_origins = std::move(origins);
  return {};
}

// auto, cpu, cuda, cuda:N, or {"": "cuda:0"} as other frameworks write it.
Result<void> read_device(const Json& value, Settings& s) {
  Json device = value;
  if (value.is_object() && value.size() == 1 && value.contains("")) device = value[""];
  if (device.is_number_unsigned()) device = "cuda:" + device.dump();
  const bool known =
      device.is_string() && (device == "auto" || device == "cpu" || device == "cuda" ||
                             device.get<std::string>().starts_with("cuda:"));
  if (!known) return bad("auto, cpu, cuda or cuda:N", value);
  s.inference.device = device.get<std::string>();
  return {};
}

Result<void> read_positions(const Json& value, Settings&) {
  if (!value.is_number_integer() || value.get<int64_t>() > 512 || value.get<int64_t>() < 16) {
    return fail(ErrorCode::kSettingInvalid,
                "expected 16 to 512, found " + value.dump() +
                    "; the model has 512 positions, longer texts are read in windows");
  }
  return {};
}

Result<void> read_truncation(const Json& value, Settings&) {
  if (value.is_boolean() || value == "window") return {};
  return bad("window", value);
}

Result<void> read_share(const Json& value, Settings&) {
  if (value == false) return {};
  return bad("false; public tunnels are not offered", value);
}

Result<void> read_login(const Json& value, Settings&) {
  if (value.is_null()) return {};
  return bad("null; use auth.keys_file", value);
}

// What rexuninlu-train takes (src/train/options.cc; its test compares the lists).
constexpr const char* kTrainingOptions[] = {
    "model",      "data",         "dev",          "out",
    "names",      "exclude",      "factors",      "device",
    "precision",  "loss_cells",   "task",         "metrics",
    "save_as",    "schedule",     "bad_lines",    "learning_rate",
    "epochs",     "warmup_ratio", "weight_decay", "max_grad_norm",
    "dropout",    "early_stop",   "minutes",      "for_minutes",
    "batch_size", "batch_tokens", "accumulation", "steps",
    "eval_steps", "dev_limit",    "save_steps",   "memory_budget_mb",
    "max_length", "stride",       "window",       "pool",
    "seed",       "threads",      "by_length",    "random",
    "resume"};

std::string option_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

ReadValue training_option(const std::string& name) {
  return [name = option_name(name)](const Json& value, Settings& s) -> Result<void> {
    if (!value.is_primitive() || value.is_null())
      return bad("a word, a number, true or false", value);
    s.training_options.emplace_back(name,
                                    value.is_string() ? value.get<std::string>() : value.dump());
    return {};
  };
}

ReadValue word_for(const std::string& name, std::vector<std::string> words) {
  return [=](const Json& value, Settings& s) -> Result<void> {
    std::string found;
    REX_TRY_VOID(word([&](Settings&) -> std::string& { return found; }, words)(value, s));
    s.training_options.emplace_back(name, found);
    return {};
  };
}

// true, false, a policy, or {enable, policy}.
Result<void> read_recomputation(const Json& value, Settings& s) {
  Json policy = value;
  if (value.is_object()) {
    for (const auto& [key, unused] : value.items()) {
      if (key != "enable" && key != "policy") return bad("enable and policy", value);
    }
    policy = value.value("enable", Json(true)) == false ? Json(false)
                                                        : value.value("policy", Json(true));
  }
  if (policy.is_boolean()) policy = policy == true ? "memory" : "off";
  if (policy != "memory" && policy != "task" && policy != "off") {
    return bad("true, false, memory, task or off", value);
  }
  s.training_options.emplace_back("dynamic-checkpoint", policy.get<std::string>());
  return {};
}

// Options of one task, checked by the reader of requests.
ReadValue task_option(const std::string& task, const std::string& option) {
  return [=](const Json& value, Settings& s) -> Result<void> {
    Json& options = s.task_options[task];
    if (option == "schema_validation" || option == "return_all_spans") {
      return value.is_boolean() ? Result<void>() : bad("true or false", value);
    }
    if (option == "batch_size")
      return value.is_number_integer() ? Result<void>() : bad("a whole number", value);
    tasks::TaskOptions checked;
    std::vector<Warning> warnings;
    if (auto read = tasks::read_options(Json{{option, value}}, "", true, checked, warnings);
        !read) {
      return fail(ErrorCode::kSettingInvalid, read.error().message);
    }
    options[option] = value;
    return {};
  };
}

class Table {
 public:
  Table() {
    model();
    gpu("gpu_optimization.");
    inference();
    tasks_rows();
    server();
    others();
  }
  std::vector<SettingRow> rows;

 private:
  void add(std::string name, ReadValue read, std::string help) {
    rows.push_back({std::move(name), std::move(read), std::move(help)});
  }
  // Accepted, checked by nothing, without effect.
  void ignore(const std::string& name,
              const std::string& help = "accepted for other programs' files") {
    rows.push_back({name, [](const Json&, Settings&) { return Result<void>(); }, help, false});
  }

#define REX_FIELD(path) [](Settings& s) -> auto& { return s.path; }

  void model() {
    add("model.name", text(REX_FIELD(model.name)),
        "name shown to clients; empty: the name of the model's folder");
    add("model.path", text(REX_FIELD(model.path)),
        "model folder; null: $REXUNINLU_MODEL, else the small model");
    add("model.version", text(REX_FIELD(model.version)), "version shown to clients");
    add("model.use_gpu_optimization", flag(REX_FIELD(gpu.enabled)),
        "master switch of gpu_optimization.*");
  }
  void gpu(const std::string& at) {
    add(at + "memory_pool", flag(REX_FIELD(gpu.memory_pool)), "one planned arena for all buffers");
    add(at + "dynamic_checkpoint", flag(REX_FIELD(gpu.dynamic_checkpoint)),
        "recomputation in training; inference has nothing to recompute");
    add(at + "sparse_attention", read_sparse_attention,
        "true: pairs that the mask hides are skipped, exactly; punctuation (lossy): Chinese "
        "punctuation gets no attention; auto: that from 32 tokens on");
    add(at + "memory_budget_mb", integer(REX_FIELD(gpu.memory_budget_mb), 0, 1 << 24),
        "memory of all requests together; 0: memory_fraction of what is free");
    add(at + "memory_fraction", number(REX_FIELD(gpu.memory_fraction), 0.01, 1.0),
        "share of the free memory for requests");
    add(at + "estimate", word(REX_FIELD(gpu.estimate), {"planner", "legacy"}),
        "price of a request: planner, or legacy (reserve_base_mb and reserve_per_label_mb)");
    add(at + "reserve_base_mb", integer(REX_FIELD(gpu.reserve_base_mb), 0, 1 << 20),
        "legacy estimate: base of a request");
    add(at + "reserve_per_label_mb", integer(REX_FIELD(gpu.reserve_per_label_mb), 0, 1 << 20),
        "legacy estimate: each label");
    for (const char* name : {"sparse_min_chars", "auto", "checkpoint_layers", "weight_pool",
                             "activation_ring", "cuda_graphs", "flash_attention"}) {
      ignore(at + name);
    }
  }
  void inference() {
    const std::string at = "inference.";
    add(at + "device_map", read_device, "auto, cpu, cuda or cuda:N");
    add(at + "torch_dtype",
        word(REX_FIELD(inference.dtype), {"auto", "float16", "bfloat16", "float32", "int8"}),
        "precision asked for; the log says which is used");
    add(at + "max_length", integer(REX_FIELD(inference.max_length), 16, 512),
        "tokens of a window with its prompt");
    add(at + "stride", integer(REX_FIELD(inference.stride), 0, 256),
        "overlap of windows in tokens");
    add(at + "batch_size", integer(REX_FIELD(inference.batch_size), 1, 1 << 16),
        "passes of a batch at most");
    add(at + "max_batch_tokens", integer(REX_FIELD(inference.max_batch_tokens), 0, 1 << 20),
        "tokens of a batch at most, 512 or more; memory is planned for it; 0: 2,048 on the CPU, "
        "8,192 on a GPU");
    add(at + "queue_timeout", number(REX_FIELD(inference.queue_timeout_s), 0.001, 3600),
        "seconds that a request may wait");
    add(at + "request_timeout", number(REX_FIELD(inference.request_timeout_s), 0.001, 86400),
        "seconds for a whole request");
    add(at + "warmup", flag(REX_FIELD(inference.warmup)),
        "run the model once before /readyz says yes");
    add(at + "cpu_threads", integer(REX_FIELD(inference.threads), 0, 256),
        "threads of the CPU engine; 0: all cores");
    add(at + "max_position_embeddings", read_positions, "at most 512");
    add(at + "truncation", read_truncation, "window: long texts are read in windows");
    for (const char* name :
         {"low_cpu_mem_usage", "offload_folder", "gradient_checkpointing", "num_beams", "top_k",
          "hint_max_len", "prefix_max_len", "label_max_len", "cpu_fallback"}) {
      ignore(at + name);
    }
  }
  void tasks_rows() {
    add("tasks.profile", word(REX_FIELD(task_profile), {"default", "articles"}),
        "default: the reference's decisions; articles: the published values of each task");
    std::vector<std::string> names = {"default"};
    for (const rex::tasks::TaskRow& row : rex::tasks::kTasks) names.emplace_back(row.name);
    for (const std::string& task : names) {
      for (const char* option :
           {"confidence_threshold", "multi_label_threshold", "max_span_num", "max_length", "stride",
            "coref_max_distance", "schema_validation", "return_all_spans", "batch_size"}) {
        add("tasks." + task + "." + option, task_option(task, option),
            "default of the option for " + (task == "default" ? "every task" : task));
      }
    }
  }
  void server() {
    const std::string at = "server.";
    add(at + "host", text(REX_FIELD(server.host)), "address to listen on");
    add(at + "port", integer(REX_FIELD(server.port), 0, 65535), "port; 0: any free one");
    add(at + "max_threads", integer(REX_FIELD(server.threads), 1, 256), "event loops");
    add(at + "max_concurrent_requests", integer(REX_FIELD(server.max_concurrent_requests), 0, 4096),
        "requests that run at the same time; 0: 64 on a CPU, 256 on a GPU");
    add(at + "queue_capacity", integer(REX_FIELD(server.queue_capacity), 1, 1 << 20),
        "requests that wait; more get 429");
    add(at + "max_connections", integer(REX_FIELD(server.max_connections), 1, 1 << 20),
        "open connections; more are closed");
    add(at + "max_body_bytes", integer(REX_FIELD(server.max_body_bytes), 1024, 1 << 30),
        "larger bodies get 413");
    add(at + "header_timeout_s", number(REX_FIELD(server.header_timeout_s), 0.01, 3600),
        "seconds for the header of a request");
    add(at + "body_timeout_s", number(REX_FIELD(server.body_timeout_s), 0.01, 3600),
        "seconds for its body");
    add(at + "write_timeout_s", number(REX_FIELD(server.write_timeout_s), 0.01, 3600),
        "seconds for one write of an answer");
    add(at + "idle_timeout_s", number(REX_FIELD(server.idle_timeout_s), 0.01, 86400),
        "seconds between two requests of a connection");
    add(at + "drain_timeout_s", number(REX_FIELD(server.drain_timeout_s), 0.0, 3600),
        "seconds that running requests have at the end");
    add(at + "allow_insecure", flag(REX_FIELD(server.allow_insecure)),
        "plain HTTP without keys on other addresses than loopback");
    add(at + "tls.cert_file", text(REX_FIELD(server.cert_file)), "certificate chain, PEM");
    add(at + "tls.key_file", text(REX_FIELD(server.key_file)), "private key, PEM");
    add(at + "cors_origins", read_origins, "origins that browsers may call from");
    add(at + "share", read_share, "must be false");
    ignore(at + "ssl_verify");
    ignore(at + "gzip");
  }
  void others() {
    add("auth.keys_file", text(REX_FIELD(auth.keys_file)),
        "file of API keys: ID ROLES SHA256, one a line");
    add("auth.auth", read_login, "must be null");
    ignore("auth.enabled");
    add("auth.rate_limit.requests_per_minute",
        integer(REX_FIELD(auth.requests_per_minute), 0, 1 << 30),
        "for each key, without keys for each address; 0: no limit");
    add("auth.rate_limit.burst", integer(REX_FIELD(auth.burst), 0, 1 << 30),
        "requests at once; 0: a tenth of the rate");
    add("ui.enabled", flag(REX_FIELD(ui.enabled)), "serve the page");
    add("ui.dir", text(REX_FIELD(ui.dir)), "folder of the page");
    for (const char* name :
         {"lang", "title", "favicon_path", "allowed_paths", "examples_dir", "theme"}) {
      ignore(std::string("ui.") + name);
    }
    add("limits.max_batch_texts", integer(REX_FIELD(limits.max_batch_texts), 1, 1 << 20),
        "texts of a batch");
    add("limits.max_text_chars", integer(REX_FIELD(limits.max_text_chars), 1, 10'000'000),
        "characters of a text");
    add("limits.max_labels", integer(REX_FIELD(limits.max_labels), 1, 100'000),
        "labels of a schema");
    add("limits.max_schema_depth", integer(REX_FIELD(limits.max_schema_depth), 1, 16),
        "levels of a schema");
    add("limits.max_coref_pairs", integer(REX_FIELD(limits.max_coref_pairs), 1, 100'000),
        "pairs of pronoun and candidate");
    add("debug.enabled", flag(REX_FIELD(debug_enabled)), "allow ?mode=debug");
    add("single_flight", flag(REX_FIELD(single_flight)),
        "equal requests in flight are computed once");
    add("presets.dir", text(REX_FIELD(presets_dir)), "folder of presets, NAME.json");
    add("compat.predict", flag(REX_FIELD(compat_predict)), "/predict and /api/predict");
    add("compat.nlu", flag(REX_FIELD(compat_nlu)), "/nlu");
    add("compat.v2", flag(REX_FIELD(compat_v2)), "/v2");
    add("logging.level", word(REX_FIELD(logging.level), {"debug", "info", "warn", "error"}),
        "debug shows texts");
    add("logging.format", word(REX_FIELD(logging.format), {"text", "json"}), "form of a line");
    add("logging.file", text(REX_FIELD(logging.file)), "also into this file, rotated");
    add("logging.rotate_mb", integer(REX_FIELD(logging.rotate_mb), 1, 1 << 16),
        "size of a log file");
    add("logging.keep", integer(REX_FIELD(logging.keep), 1, 1000), "rotated files kept");
    add("logging.slow_ms", integer(REX_FIELD(logging.slow_ms), 1, 1 << 30),
        "slower requests are warnings");
    add("training.enable", flag(REX_FIELD(training)),
        "`rexuninlu train` does the work; refused together with the next");
    add("training.use_gpu_optimization", flag(REX_FIELD(training_gpu)),
        "inference alone has these; must be false where training is enabled");
    add("training.dynamic_checkpoint", read_recomputation,
        "layers computed twice to save memory: memory or true, task, off or false");
    for (const char* name : kTrainingOptions) {
      add(std::string("training.") + name, training_option(name),
          "option of the trainer; `rexuninlu train options`");
    }
    add("training.lr_type", word_for("schedule", {"linear", "constant"}),
        "another name of training.schedule");
    for (const char* name : {"negative_sampling_rate", "lora"}) {
      ignore(std::string("training.") + name, "has no effect (docs/training.md)");
    }
    ignore("strict_config", "settings are always strict");
  }
#undef REX_FIELD
};

}  // namespace

const std::vector<SettingRow>& settings_table() {
  static const std::vector<SettingRow> rows = Table().rows;
  return rows;
}

const SettingRow* find_setting(const std::string& name) {
  std::string known = name;
  if (name.starts_with("model.gpu_optimization.")) known = name.substr(sizeof("model.") - 1);
  if (name == "server.server_name" || name == "server_name") known = "server.host";
  if (name == "server.server_port" || name == "server_port") known = "server.port";
  if (name == "use_gpu_optimization") known = "model.use_gpu_optimization";
  if (name.find('.') == std::string::npos && name != "single_flight" && name != "strict_config") {
    if (known == name) known = "inference." + name;
  }
  for (const SettingRow& row : settings_table()) {
    if (row.name == known) return &row;
  }
  return nullptr;
}

Result<void> check_together(const Settings& s) {
  if (s.training && s.training_gpu) {
    return fail(ErrorCode::kSettingInvalid,
                "GPU optimisation is for inference alone and must be off for training",
                "training.use_gpu_optimization");
  }
  const bool loopback =
      s.server.host.starts_with("127.") || s.server.host == "::1" || s.server.host == "localhost";
  if (!loopback && s.auth.keys_file.empty() && !s.server.allow_insecure) {
    return fail(ErrorCode::kSettingInvalid,
                "\"" + s.server.host +
                    "\" can be reached from other machines: set auth.keys_file, or "
                    "server.allow_insecure: true",
                "server.host");
  }
  if (s.server.cert_file.empty() != s.server.key_file.empty()) {
    return fail(ErrorCode::kSettingInvalid,
                "give both server.tls.cert_file and server.tls.key_file", "server.tls");
  }
  return {};
}

}  // namespace rex::config

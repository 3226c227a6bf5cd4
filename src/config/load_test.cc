#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings_table.h"
#include "support/temp_dir.h"

namespace rex::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct File {
  explicit File(const std::string& content) { path = dir.write("config.yaml", content); }
  TempDir dir;
  std::filesystem::path path;
};

Settings good(const std::string& content, std::vector<std::string> environment = {},
              std::vector<std::string> flags = {}) {
  const File file(content);
  auto loaded = load({file.path, std::move(environment), std::move(flags)});
  EXPECT_TRUE(loaded) << loaded.error().to_string();
  return loaded ? loaded->settings : Settings{};
}

Error bad(const std::string& content) {
  const File file(content);
  auto loaded = load({file.path, {}, {}});
  EXPECT_FALSE(loaded) << content;
  return loaded ? Error{} : loaded.error();
}

TEST(Settings, FileEnvironmentAndFlagsInRisingOrder) {
  const std::string file = "server:\n  port: 1000\n  queue_capacity: 7\n  max_threads: 3\n";
  const Settings s =
      good(file, {"REX_SERVER__PORT=2000", "REX_SERVER__QUEUE_CAPACITY=8", "PATH=/bin"},
           {"server.port=3000"});
  EXPECT_EQ(s.server.port, 3000);
  EXPECT_EQ(s.server.queue_capacity, 8);
  EXPECT_EQ(s.server.threads, 3);
}

TEST(Settings, NothingGivenIsTheDefault) {
  EXPECT_EQ(good("").server.port, 7860);
  EXPECT_FALSE(good("gpu_optimization: {}\nmodel:\n").gpu.enabled);
}

// Keys as the published articles write them, at both places.
TEST(Settings, TheArticlesKeysAreKnownAtBothPlaces) {
  const Settings a = good(R"(
model:
  name: "iic/nlp_deberta_rex-uninlu_chinese-base"
  use_gpu_optimization: true
  gpu_optimization:
    memory_pool: true
    dynamic_checkpoint: false
    sparse_attention: true
    checkpoint_layers: {ner: [2, 5, 9], event_extraction: [4, 6, 10]}
    flash_attention: auto
training:
  enable: false
  use_gpu_optimization: false
inference:
  device_map: {"": "cuda:0"}
  torch_dtype: float16
  low_cpu_mem_usage: true
  offload_folder: null
  gradient_checkpointing: true
  max_position_embeddings: 512
  truncation: true
  batch_size: 16
  num_beams: 1
  top_k: 0
  queue_timeout: 30
tasks:
  ner: {confidence_threshold: 0.45, max_span_num: 50, max_length: 384}
  event: {confidence_threshold: 0.55, max_span_num: 20, schema_validation: true}
server:
  server_name: 127.0.0.1
  server_port: 7861
  max_threads: 4
  ssl_verify: true
  share: false
auth: {auth: null}
ui: {favicon_path: null, allowed_paths: ["./examples"]}
)");
  EXPECT_TRUE(a.gpu.enabled);
  EXPECT_FALSE(a.gpu.dynamic_checkpoint);
  EXPECT_EQ(a.inference.device, "cuda:0");
  EXPECT_EQ(a.server.port, 7861);
  EXPECT_EQ(a.task_options.at("ner")["max_span_num"], 50);
  const Settings b = good("gpu_optimization:\n  memory_pool: false\n");
  EXPECT_FALSE(b.gpu.memory_pool);
  EXPECT_EQ(b.gpu.sparse_attention, "true");
  EXPECT_EQ(good("gpu_optimization:\n  sparse_attention: false\n").gpu.sparse_attention, "false");
  EXPECT_EQ(good("gpu_optimization:\n  sparse_attention: auto\n").gpu.sparse_attention, "auto");
  // inference_config.json
  EXPECT_EQ(good(R"({"device_map": "auto", "torch_dtype": "float16", "max_length": 256})")
                .inference.max_length,
            256);
}

TEST(Settings, SettingsWithoutEffectAreNamed) {
  const File file("ui: {theme: dark}\ninference: {num_beams: 4}\n");
  const auto loaded = load({file.path, {}, {}});
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->without_effect, ElementsAre("ui.theme", "inference.num_beams"));
}

TEST(Settings, AnUnknownNameIsAnErrorWithPlaceAndTheNearestName) {
  const Error error = bad("server:\n  prot: 1\n");
  EXPECT_EQ(error.code, ErrorCode::kSettingUnknown);
  EXPECT_THAT(error.message, HasSubstr("did you mean \"server.port\""));
  EXPECT_THAT(error.place, HasSubstr("config.yaml:2:3"));
  EXPECT_THAT(bad("gpu_optimisation:\n  memory_pool: true\n").message,
              HasSubstr("gpu_optimisation"));
  EXPECT_THAT(bad("server:\n  memory_pool: true\n").message,
              HasSubstr("gpu_optimization.memory_pool"));
}

TEST(Settings, AWrongValueIsAnErrorThatSaysWhatIsAllowed) {
  for (const char* text :
       {"server: {port: many}", "server: {port: 70000}", "server: {port: 80.5}",
        "server: {port: \"80\"}", "gpu_optimization: {sparse_attention: some}",
        "model: {use_gpu_optimization: maybe}", "logging: {level: loud}",
        "tasks: {ner: {confidence_threshold: 2}}", "server: {share: true}", "server: {port: [1]}",
        "inference: {max_position_embeddings: 1024}", "inference: {device_map: tpu}", "server: 5",
        "[1, 2]", "server: {cors_origins: x}"}) {
    const Error error = bad(text);
    EXPECT_TRUE(error.code == ErrorCode::kSettingInvalid ||
                error.code == ErrorCode::kSettingUnknown)
        << text;
    EXPECT_THAT(error.place, HasSubstr("config.yaml")) << text;
  }
  EXPECT_THAT(bad("server:\n  port: 1\n  port: 2\n").message, HasSubstr("twice"));
  EXPECT_THAT(bad("model:\n  name: \xFF\xFE\n").message, HasSubstr("UTF-8"));
  EXPECT_THAT(bad("server:\n  port: \xC3\n").message, HasSubstr("UTF-8"));
  EXPECT_THAT(bad("server:\n  \xC3p: 1\n").message, HasSubstr("UTF-8"));
  EXPECT_EQ(bad("server: {port: 1").code, ErrorCode::kSettingInvalid);
}

// The section `training` becomes options of rexuninlu-train.
TEST(Settings, TrainingIsOptionsOfTheTrainer) {
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(good("training: {learning_rate: 3e-5, by_length: true, data: d}").training_options,
            (Options{{"learning-rate", "3e-05"}, {"by-length", "true"}, {"data", "d"}}));
  EXPECT_EQ(good("training: {lr_type: constant}").training_options,
            (Options{{"schedule", "constant"}}));
  for (const auto& [written, policy] : Options{{"true", "memory"},
                                               {"false", "off"},
                                               {"task", "task"},
                                               {"{enable: true, policy: task}", "task"},
                                               {"{enable: false}", "off"}}) {
    EXPECT_EQ(good("training: {dynamic_checkpoint: " + written + "}").training_options,
              (Options{{"dynamic-checkpoint", policy}}))
        << written;
  }
  EXPECT_THAT(bad("training: {dynamic_checkpoint: often}").place,
              HasSubstr("training.dynamic_checkpoint"));
  EXPECT_THAT(bad("training: {learning_rate: [1]}").place, HasSubstr("training.learning_rate"));
  EXPECT_THAT(bad("training: {lr_type: cosine}").place, HasSubstr("training.lr_type"));
  EXPECT_EQ(bad("training: {learning_rat: 1}").code, ErrorCode::kSettingUnknown);
}

TEST(Settings, WhatCannotWorkTogetherIsRefused) {
  EXPECT_THAT(bad("training: {enable: true, use_gpu_optimization: true}").place,
              HasSubstr("training"));
  EXPECT_EQ(bad("server: {host: 0.0.0.0}").place, "server.host");
  EXPECT_EQ(good("server: {host: 0.0.0.0, allow_insecure: true}").server.host, "0.0.0.0");
  EXPECT_EQ(bad("server: {tls: {cert_file: a.pem}}").place, "server.tls");
}

TEST(Settings, AMissingFileIsAnError) {
  const auto loaded = load({"/nowhere/config.yaml", {}, {}});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kFileNotFound);
}

TEST(Settings, EveryRowIsFoundAndDescribed) {
  for (const SettingRow& row : settings_table()) {
    EXPECT_EQ(find_setting(row.name), &row);
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
  EXPECT_THAT(describe(), StartsWith("model.name"));
}

TEST(Settings, TheSampleFileIsTheDefaults) {
  const std::filesystem::path sample = REX_SOURCE_DIR "/config.yaml";
  const auto loaded = load({sample, {}, {}});
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  const Settings defaults;
  EXPECT_EQ(loaded->settings.server.port, defaults.server.port);
  EXPECT_EQ(loaded->settings.inference.max_batch_tokens, defaults.inference.max_batch_tokens);
  EXPECT_EQ(loaded->settings.server.max_body_bytes, defaults.server.max_body_bytes);
  EXPECT_EQ(loaded->settings.gpu.enabled, defaults.gpu.enabled);
}

}  // namespace
}  // namespace rex::config

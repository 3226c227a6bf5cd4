#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::model {
namespace {

using testing::HasSubstr;

Json base_json() {
  return *parse_json(config_json(base_config()));
}

// The error of the base configuration with one key changed.
Error error_with(const std::string& key, const Json& value) {
  Json json = base_json();
  json[key] = value;
  const auto config = parse_config(json.dump());
  EXPECT_FALSE(config) << key << " = " << value;
  return config ? Error{} : config.error();
}

TEST(Config, WhatIsWrittenIsReadBack) {
  EXPECT_EQ(*parse_config(config_json(base_config())), base_config());
  ModelConfig other = {.layers = 3,
                       .hidden = 64,
                       .heads = 4,
                       .intermediate = 128,
                       .vocab_rows = 104,
                       .position_buckets = 32,
                       .max_relative_positions = 512,
                       .conv_kernel = 0,
                       .layer_norm_eps = 1e-5F};
  EXPECT_EQ(*parse_config(config_json(other)), other);
}

TEST(Config, MiniModelIsRead) {
  const auto config = load_config(mini_model_dir());
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->layers, 8);
  EXPECT_EQ(config->hidden, 384);
  EXPECT_EQ(config->heads, 6);
  EXPECT_EQ(config->head_width(), 64);
  EXPECT_EQ(config->vocab_rows, 12804);  // T3
  EXPECT_EQ(config->slots(), 512);       // M5
}

TEST(Config, EveryValueThatIsNotComputedIsRefusedByName) {
  const std::vector<std::pair<std::string, Json>> cases = {
      {"model_type", "bert"},
      {"hidden_act", "gelu_new"},  // M13
      {"conv_act", "tanh"},        // M16
      {"relative_attention", false},
      {"position_buckets", -1},
      {"position_buckets", 1 << 20},
      {"max_relative_positions", 0},
      {"max_relative_positions", 129},  // M4: the logarithm would be zero
      {"norm_rel_ebd", "none"},         // M5
      {"share_att_key", false},         // M7
      {"pos_att_type", "c2p"},          // M9
      {"pos_att_type", "c2p|p2c|p2p"},
      {"pos_att_type", Json::array({"c2p", "c2p"})},
      {"position_biased_input", true},  // M1
      {"type_vocab_size", 2},
      {"conv_kernel_size", 5},  // M14
      {"conv_groups", 2},
      {"max_position_embeddings", 1024},
      {"embedding_size", 128},
      {"attention_head_size", 32},
      {"layer_norm_eps", 0},
      {"layer_norm_eps", -1e-7},
      {"layer_norm_eps", 1.0},
      {"hidden_size", 0},
      {"hidden_size", 770},
      {"hidden_size", 1 << 20},
      {"num_attention_heads", -12},
      {"num_hidden_layers", 0},
      {"num_hidden_layers", 100000},
      {"intermediate_size", 9000000000000000000},
      {"vocab_size", 18446744073709551615U},
  };
  for (const auto& [key, value] : cases) {
    const Error error = error_with(key, value);
    EXPECT_EQ(error.code, ErrorCode::kConfigUnsupported) << key << " = " << value;
    EXPECT_EQ(error.place, "/" + key);
    EXPECT_THAT(error.message, HasSubstr(key));
    EXPECT_THAT(error.message, HasSubstr("accepted: "));
  }
}

TEST(Config, HiddenSize770Names12Heads) {
  const Error error = error_with("hidden_size", 770);
  EXPECT_EQ(error.message,
            "hidden_size is 770; accepted: a multiple of num_attention_heads, which is 12");
}

TEST(Config, OddHiddenSizeCannotBeRotated) {  // M22
  Json json = base_json();
  json["hidden_size"] = 7;
  json["num_attention_heads"] = 1;
  const auto config = parse_config(json.dump());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("an even number"));
}

TEST(Config, AnotherTypeIsInvalid) {
  const std::vector<std::pair<std::string, Json>> cases = {
      {"hidden_size", "768"},      {"hidden_size", 768.0},    {"hidden_size", nullptr},
      {"num_hidden_layers", true}, {"relative_attention", 1}, {"hidden_act", 3},
      {"pos_att_type", 5},         {"pos_att_type", {1, 2}},  {"layer_norm_eps", "1e-7"},
      {"model_type", nullptr},     {"conv_kernel_size", "3"}, {"layer_norm_eps", {1e-7}},
  };
  for (const auto& [key, value] : cases) {
    const Error error = error_with(key, value);
    EXPECT_EQ(error.code, ErrorCode::kConfigInvalid) << key << " = " << value;
    EXPECT_EQ(error.place, "/" + key);
  }
}

TEST(Config, WithoutASizeItIsInvalid) {
  for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                          "intermediate_size", "vocab_size"}) {
    Json json = base_json();
    json.erase(key);
    const auto config = parse_config(json.dump());
    ASSERT_FALSE(config) << key;
    EXPECT_EQ(config.error().code, ErrorCode::kConfigInvalid);
    EXPECT_EQ(config.error().place, "/" + std::string(key));
  }
}

// The reference's library takes other values for these keys when they are absent.
TEST(Config, AbsenceThatMeansAnotherModelIsRefused) {
  for (const char* key : {"relative_attention", "position_buckets", "norm_rel_ebd", "share_att_key",
                          "pos_att_type", "position_biased_input", "conv_act"}) {
    Json json = base_json();
    json.erase(key);
    const auto config = parse_config(json.dump());
    ASSERT_FALSE(config) << key;
    EXPECT_EQ(config.error().code, ErrorCode::kConfigUnsupported) << key;
    EXPECT_EQ(config.error().place, "/" + std::string(key));
  }
}

TEST(Config, AbsenceThatMeansTheSameModelIsAccepted) {
  Json json = base_json();
  for (const char* key : {"model_type", "hidden_act", "type_vocab_size", "layer_norm_eps",
                          "max_relative_positions", "max_position_embeddings"}) {
    json.erase(key);
  }
  EXPECT_EQ(*parse_config(json.dump()), base_config());
}

TEST(Config, NoConvolutionNeedsNoActivation) {
  Json json = base_json();
  json.erase("conv_kernel_size");
  json.erase("conv_act");
  EXPECT_EQ(parse_config(json.dump())->conv_kernel, 0);
}

TEST(Config, PositionTermsMayStandInEveryForm) {  // M9
  for (const Json& terms : {Json("p2c|c2p"), Json(" C2P | p2c"), Json::array({"c2p", "p2c"}),
                            Json::array({"p2c", "c2p"})}) {
    Json json = base_json();
    json["pos_att_type"] = terms;
    EXPECT_TRUE(parse_config(json.dump())) << terms;
  }
}

TEST(Config, WhatIsNoJsonObjectIsInvalid) {
  const std::string huge = "{\"a\": \"" + std::string(1 << 20, 'x') + "\"}";
  const std::string nan = R"({"layer_norm_eps": NaN})";
  const std::string twice = R"({"hidden_size": 768, "hidden_size": 384})";
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("3"), nan, twice, huge,
        std::string(100000, '['), std::string("{\"a\": 1e999}"), std::string("{\"\xff\": 1}")}) {
    const auto config = parse_config(text);
    ASSERT_FALSE(config) << text.substr(0, 40);
    EXPECT_EQ(config.error().code, ErrorCode::kConfigInvalid) << text.substr(0, 40);
  }
}

TEST(Config, ErrorsNameTheFileAndTheKey) {
  const TempDir dir;
  EXPECT_EQ(load_config(dir.path()).error().code, ErrorCode::kFileNotFound);
  dir.write("config.json", "{}");
  const auto config = load_config(dir.path());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().place, HasSubstr("config.json/relative_attention"));
}

}  // namespace
}  // namespace rex::model

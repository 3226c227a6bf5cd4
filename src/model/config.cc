#include "model/config.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/mapped_file.h"
#include "model/checked_json.h"
#include "model/files/bytes.h"
#include "model/places.h"

namespace rex::model {
namespace {

constexpr int32_t kAddedTokens = 4;  // T3

Failure unsupported(std::string_view key, const std::string& found, const std::string& accepted) {
  return fail(ErrorCode::kConfigUnsupported,
              std::string(key) + " is " + found + "; accepted: " + accepted,
              "/" + std::string(key));
}

Failure wrong_type(std::string_view key, std::string_view wanted, const Json& value) {
  return fail(ErrorCode::kConfigInvalid,
              "expected " + std::string(wanted) + ", found " + std::string(json_kind(value)),
              "/" + std::string(key));
}

// A number in min…max. `absent`: the library's default, or nullptr for a key that must be there.
Result<int32_t> integer(const Json& json, const char* key, int32_t min, int32_t max,
                        const int32_t* absent = nullptr) {
  const auto found = json.find(key);
  int64_t value = 0;
  if (found == json.end()) {
    if (absent == nullptr) {
      return fail(ErrorCode::kConfigInvalid, "the key is missing", "/" + std::string(key));
    }
    value = *absent;
  } else if (!found->is_number_integer()) {
    return wrong_type(key, "a whole number", *found);
  } else if (found->is_number_unsigned() &&
             found->get<uint64_t>() > std::numeric_limits<int32_t>::max()) {
    return unsupported(key, found->dump(), std::to_string(min) + " to " + std::to_string(max));
  } else {
    value = found->get<int64_t>();
  }
  if (value < min || value > max) {
    const std::string accepted =
        min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
    return unsupported(key, std::to_string(value), accepted);
  }
  return static_cast<int32_t>(value);
}

Result<int32_t> integer_or(const Json& json, const char* key, int32_t min, int32_t max,
                           int32_t absent) {
  return integer(json, key, min, max, &absent);
}

// These hold when the key has the one supported value; `absent` is what no key means.
Result<void> require_number(const Json& json, const char* key, int32_t accepted, int32_t absent) {
  REX_TRY_VOID(integer_or(json, key, accepted, accepted, absent));
  return {};
}

Result<void> require_word(const Json& json, const char* key, std::string_view accepted,
                          std::string_view absent) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_string()) return wrong_type(key, "a string", *found);
  const std::string value = found == json.end() ? std::string(absent) : found->get<std::string>();
  if (value == accepted) return {};
  const std::string shown = "\"" + printable(value) + "\"";
  return unsupported(key, found == json.end() ? "absent, which means " + shown : shown,
                     "\"" + std::string(accepted) + "\"");
}

Result<void> require_flag(const Json& json, const char* key, bool accepted, bool absent) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_boolean()) return wrong_type(key, "true or false", *found);
  const bool value = found == json.end() ? absent : found->get<bool>();
  if (value == accepted) return {};
  const std::string shown = value ? "true" : "false";
  return unsupported(key, found == json.end() ? "absent, which means " + shown : shown,
                     accepted ? "true" : "false");
}

// "c2p|p2c" as a list of lower-case words without the spaces around them.
Result<std::vector<std::string>> position_terms(const Json& value) {
  std::vector<std::string> terms;
  if (value.is_array()) {
    for (const Json& item : value) {
      if (!item.is_string()) return wrong_type("pos_att_type", "strings", item);
      terms.push_back(item.get<std::string>());
    }
    return terms;
  }
  if (!value.is_string()) return wrong_type("pos_att_type", "a string or a list", value);
  terms.emplace_back();
  for (const char c : value.get<std::string>()) {
    if (c == '|') {
      terms.emplace_back();
    } else if (c != ' ') {
      terms.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return terms;
}

// M9: both position terms, in either order.
Result<void> require_position_terms(const Json& json) {
  const char* key = "pos_att_type";
  const std::string accepted = "\"c2p|p2c\"";
  const auto found = json.find(key);
  if (found == json.end()) return unsupported(key, "absent, which means none", accepted);
  REX_TRY(terms, position_terms(*found));
  const bool both = terms.size() == 2 && ((terms[0] == "c2p" && terms[1] == "p2c") ||
                                          (terms[0] == "p2c" && terms[1] == "c2p"));
  if (!both) return unsupported(key, printable(found->dump()), accepted);
  return {};
}

Result<float> layer_norm_eps(const Json& json) {
  const char* key = "layer_norm_eps";
  const auto found = json.find(key);
  if (found == json.end()) return 1e-7F;
  if (!found->is_number()) return wrong_type(key, "a number", *found);
  const auto value = found->get<double>();
  if (!(value >= 1e-12 && value <= 1e-2)) return unsupported(key, found->dump(), "1e-12 to 1e-2");
  return static_cast<float>(value);
}

// Everything with one supported value only.
Result<void> check_fixed_values(const Json& json) {
  REX_TRY_VOID(require_word(json, "model_type", "deberta-v2", "deberta-v2"));
  REX_TRY_VOID(require_word(json, "hidden_act", "gelu", "gelu"));          // M13
  REX_TRY_VOID(require_flag(json, "relative_attention", true, false));     // M3
  REX_TRY_VOID(require_word(json, "norm_rel_ebd", "layer_norm", "none"));  // M5
  REX_TRY_VOID(require_flag(json, "share_att_key", true, false));          // M7
  REX_TRY_VOID(require_position_terms(json));                              // M9
  REX_TRY_VOID(require_flag(json, "position_biased_input", false, true));  // M1
  REX_TRY_VOID(require_number(json, "type_vocab_size", 0, 0));             // M1
  REX_TRY_VOID(require_number(json, "max_position_embeddings", 512, 512));
  return require_number(json, "conv_groups", 1, 1);  // M14
}

Result<int32_t> conv_kernel(const Json& json) {
  REX_TRY(kernel, integer_or(json, "conv_kernel_size", 0, std::numeric_limits<int32_t>::max(), 0));
  if (kernel != 0 && kernel != 3) {
    return unsupported("conv_kernel_size", std::to_string(kernel), "3, or 0 for none");
  }
  if (kernel == 3) REX_TRY_VOID(require_word(json, "conv_act", "gelu", "tanh"));  // M16
  return kernel;
}

Result<int32_t> max_relative_positions(const Json& json, int32_t buckets) {
  const char* key = "max_relative_positions";
  REX_TRY(value, integer_or(json, key, -1, 65536, -1));
  // The logarithm of (m − 1) / (buckets / 2) divides in M4: it has to be positive.
  if (value != -1 && value <= buckets / 2 + 1) {
    return unsupported(key, std::to_string(value),
                       "-1, or more than " + std::to_string(buckets / 2 + 1));
  }
  return value;
}

// Values that follow from the sizes and may be written out.
Result<void> check_derived_sizes(const Json& json, const ModelConfig& config) {
  if (config.hidden % config.heads != 0) {
    return unsupported(
        "hidden_size", std::to_string(config.hidden),
        "a multiple of num_attention_heads, which is " + std::to_string(config.heads));
  }
  if (config.hidden % 2 != 0) {  // M22 rotates pairs
    return unsupported("hidden_size", std::to_string(config.hidden), "an even number");
  }
  REX_TRY_VOID(require_number(json, "embedding_size", config.hidden, config.hidden));
  return require_number(json, "attention_head_size", config.head_width(), config.head_width());
}

}  // namespace

Result<ModelConfig> parse_config(std::string_view json_text) {
  if (json_text.size() > kMaxJsonBytes) {
    return fail(ErrorCode::kConfigInvalid,
                "longer than " + std::to_string(kMaxJsonBytes) + " bytes");
  }
  REX_TRY(json, parse_object(json_text, ErrorCode::kConfigInvalid));
  REX_TRY_VOID(check_fixed_values(json));
  REX_TRY(layers, integer(json, "num_hidden_layers", 1, kMaxLayers));
  REX_TRY(hidden, integer(json, "hidden_size", 2, kMaxHidden));
  REX_TRY(heads, integer(json, "num_attention_heads", 1, kMaxHeads));
  REX_TRY(intermediate, integer(json, "intermediate_size", 1, kMaxIntermediate));
  REX_TRY(vocabulary, integer(json, "vocab_size", 1, kMaxVocabulary));
  REX_TRY(buckets, integer_or(json, "position_buckets", 2, kMaxPositionBuckets, -1));
  REX_TRY(max_relative, max_relative_positions(json, buckets));
  REX_TRY(kernel, conv_kernel(json));
  REX_TRY(eps, layer_norm_eps(json));
  const ModelConfig config = {.layers = layers,
                              .hidden = hidden,
                              .heads = heads,
                              .intermediate = intermediate,
                              .vocab_rows = vocabulary + kAddedTokens,
                              .position_buckets = buckets,
                              .max_relative_positions = max_relative,
                              .conv_kernel = kernel,
                              .layer_norm_eps = eps};
  REX_TRY_VOID(check_derived_sizes(json, config));
  return config;
}

Result<ModelConfig> load_config(const std::filesystem::path& model_dir) {
  const std::filesystem::path path = model_dir / "config.json";
  REX_TRY(text, read_text_file(path, kMaxJsonBytes));
  Result<ModelConfig> config = parse_config(text);
  if (!config) return fail(at_file(std::move(config).error(), path));
  return config;
}

std::string config_json(const ModelConfig& config) {
  Json json = Json::object();
  json["model_type"] = "deberta-v2";
  json["hidden_act"] = "gelu";
  json["hidden_size"] = config.hidden;
  json["num_hidden_layers"] = config.layers;
  json["num_attention_heads"] = config.heads;
  json["intermediate_size"] = config.intermediate;
  json["vocab_size"] = config.vocab_rows - kAddedTokens;
  json["max_position_embeddings"] = 512;
  json["type_vocab_size"] = 0;
  json["relative_attention"] = true;
  json["position_buckets"] = config.position_buckets;
  json["max_relative_positions"] = config.max_relative_positions;
  json["norm_rel_ebd"] = "layer_norm";
  json["share_att_key"] = true;
  json["pos_att_type"] = "c2p|p2c";
  json["position_biased_input"] = false;
  json["conv_kernel_size"] = config.conv_kernel;
  json["conv_act"] = "gelu";
  json["layer_norm_eps"] = config.layer_norm_eps;
  return json.dump(1) + "\n";
}

ModelConfig base_config() {
  return {.layers = 12, .hidden = 768, .heads = 12, .intermediate = 3072, .vocab_rows = 12804};
}

}  // namespace rex::model

#include "model/weights.h"

namespace rex::model {
namespace {

using Shape = std::vector<int64_t>;

// Adds the visitor's two usual pairs to it: a linear layer or a norm is a weight and a bias.
class Walker {
 public:
  Walker(const TensorVisitor& visit) : visit_(visit) {}

  void pair(const std::string& name, const Shape& shape, TensorView& weight, TensorView& bias) {
    visit_(name + ".weight", shape, weight);
    visit_(name + ".bias", {shape[0]}, bias);
  }
  void one(const std::string& name, const Shape& shape, TensorView& view) {
    visit_(name, shape, view);
  }

 private:
  const TensorVisitor& visit_;
};

void visit_layer(Walker& walk, const ModelConfig& config, const std::string& name,
                 LayerWeights& layer) {
  const int64_t c = config.hidden, f = config.intermediate;
  const std::string self = name + ".attention.self.";
  const std::string output = name + ".attention.output.";
  walk.pair(self + "query_proj", {c, c}, layer.query_weight, layer.query_bias);
  walk.pair(self + "key_proj", {c, c}, layer.key_weight, layer.key_bias);
  walk.pair(self + "value_proj", {c, c}, layer.value_weight, layer.value_bias);
  walk.pair(output + "dense", {c, c}, layer.attention_out_weight, layer.attention_out_bias);
  walk.pair(output + "LayerNorm", {c}, layer.attention_norm_weight, layer.attention_norm_bias);
  walk.pair(name + ".intermediate.dense", {f, c}, layer.ffn_in_weight, layer.ffn_in_bias);
  walk.pair(name + ".output.dense", {c, f}, layer.ffn_out_weight, layer.ffn_out_bias);
  walk.pair(name + ".output.LayerNorm", {c}, layer.output_norm_weight, layer.output_norm_bias);
}

}  // namespace

void visit_tensors(Weights& weights, const TensorVisitor& visit) {
  const ModelConfig& config = weights.config;
  const int64_t c = config.hidden;
  Walker walk(visit);
  walk.one("plm.embeddings.word_embeddings.weight", {config.vocab_rows, c},
           weights.word_embeddings);
  walk.pair("plm.embeddings.LayerNorm", {c}, weights.embedding_norm_weight,
            weights.embedding_norm_bias);
  weights.layers.resize(static_cast<size_t>(config.layers));
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    visit_layer(walk, config, "plm.encoder.layer." + std::to_string(i), weights.layers[i]);
  }
  walk.one("plm.encoder.rel_embeddings.weight", {config.slots(), c}, weights.relative_embeddings);
  walk.pair("plm.encoder.LayerNorm", {c}, weights.relative_norm_weight, weights.relative_norm_bias);
  if (config.conv_kernel > 0) {
    walk.pair("plm.encoder.conv.conv", {c, c, config.conv_kernel}, weights.conv_weight,
              weights.conv_bias);
    walk.pair("plm.encoder.conv.LayerNorm", {c}, weights.conv_norm_weight, weights.conv_norm_bias);
  }
  walk.pair("ffnq", {c, c}, weights.query_head_weight, weights.query_head_bias);
  walk.pair("ffnk", {c, c}, weights.key_head_weight, weights.key_head_bias);
  walk.one("rotary_emb.freqs", {c / 2}, weights.rotary_frequencies);
}

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config) {
  Weights weights;
  weights.config = config;
  std::vector<ExpectedTensor> expected;
  visit_tensors(weights, [&](const std::string& name, std::vector<int64_t> shape, TensorView&) {
    expected.push_back({name, std::move(shape)});
  });
  return expected;
}

}  // namespace rex::model

#include "engine/cpu/cpu_weights.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/check.h"

namespace rex::engine {
namespace {

CpuNorm norm_of(const model::TensorView& weight, const model::TensorView& bias, float eps) {
  CpuNorm norm;
  norm.weight = AlignedFloats(static_cast<size_t>(weight.count()));
  norm.bias = AlignedFloats(static_cast<size_t>(bias.count()));
  model::copy_as_float(weight, norm.weight.span());
  model::copy_as_float(bias, norm.bias.span());
  norm.eps = eps;
  return norm;
}

// Several [out, in] matrices below one another, the first multiplied by `first_scale`.
std::vector<float> stacked(std::initializer_list<const model::TensorView*> parts,
                           float first_scale) {
  size_t total = 0;
  for (const auto* part : parts) total += static_cast<size_t>(part->count());
  std::vector<float> values(total);
  size_t at = 0;
  for (const auto* part : parts) {
    const auto count = static_cast<size_t>(part->count());
    model::copy_as_float(*part, std::span(values).subspan(at, count));
    at += count;
  }
  const auto first = static_cast<ptrdiff_t>((*parts.begin())->count());
  std::for_each(values.begin(), values.begin() + first, [=](float& v) { v *= first_scale; });
  return values;
}

std::unique_ptr<CpuLayer> make_layer(const model::ModelConfig& c, const model::LayerWeights& l) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(3 * c.head_width()));  // M9
  return std::make_unique<CpuLayer>(CpuLayer{
      Linear({c.hidden, 3 * c.hidden, Epilogue::kBias},
             stacked({&l.query_weight, &l.key_weight, &l.value_weight}, scale),
             stacked({&l.query_bias, &l.key_bias, &l.value_bias}, scale)),
      Linear({c.hidden, c.hidden, Epilogue::kBiasResidual},
             model::as_floats(l.attention_out_weight), model::as_floats(l.attention_out_bias)),
      Linear({c.hidden, c.intermediate, Epilogue::kBiasGelu}, model::as_floats(l.ffn_in_weight),
             model::as_floats(l.ffn_in_bias)),
      Linear({c.intermediate, c.hidden, Epilogue::kBiasResidual},
             model::as_floats(l.ffn_out_weight), model::as_floats(l.ffn_out_bias)),
      norm_of(l.attention_norm_weight, l.attention_norm_bias, c.layer_norm_eps),
      norm_of(l.output_norm_weight, l.output_norm_bias, c.layer_norm_eps),
      {},
      {}});
}

int64_t bytes_of(const CpuNorm& norm) {
  return norm.weight.bytes() + norm.bias.bytes();
}

}  // namespace

CpuWeights::CpuWeights(std::shared_ptr<const model::Weights> weights, ThreadTeam& team,
                       std::vector<LinearContext>& contexts)
    : source_(std::move(weights)) {
  const model::Weights& w = *source_;
  const model::ModelConfig& c = w.config;
  slots_ = make_slot_table(c);
  attention = {c.head_width(), 3 * c.hidden, c.hidden, c.slots(), c.max_relative_positions <= 0,
               &slots_};
  embedding_norm_ = norm_of(w.embedding_norm_weight, w.embedding_norm_bias, c.layer_norm_eps);
  pack_layers(team);

  if (c.conv_kernel == 3) {
    const std::vector<float> plain = model::as_floats(w.conv_weight);  // [out, in, tap]
    std::vector<float> tap_major(plain.size());
    const auto width = static_cast<size_t>(c.hidden);
    for (size_t out = 0; out < width; ++out) {
      for (size_t in = 0; in < width; ++in) {
        for (size_t tap = 0; tap < 3; ++tap) {
          tap_major[(out * 3 + tap) * width + in] = plain[(out * width + in) * 3 + tap];
        }
      }
    }
    conv = std::make_unique<Linear>(Linear::Shape{3 * c.hidden, c.hidden, Epilogue::kBiasGelu},
                                    tap_major, model::as_floats(w.conv_bias));
    conv_norm = norm_of(w.conv_norm_weight, w.conv_norm_bias, c.layer_norm_eps);
  }
  head = std::make_unique<Linear>(Linear::Shape{c.hidden, 2 * c.hidden, Epilogue::kBias},
                                  stacked({&w.query_head_weight, &w.key_head_weight}, 1.0F),
                                  stacked({&w.query_head_bias, &w.key_head_bias}, 1.0F));
  rotary = make_rotary_table(model::as_floats(w.rotary_frequencies));

  for (LinearContext& context : contexts) {
    for (const Linear* product : products()) product->prepare(context);
  }
  make_position_tables(team, contexts);
}

// Converting and packing is most of the start-up time: one task a layer.
void CpuWeights::pack_layers(ThreadTeam& team) {
  layers.resize(source_->layers.size());
  std::vector<std::exception_ptr> failures(layers.size());  // a program of the team must not throw
  team.run([&](Worker& worker) {
    worker.for_each(static_cast<int32_t>(layers.size()), [&](int32_t i) {
      const auto index = static_cast<size_t>(i);
      try {
        layers[index] = make_layer(source_->config, source_->layers[index]);
      } catch (...) {
        failures[index] = std::current_exception();
      }
    });
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// PQ and PK are the layer's own query and key projections of R' (M7), so the packed qkv product
// makes them; they are stored transposed, one [D, ld_slots] panel a head.
void CpuWeights::make_position_tables(ThreadTeam& team, std::vector<LinearContext>& contexts) {
  const model::ModelConfig& c = source_->config;
  const auto hidden = static_cast<size_t>(c.hidden), slots = static_cast<size_t>(c.slots());
  const CpuNorm norm =
      norm_of(source_->relative_norm_weight, source_->relative_norm_bias, c.layer_norm_eps);
  const size_t rows = (slots + kRowStep - 1) / kRowStep * kRowStep;
  AlignedFloats relative(rows * hidden), projected(rows * 3 * hidden);
  model::copy_as_float(source_->relative_embeddings, relative.span().first(slots * hidden));
  for (size_t slot = 0; slot < slots; ++slot) {
    layer_norm(norm.view(), relative.span().subspan(slot * hidden, hidden));
  }
  const auto ld = static_cast<size_t>(attention.ld_slots());
  for (const auto& layer : layers) {
    layer->position_query = AlignedFloats(hidden * ld);
    layer->position_key = AlignedFloats(hidden * ld);
  }
  team.run([&](Worker& worker) {
    for (const auto& layer : layers) {
      worker.for_each(layer->qkv.task_count(c.slots()), [&](int32_t task) {
        layer->qkv.run_task(task, c.slots(), relative.data(), projected.data(),
                            contexts[static_cast<size_t>(worker.index())]);
      });
      worker.for_each(c.heads, [&](int32_t panel) {
        const auto width = static_cast<size_t>(c.head_width());
        const size_t first = static_cast<size_t>(panel) * width;
        for (size_t slot = 0; slot < slots; ++slot) {
          const float* row = projected.data() + slot * 3 * hidden;
          for (size_t column = first; column < first + width; ++column) {
            layer->position_query[column * ld + slot] = row[column];
            layer->position_key[column * ld + slot] = row[hidden + column];
          }
        }
      });
    }
  });
}

void CpuWeights::embed(int32_t id, std::span<float> row) const {
  const model::TensorView& table = source_->word_embeddings;
  REX_CHECK(id >= 0 && id < config().vocab_rows, "token id inside the embedding table");
  const size_t row_bytes = row.size() * static_cast<size_t>(model::bytes_of(table.dtype));
  model::decode_floats(table.dtype,
                       table.bytes.subspan(static_cast<size_t>(id) * row_bytes, row_bytes), row);
  layer_norm(embedding_norm_.view(), row);
}

int64_t CpuWeights::bytes() const {
  int64_t total = bytes_of(embedding_norm_) + bytes_of(conv_norm);
  total += static_cast<int64_t>((rotary.cosine.size() + rotary.sine.size()) * sizeof(float));
  for (const Linear* product : products()) total += product->weight_bytes();
  for (const auto& l : layers) {
    total += bytes_of(l->attention_norm) + bytes_of(l->output_norm) + l->position_key.bytes() +
             l->position_query.bytes();
  }
  return total;
}

std::vector<const Linear*> CpuWeights::products() const {
  std::vector<const Linear*> all = {head.get()};
  if (conv) all.push_back(conv.get());
  for (const auto& l : layers) {
    all.insert(all.end(), {&l->qkv, &l->attention_out, &l->ffn_in, &l->ffn_out});
  }
  return all;
}

int64_t CpuWeights::context_bytes() const {
  int64_t most = 0;
  for (const Linear* product : products()) most = std::max(most, product->context_bytes());
  return most;
}

}  // namespace rex::engine

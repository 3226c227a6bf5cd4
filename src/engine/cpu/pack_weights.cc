#include "engine/cpu/pack_weights.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "engine/cpu/attention.h"
#include "engine/cpu/row_ops.h"

namespace rex::engine {
namespace {

using Floats = std::vector<float>;

int32_t attention_ld_slots(const model::ModelConfig& config) {
  AttentionShape shape;
  shape.slots = config.slots();
  return shape.ld_slots();
}

LinearShape position_head_shape(const model::ModelConfig& config) {
  return {config.head_width(), config.slots(), WeightType::kF16};
}

// The sections of a model under construction and the memory behind them.
class Sections {
 public:
  std::span<std::byte> add(std::string name, size_t bytes) {
    memory_.emplace_back(bytes);
    list_.push_back({std::move(name), memory_.back().span()});
    return memory_.back().span();
  }
  void add_floats(std::string name, std::span<const float> values, size_t padded_count = 0) {
    const auto target = add(std::move(name), std::max(values.size(), padded_count) * sizeof(float));
    std::copy_n(values.data(), values.size(), reinterpret_cast<float*>(target.data()));
  }
  void take(Sections&& other) {
    std::move(other.memory_.begin(), other.memory_.end(), std::back_inserter(memory_));
    std::move(other.list_.begin(), other.list_.end(), std::back_inserter(list_));
  }
  void move_to(model::PackedModel& packed) {
    packed.sections = std::move(list_);
    packed.owner = std::make_shared<const std::vector<AlignedBytes>>(std::move(memory_));
  }

 private:
  std::vector<AlignedBytes> memory_;
  std::vector<model::PackedSection> list_;
};

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Several matrices or vectors below one another, the first multiplied by `first_scale`.
Floats stacked(std::initializer_list<const model::TensorView*> parts, float first_scale) {
  size_t total = 0;
  for (const auto* part : parts) total += static_cast<size_t>(part->count());
  Floats values(total);
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

Result<void> add_product(Sections& sections, const CpuProduct& product, const Floats& weight,
                         const Floats& bias) {
  const LinearShape& shape = product.shape;
  const auto columns = static_cast<size_t>(shape.panels()) * kPanelColumns;
  const auto panels = sections.add(product.name + ".weight", shape.weight_bytes());
  sections.add_floats(product.name + ".bias", bias, columns);
  std::span<float> scale;
  std::span<int32_t> sum;
  if (shape.type == WeightType::kInt8) {
    scale = as<float>(sections.add(product.name + ".scale", columns * sizeof(float)));
    sum = as<int32_t>(sections.add(product.name + ".sum", columns * sizeof(int32_t)));
  }
  if (pack_weight(shape, weight, panels, scale, sum)) return {};
  return fail(
      ErrorCode::kCheckpointInvalid,
      std::string("a weight is not finite or too large for ") + std::string(name_of(shape.type)),
      product.name);
}

void add_norm(Sections& sections, const std::string& name, const model::TensorView& weight,
              const model::TensorView& bias) {
  sections.add_floats(name, stacked({&weight, &bias}, 1.0F));
}

// R' of M5: the relative table after its norm, [slots, C].
Floats relative_table(const model::Weights& w) {
  const auto hidden = static_cast<size_t>(w.config.hidden);
  Floats table = model::as_floats(w.relative_embeddings);
  const Floats weight = model::as_floats(w.relative_norm_weight);
  const Floats bias = model::as_floats(w.relative_norm_bias);
  const NormView norm{weight.data(), bias.data(), w.config.layer_norm_eps};
  for (size_t at = 0; at < table.size(); at += hidden)
    layer_norm(norm, std::span(table).subspan(at, hidden));
  return table;
}

// PQ and PK are the layer's own query and key projections of R' (M7), made in f32 whatever the
// precision of the rest, and stored as attention.h wants them, a head behind the other.
Result<void> add_position_tables(Sections& sections, const model::ModelConfig& c,
                                 WeightType precision, const std::string& prefix,
                                 std::span<const float> qkv_weight, std::span<const float> qkv_bias,
                                 const Floats& relative) {
  const auto hidden = static_cast<size_t>(c.hidden), slots = static_cast<size_t>(c.slots());
  const LinearShape shape{c.hidden, 2 * c.hidden, WeightType::kF32};
  const auto columns = static_cast<size_t>(shape.panels()) * kPanelColumns;
  AlignedBytes panels(shape.weight_bytes());
  AlignedFloats bias(columns), projected(slots * 2 * hidden);
  std::copy_n(qkv_bias.begin(), 2 * hidden, bias.data());
  if (!pack_weight(shape, qkv_weight.first(2 * hidden * hidden), panels.span(), {}, {}))
    return fail(ErrorCode::kCheckpointInvalid, "a weight is not finite", prefix + "qkv");
  const AlignedFloats& kept_bias = bias;
  const AlignedBytes& kept_panels = panels;
  const Linear product(shape, {kept_panels.span(), kept_bias.span(), {}, {}}, Epilogue::kBias);
  const RowsView rows{relative.data(), static_cast<ptrdiff_t>(hidden * sizeof(float)), nullptr,
                      nullptr};
  for (int32_t task = 0; task < product.task_count(c.slots(), 1); ++task)
    product.run_task(task, c.slots(), 1, rows, projected.data());

  const auto query = sections.add(prefix + "position_query", position_table_bytes(c, precision));
  const auto key = sections.add(prefix + "position_key", position_table_bytes(c, precision));
  if (precision == WeightType::kF32) {
    const auto ld = static_cast<size_t>(attention_ld_slots(c));
    for (size_t slot = 0; slot < slots; ++slot) {
      const float* row = projected.data() + slot * 2 * hidden;
      for (size_t column = 0; column < hidden; ++column) {
        as<float>(query)[column * ld + slot] = row[column];
        as<float>(key)[column * ld + slot] = row[hidden + column];
      }
    }
    return {};
  }
  // A head's table is a weight of [slots, D] to the panel kernels.
  const LinearShape head_shape = position_head_shape(c);
  const size_t bytes = head_shape.weight_bytes();
  const auto width = static_cast<size_t>(c.head_width());
  Floats values(slots * width);
  for (size_t head = 0; head < static_cast<size_t>(c.heads); ++head) {
    for (const auto& [target, offset] : {std::pair{query, size_t{0}}, std::pair{key, hidden}}) {
      for (size_t slot = 0; slot < slots; ++slot) {
        const float* row = projected.data() + slot * 2 * hidden + offset + head * width;
        std::copy_n(row, width, values.begin() + static_cast<ptrdiff_t>(slot * width));
      }
      if (!pack_weight(head_shape, values, target.subspan(head * bytes, bytes), {}, {})) {
        return fail(ErrorCode::kCheckpointInvalid, "a position table is too large for f16",
                    prefix + "qkv");
      }
    }
  }
  return {};
}

Result<void> add_layer(Sections& sections, const model::Weights& w, WeightType precision,
                       int32_t index, const Floats& relative) {
  const model::ModelConfig& c = w.config;
  const model::LayerWeights& l = w.layers[static_cast<size_t>(index)];
  const CpuLayerProducts products = layer_products(c, precision, index);
  const std::string prefix = std::to_string(index) + ".";
  const float scale = 1.0F / std::sqrt(static_cast<float>(3 * c.head_width()));  // M9
  const Floats qkv = stacked({&l.query_weight, &l.key_weight, &l.value_weight}, scale);
  const Floats qkv_bias = stacked({&l.query_bias, &l.key_bias, &l.value_bias}, scale);
  REX_TRY_VOID(add_product(sections, products.qkv, qkv, qkv_bias));
  REX_TRY_VOID(add_product(sections, products.attention_out,
                           model::as_floats(l.attention_out_weight),
                           model::as_floats(l.attention_out_bias)));
  REX_TRY_VOID(add_product(sections, products.ffn_in, model::as_floats(l.ffn_in_weight),
                           model::as_floats(l.ffn_in_bias)));
  REX_TRY_VOID(add_product(sections, products.ffn_out, model::as_floats(l.ffn_out_weight),
                           model::as_floats(l.ffn_out_bias)));
  add_norm(sections, prefix + "attention_norm", l.attention_norm_weight, l.attention_norm_bias);
  add_norm(sections, prefix + "output_norm", l.output_norm_weight, l.output_norm_bias);
  return add_position_tables(sections, c, precision, prefix, qkv, qkv_bias, relative);
}

// [out, in, tap] → [out, tap, in], as the gathered neighbours lie.
Floats tap_major(const model::TensorView& weight, size_t width) {
  const Floats plain = model::as_floats(weight);
  Floats result(plain.size());
  for (size_t out = 0; out < width; ++out) {
    for (size_t in = 0; in < width; ++in) {
      for (size_t tap = 0; tap < 3; ++tap)
        result[(out * 3 + tap) * width + in] = plain[(out * width + in) * 3 + tap];
    }
  }
  return result;
}

// The embedding table keeps 16 bits a value where it has them; f32 values are rounded unless the
// whole model is f32.
void add_embeddings(Sections& sections, const model::TensorView& table, WeightType precision) {
  model::DType type = table.dtype;
  if (type == model::DType::kF32 && precision != WeightType::kF32) type = model::DType::kBF16;
  const auto count = static_cast<size_t>(table.count());
  const auto target = sections.add("embeddings." + std::string(model::name_of(type)),
                                   count * static_cast<size_t>(model::bytes_of(type)));
  if (type == table.dtype) {
    std::copy(table.bytes.begin(), table.bytes.end(), target.begin());
  } else {
    model::encode_floats(model::as_floats(table), type, target);
  }
}

CpuProduct product_of(std::string name, int32_t in, int32_t out, WeightType type,
                      Epilogue epilogue) {
  return {std::move(name), {in, out, type}, epilogue};
}

}  // namespace

CpuLayerProducts layer_products(const model::ModelConfig& c, WeightType precision, int32_t layer) {
  const std::string prefix = std::to_string(layer) + ".";
  return {
      product_of(prefix + "qkv", c.hidden, 3 * c.hidden, precision, Epilogue::kBias),
      product_of(prefix + "attention_out", c.hidden, c.hidden, precision, Epilogue::kBiasResidual),
      product_of(prefix + "ffn_in", c.hidden, c.intermediate, precision, Epilogue::kBiasGelu),
      product_of(prefix + "ffn_out", c.intermediate, c.hidden, precision, Epilogue::kBiasResidual)};
}

CpuProduct conv_product(const model::ModelConfig& c, WeightType precision) {
  return product_of("conv", 3 * c.hidden, c.hidden, precision, Epilogue::kBiasGelu);
}

// The head's logits are unscaled sums over all of its columns with a threshold at 0: beside int8
// layers it stays in bf16, which costs 1 % of the weights.
CpuProduct head_product(const model::ModelConfig& c, WeightType precision) {
  const WeightType type = precision == WeightType::kInt8 ? WeightType::kBF16 : precision;
  return product_of("head", c.hidden, 2 * c.hidden, type, Epilogue::kBias);
}

size_t position_table_bytes(const model::ModelConfig& config, WeightType precision) {
  if (precision != WeightType::kF32)
    return static_cast<size_t>(config.heads) * position_head_shape(config).weight_bytes();
  return static_cast<size_t>(config.hidden) * static_cast<size_t>(attention_ld_slots(config)) *
         sizeof(float);
}

Result<std::shared_ptr<const model::PackedModel>> pack_weights(const model::Weights& w,
                                                               WeightType precision,
                                                               ThreadTeam& team) {
  const model::ModelConfig& c = w.config;
  auto packed = std::make_shared<model::PackedModel>();
  packed->config = c;
  packed->format = kCpuFormat;
  packed->precision = name_of(precision);
  Sections all;
  add_embeddings(all, w.word_embeddings, precision);
  add_norm(all, "embedding_norm", w.embedding_norm_weight, w.embedding_norm_bias);

  const Floats relative = relative_table(w);
  const auto layers = static_cast<int32_t>(w.layers.size());
  std::vector<Sections> by_layer(w.layers.size());
  std::vector<Result<void>> results(w.layers.size());
  std::vector<std::exception_ptr> thrown(w.layers.size());  // a team's program must not throw
  team.run([&](Worker& worker) {
    worker.for_each(layers, [&](int32_t i) {
      const auto at = static_cast<size_t>(i);
      try {
        results[at] = add_layer(by_layer[at], w, precision, i, relative);
      } catch (...) {
        thrown[at] = std::current_exception();
      }
    });
  });
  for (size_t i = 0; i < by_layer.size(); ++i) {
    if (thrown[i]) std::rethrow_exception(thrown[i]);
    if (!results[i]) return fail(std::move(results[i]).error());
    all.take(std::move(by_layer[i]));
  }
  if (c.conv_kernel == 3) {
    REX_TRY_VOID(add_product(all, conv_product(c, precision),
                             tap_major(w.conv_weight, static_cast<size_t>(c.hidden)),
                             model::as_floats(w.conv_bias)));
    add_norm(all, "conv_norm", w.conv_norm_weight, w.conv_norm_bias);
  }
  REX_TRY_VOID(add_product(all, head_product(c, precision),
                           stacked({&w.query_head_weight, &w.key_head_weight}, 1.0F),
                           stacked({&w.query_head_bias, &w.key_head_bias}, 1.0F)));
  all.add_floats("rotary_frequencies", model::as_floats(w.rotary_frequencies));
  all.move_to(*packed);
  return std::shared_ptr<const model::PackedModel>(std::move(packed));
}

}  // namespace rex::engine

#include "engine/cpu/cpu_weights.h"

#include <algorithm>

#include "core/check.h"
#include "engine/cpu/pack_weights.h"

namespace rex::engine {
namespace {

// Sections by name, each of exactly the expected size.
class Reader {
 public:
  explicit Reader(const model::PackedModel& packed) : packed_(packed) {}

  Result<std::span<const std::byte>> bytes(const std::string& name, size_t count) const {
    const auto found = packed_.find(name);
    if (found.size() == count) return found;
    return fail(ErrorCode::kCheckpointMismatch,
                "the section has " + std::to_string(found.size()) + " bytes instead of " +
                    std::to_string(count) + "; convert the model again",
                name);
  }
  template <class T>
  Result<std::span<const T>> values(const std::string& name, size_t count) const {
    REX_TRY(found, bytes(name, count * sizeof(T)));
    return std::span<const T>(reinterpret_cast<const T*>(found.data()), count);
  }
  Result<NormView> norm(const std::string& name) const {
    const auto width = static_cast<size_t>(packed_.config.hidden);
    REX_TRY(both, values<float>(name, 2 * width));
    return NormView{both.data(), both.data() + width, packed_.config.layer_norm_eps};
  }
  Result<Linear> product(const CpuProduct& product) const {
    const LinearShape& shape = product.shape;
    const auto columns = static_cast<size_t>(shape.panels()) * kPanelColumns;
    LinearParts parts;
    REX_TRY(weight, bytes(product.name + ".weight", shape.weight_bytes()));
    REX_TRY(bias, values<float>(product.name + ".bias", columns));
    parts.weight = weight;
    parts.bias = bias;
    if (shape.type == WeightType::kInt8) {
      REX_TRY(scale, values<float>(product.name + ".scale", columns));
      REX_TRY(sum, values<int32_t>(product.name + ".sum", columns));
      parts.scale = scale;
      parts.sum = sum;
    }
    return Linear(shape, parts, product.epilogue);
  }

 private:
  const model::PackedModel& packed_;
};

Result<WeightType> precision_of(const model::PackedModel& packed) {
  if (packed.format != kCpuFormat) {
    return fail(ErrorCode::kCheckpointMismatch,
                "the file is packed for \"" + packed.format + "\", this engine reads \"" +
                    kCpuFormat + "\"; convert the model again",
                "/format");
  }
  for (const auto type :
       {WeightType::kF32, WeightType::kBF16, WeightType::kF16, WeightType::kInt8}) {
    if (packed.precision == name_of(type)) return type;
  }
  return fail(ErrorCode::kCheckpointMismatch, "no such precision: \"" + packed.precision + "\"",
              "/precision");
}

}  // namespace

Result<std::unique_ptr<CpuWeights>> CpuWeights::open(
    std::shared_ptr<const model::PackedModel> packed) {
  REX_TRY(precision, precision_of(*packed));
  std::unique_ptr<CpuWeights> weights(new CpuWeights(std::move(packed), precision));
  REX_TRY_VOID(weights->bind());
  return weights;
}

Result<void> CpuWeights::bind() {
  const model::ModelConfig& c = config();
  const Reader read(*packed_);
  slots_ = make_slot_table(c);
  attention = {c.head_width(), 3 * c.hidden, c.hidden, c.slots(), c.max_relative_positions <= 0,
               &slots_};
  half_kernel_ = panel_kernel(WeightType::kF16);
  if (precision_ != WeightType::kF32) attention.panels = &half_kernel_;
  position_head_bytes =
      static_cast<ptrdiff_t>(position_table_bytes(c, precision_) / static_cast<size_t>(c.heads));
  REX_TRY_VOID(bind_embeddings());
  layers.resize(static_cast<size_t>(c.layers));
  for (int32_t i = 0; i < c.layers; ++i) REX_TRY_VOID(bind_layer(i));
  if (c.conv_kernel == 3) {
    REX_TRY(product, read.product(conv_product(c, precision_)));
    REX_TRY(norm, read.norm("conv_norm"));
    conv = product;
    conv_norm = norm;
  }
  REX_TRY(head_linear, read.product(head_product(c, precision_)));
  head = head_linear;
  REX_TRY(frequencies, read.values<float>("rotary_frequencies", static_cast<size_t>(c.hidden / 2)));
  rotary = make_rotary_table(frequencies);
  return {};
}

Result<void> CpuWeights::bind_embeddings() {
  const Reader read(*packed_);
  REX_TRY(norm, read.norm("embedding_norm"));
  embedding_norm_ = norm;
  const auto count =
      static_cast<size_t>(config().vocab_rows) * static_cast<size_t>(config().hidden);
  for (const auto type : {model::DType::kF32, model::DType::kF16, model::DType::kBF16}) {
    const std::string name = "embeddings." + std::string(model::name_of(type));
    if (packed_->find(name).empty()) continue;
    REX_TRY(table, read.bytes(name, count * static_cast<size_t>(model::bytes_of(type))));
    embeddings_ = table;
    embedding_type_ = type;
    return {};
  }
  return fail(ErrorCode::kCheckpointMismatch,
              "there is no embedding table; convert the model again", "embeddings");
}

Result<void> CpuWeights::bind_layer(int32_t index) {
  const model::ModelConfig& c = config();
  const Reader read(*packed_);
  const CpuLayerProducts products = layer_products(c, precision_, index);
  const std::string prefix = std::to_string(index) + ".";
  CpuLayer& layer = layers[static_cast<size_t>(index)];
  REX_TRY(qkv, read.product(products.qkv));
  REX_TRY(attention_out, read.product(products.attention_out));
  REX_TRY(ffn_in, read.product(products.ffn_in));
  REX_TRY(ffn_out, read.product(products.ffn_out));
  REX_TRY(attention_norm, read.norm(prefix + "attention_norm"));
  REX_TRY(output_norm, read.norm(prefix + "output_norm"));
  const size_t table = position_table_bytes(c, precision_);
  REX_TRY(position_key, read.bytes(prefix + "position_key", table));
  REX_TRY(position_query, read.bytes(prefix + "position_query", table));
  layer = {qkv,
           attention_out,
           ffn_in,
           ffn_out,
           attention_norm,
           output_norm,
           position_key.data(),
           position_query.data()};
  return {};
}

void CpuWeights::embed(int32_t id, std::span<float> row) const {
  REX_CHECK(id >= 0 && id < config().vocab_rows, "token id inside the embedding table");
  const size_t row_bytes = row.size() * static_cast<size_t>(model::bytes_of(embedding_type_));
  model::decode_floats(embedding_type_,
                       embeddings_.subspan(static_cast<size_t>(id) * row_bytes, row_bytes), row);
  layer_norm(embedding_norm_, row);
}

int64_t CpuWeights::bytes() const {
  return packed_->bytes() +
         static_cast<int64_t>((rotary.cosine.size() + rotary.sine.size()) * sizeof(float));
}

}  // namespace rex::engine

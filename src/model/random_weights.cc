#include <cmath>
#include <span>

#include "core/check.h"
#include "model/weights.h"

namespace rex::model {
namespace {

constexpr float kDeviation = 0.02F;

// SplitMix64 (Steele, Lea, Flood 2014) as a function of a counter.
uint64_t random_bits(uint64_t counter) {
  uint64_t z = counter * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// The sum of four uniform 16-bit numbers: mean 2 · 65535, variance (2^32 - 1) / 3. Integers and
// one float product, so the same on every machine.
float nearly_normal(uint64_t bits) {
  const auto sum = static_cast<int32_t>((bits & 0xFFFFU) + ((bits >> 16U) & 0xFFFFU) +
                                        ((bits >> 32U) & 0xFFFFU) + (bits >> 48U));
  constexpr float kScale = 2.6428998e-05F;  // sqrt(3) / 65536
  return static_cast<float>(sum - 2 * 65535) * kScale;
}

void fill_normal(std::span<float> out, float mean, uint64_t stream) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = mean + kDeviation * nearly_normal(random_bits(stream + i));
  }
}

// M22: 10000^(-2i / C).
void fill_frequencies(std::span<float> out) {
  const auto half = static_cast<double>(out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(std::pow(10000.0, -static_cast<double>(i) / half));
  }
}

}  // namespace

std::shared_ptr<const Weights> random_weights(const ModelConfig& config, uint64_t seed) {
  int64_t total = 0;
  for (const ExpectedTensor& tensor : expected_tensors(config)) {
    total += TensorView{.shape = tensor.shape}.count();
  }
  const auto count = static_cast<size_t>(total);
  const std::shared_ptr<float[]> values(new float[count]);  // NOLINT: left unset until filled
  auto weights = std::make_shared<Weights>();
  weights->config = config;
  weights->owner = values;
  size_t used = 0;
  visit_tensors(
      *weights, [&](const std::string& name, std::vector<int64_t> shape, TensorView& view) {
        view.shape = std::move(shape);
        const std::span<float> out(values.get() + used, static_cast<size_t>(view.count()));
        view.bytes = std::as_bytes(out);
        if (name == "rotary_emb.freqs") {
          fill_frequencies(out);
        } else {
          const float mean = name.ends_with("LayerNorm.weight") ? 1.0F : 0.0F;
          fill_normal(out, mean, random_bits(seed) + used);
        }
        used += out.size();
      });
  REX_CHECK(used == count, "both walks visit the same tensors");
  return weights;
}

}  // namespace rex::model

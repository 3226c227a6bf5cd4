// Operations on single rows of C floats: LayerNorm and the head's rotation.
#pragma once

#include <cstdint>
#include <span>

namespace rex::engine {

struct NormView {
  const float* weight = nullptr;  // [C]
  const float* bias = nullptr;    // [C]
  float eps = 0.0F;
};

// row ← (row − mean) / sqrt(var + eps) · weight + bias, biased variance, in place.
void layer_norm(const NormView& norm, std::span<float> row);

// row ← LayerNorm(row + other): the residual after the convolution (M16).
void add_layer_norm(const NormView& norm, std::span<float> row, std::span<const float> other);

// Rotates adjacent pairs by the angles of one position (M22): cosine and sine are [C / 2].
void rotate_row(std::span<const float> cosine, std::span<const float> sine, std::span<float> row);

}  // namespace rex::engine

// One tensor of a checkpoint: its type, shape and bytes, and exact conversion from and to float.
// Safe to call from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rex::model {

enum class DType : uint8_t { kF32, kF16, kBF16 };
int32_t bytes_of(DType dtype);
std::string_view name_of(DType dtype);  // "f32", "f16", "bf16"

// A dense row-major tensor. Borrows its bytes (little-endian, any alignment).
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};

  [[nodiscard]] int64_t count() const;  // product of the shape
};

struct NamedTensor {
  std::string name;
  TensorView tensor;
};

// "[12804, 768]", for messages.
std::string shape_text(std::span<const int64_t> shape);

// The same for a bare run of values, such as one row of a table; allocates nothing.
// Requires bytes.size() == out.size() · bytes_of(dtype).
void decode_floats(DType dtype, std::span<const std::byte> bytes, std::span<float> out);

// Converts all values of `tensor` to float, row-major. Requires out.size() == tensor.count().
// Exact for every type: subnormals, infinities and NaN stay what they are, whatever the thread's
// rounding and flush-to-zero modes.
void copy_as_float(const TensorView& tensor, std::span<float> out);
std::vector<float> as_floats(const TensorView& tensor);

// Rounds values to `dtype` (to nearest, ties to even; too large becomes infinity; NaN stays NaN).
// Requires out.size() == values.size() · bytes_of(dtype).
void encode_floats(std::span<const float> values, DType dtype, std::span<std::byte> out);

}  // namespace rex::model

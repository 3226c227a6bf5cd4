#include "model/tensor.h"

#include <bit>
#include <cstring>

#include "core/check.h"

namespace rex::model {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

// Integer arithmetic and one exact subtraction of normal numbers: a subnormal half never becomes
// a subnormal float on the way, so flush-to-zero cannot lose it.
float half_to_float(uint16_t half) {
  const uint32_t sign = (half & 0x8000U) << 16U;
  const uint32_t magnitude = (half & 0x7FFFU) << 13U;
  const uint32_t exponent = half & 0x7C00U;
  const float subnormal =
      std::bit_cast<float>(magnitude + (113U << 23U)) - std::bit_cast<float>(113U << 23U);
  const uint32_t shifted = magnitude + (exponent == 0x7C00U ? 224U << 23U : 112U << 23U);
  const uint32_t value = exponent == 0 ? std::bit_cast<uint32_t>(subnormal) : shifted;
  return std::bit_cast<float>(sign | value);
}

uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<uint16_t>(sign | 0x7C00U);
  if (magnitude >= 0x38800000U) {  // normal half: round away the low 13 bits
    const uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U);
    return static_cast<uint16_t>(sign | ((rounded - (112U << 23U)) >> 13U));
  }
  if (magnitude < 0x33000000U) return static_cast<uint16_t>(sign);  // below half of the smallest
  const uint32_t shift = 126U - (magnitude >> 23U);                 // 14…24
  const uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
  const uint32_t rest = mantissa & ((1U << shift) - 1U);
  const uint32_t middle = 1U << (shift - 1U);
  uint32_t result = mantissa >> shift;
  if (rest > middle || (rest == middle && (result & 1U) != 0)) ++result;
  return static_cast<uint16_t>(sign | result);
}

float brain_to_float(uint16_t brain) {
  return std::bit_cast<float>(uint32_t{brain} << 16U);
}

uint16_t float_to_brain(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

template <class Convert>
void decode_words(const std::byte* in, std::span<float> out, Convert convert) {
  for (size_t i = 0; i < out.size(); ++i) {
    uint16_t word = 0;
    std::memcpy(&word, in + 2 * i, sizeof word);
    out[i] = convert(word);
  }
}

template <class Convert>
void encode_words(std::span<const float> values, std::byte* out, Convert convert) {
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t word = convert(values[i]);
    std::memcpy(out + 2 * i, &word, sizeof word);
  }
}

}  // namespace

int32_t bytes_of(DType dtype) {
  return dtype == DType::kF32 ? 4 : 2;
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return "f16";
    case DType::kBF16: return "bf16";
    case DType::kF32: break;
  }
  return "f32";
}

int64_t TensorView::count() const {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

void decode_floats(DType dtype, std::span<const std::byte> bytes, std::span<float> out) {
  REX_CHECK(bytes.size() == out.size() * static_cast<size_t>(bytes_of(dtype)),
            "a reader has checked the bytes against the shape");
  if (out.empty()) return;
  switch (dtype) {
    case DType::kF32: std::memcpy(out.data(), bytes.data(), bytes.size()); break;
    case DType::kF16: decode_words(bytes.data(), out, half_to_float); break;
    case DType::kBF16: decode_words(bytes.data(), out, brain_to_float); break;
  }
}

void copy_as_float(const TensorView& tensor, std::span<float> out) {
  REX_CHECK(out.size() == static_cast<size_t>(tensor.count()), "one float for each value");
  decode_floats(tensor.dtype, tensor.bytes, out);
}

std::vector<float> as_floats(const TensorView& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.count()));
  copy_as_float(tensor, values);
  return values;
}

void encode_floats(std::span<const float> values, DType dtype, std::span<std::byte> out) {
  REX_CHECK(out.size() == values.size() * static_cast<size_t>(bytes_of(dtype)),
            "room for each value");
  if (values.empty()) return;
  switch (dtype) {
    case DType::kF32: std::memcpy(out.data(), values.data(), out.size()); break;
    case DType::kF16: encode_words(values, out.data(), float_to_half); break;
    case DType::kBF16: encode_words(values, out.data(), float_to_brain); break;
  }
}

}  // namespace rex::model

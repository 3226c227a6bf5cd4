// The inner product of every linear layer: some rows times one panel of packed weights. A panel is
// 32 output columns over the whole inner dimension; its layout does not depend on the instruction
// set, so one packed file serves every machine. K is the inner dimension, padded with zeros.
//
//   f32   float    [K][32]
//   bf16  uint16   [K / 2][32][2]   upper halves of floats, in pairs as AVX512_BF16 and AMX read
//   them f16   uint16   [K / 2][32][2] int8  int8     [K / 4][32][4]   in fours as VNNI and AMX
//   read them
//
// Every sum is one fixed sequence of operations over K whatever the number of rows, so a row's
// result depends neither on the rows beside it nor on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rex::engine {

inline constexpr int32_t kPanelColumns = 32;
inline constexpr int32_t kPanelRows = 64;  // at most, in one job
inline constexpr int32_t kDepthStep = 64;  // K is padded to it, except for f32

// How weights are stored.
enum class WeightType : uint8_t { kF32, kBF16, kF16, kInt8 };
// How the rows of x must be given to a kernel; kU8 with a scale and a zero point for each row.
enum class RowType : uint8_t { kF32, kBF16, kF16, kU8 };

constexpr int32_t bytes_of(WeightType type) {
  return type == WeightType::kF32 ? 4 : type == WeightType::kInt8 ? 1 : 2;
}
constexpr int32_t bytes_of(RowType type) {
  return type == RowType::kF32 ? 4 : type == RowType::kU8 ? 1 : 2;
}
std::string_view name_of(WeightType type);  // "f32", "bf16", "f16", "int8"

struct PanelJob {
  const void* x = nullptr;          // rows of the kernel's row type
  ptrdiff_t x_stride = 0;           // bytes between rows
  int32_t rows = 0;                 // 1…kPanelRows
  int32_t depth = 0;                // K as packed
  const void* panel = nullptr;      // 64-byte aligned
  float* sums = nullptr;            // [rows, 32], ld_sums apart; int32 for int8
  const void* next = nullptr;       // the panel to fetch into the second-level cache meanwhile
  int32_t ld_sums = kPanelColumns;  // values between rows of sums

  // Where the tile that begins at `row` starts to fetch: the first tile takes one half of the next
  // panel, a cache line each step of its loop, and those after it the other.
  [[nodiscard]] const char* fetch_begin(int32_t row, int32_t steps) const {
    return static_cast<const char*>(next) + (row == 0 ? 0 : ptrdiff_t{64} * steps);
  }
};

struct PanelKernel {
  void (*run)(const PanelJob& job) = nullptr;
  RowType rows = RowType::kF32;
  std::string_view name;  // instruction set, for people
};

// The kernels for weights of this type that this machine can run, the one to prefer first. There is
// always one, in Highway. Depends on the processor and the system alone.
std::vector<PanelKernel> usable_panel_kernels(WeightType type);

// The first of them. $REXUNINLU_CPU_ISA=avx512 passes over AMX, =portable over all but Highway's.
PanelKernel panel_kernel(WeightType type);

}  // namespace rex::engine

// What a reader finds in one checkpoint file: named views into its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/tensor.h"

namespace rex::model {

// Borrows the file's bytes. Names differ from one another.
struct TensorList {
  std::vector<NamedTensor> tensors;  // in file order
  std::vector<std::string> ignored;  // names that no model uses, see is_ignored_name()
};

// Older checkpoints carry an integer buffer `…position_ids`; it may be there, of any type.
bool is_ignored_name(std::string_view name);

// Bounds of a plausible tensor; more is a damaged or hostile file.
inline constexpr size_t kMaxRank = 8;
inline constexpr size_t kMaxNameBytes = 512;

// Bytes of a tensor of this shape, or nothing when a size is negative or the product overflows.
std::optional<uint64_t> tensor_bytes(std::span<const int64_t> shape, int32_t item_bytes);

}  // namespace rex::model

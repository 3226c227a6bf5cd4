#include "model/files/tensor_list.h"

#include "core/checked.h"

namespace rex::model {

bool is_ignored_name(std::string_view name) {
  return name == "position_ids" || name.ends_with(".position_ids");
}

std::optional<uint64_t> tensor_bytes(std::span<const int64_t> shape, int32_t item_bytes) {
  std::optional<uint64_t> bytes = static_cast<uint64_t>(item_bytes);
  for (const int64_t size : shape) {
    if (size < 0) return std::nullopt;
    bytes = checked_mul(*bytes, static_cast<uint64_t>(size));
    if (!bytes) return std::nullopt;
  }
  return bytes;
}

}  // namespace rex::model

// Any bytes as a safetensors file, and as the index of a sharded one.
#include <cstddef>
#include <cstdint>

#include "model/files/bytes.h"
#include "model/files/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  if (const auto list = rex::model::parse_safetensors(file)) {
    for (const auto& item : list->tensors) static_cast<void>(rex::model::as_floats(item.tensor));
  }
  static_cast<void>(rex::model::parse_shard_index(rex::model::as_text(file)));
  return 0;
}

// The reader of packed models: any bytes, an error or a model whose sections lie inside them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "model/packed_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const auto parsed = rex::model::parse_packed(file);
  if (!parsed) return 0;
  for (const auto& section : parsed->sections) {
    const bool inside = section.bytes.empty() ||
                        (section.bytes.data() >= file.data() &&
                         section.bytes.data() + section.bytes.size() <= file.data() + file.size());
    if (!inside || parsed->find(section.name).data() != section.bytes.data()) std::abort();
  }
  return 0;
}

// Any bytes as a torch checkpoint (zip archive with a pickle) and as the pickle alone.
#include <cstddef>
#include <cstdint>

#include "model/files/pickle.h"
#include "model/files/torch_checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  if (const auto list = rex::model::parse_torch_checkpoint(file)) {
    for (const auto& item : list->tensors) static_cast<void>(rex::model::as_floats(item.tensor));
  }
  static_cast<void>(rex::model::read_state_dict(file));
  return 0;
}

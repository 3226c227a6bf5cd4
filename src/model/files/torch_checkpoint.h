// pytorch_model.bin as torch.save has written it since version 1.6: a zip archive with a pickled
// index `<folder>/data.pkl` and one stored entry `<folder>/data/<key>` for each storage.
#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"
#include "model/files/tensor_list.h"

namespace rex::model {

// Views into `file`; nothing is executed or copied. Each tensor must be row-major without gaps
// and lie inside its storage, whose entry must have the size that the index states.
// Errors: those of read_zip() and read_state_dict(); CHECKPOINT_INVALID (place: "tensor NAME") for
// ranges; CHECKPOINT_MISMATCH for an element type other than f32, f16, bf16 (ignored names
// excepted), transposed or strided tensors, big-endian files. A file in another format is named.
Result<TensorList> parse_torch_checkpoint(std::span<const std::byte> file);

}  // namespace rex::model

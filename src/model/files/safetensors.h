// safetensors: eight bytes with the length of a JSON header, the header (name → dtype, shape,
// data_offsets), then the bytes of all tensors. Read in place, written in one pass.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/files/tensor_list.h"

namespace rex::model {

// Views into `file`. Nothing is trusted: the header's length is compared with the file and with
// kMaxJsonBytes before anything is read, each tensor's range with the file and with its shape.
// Tensors may share bytes; F32, F16 and BF16 are accepted, other types only for ignored names.
// Errors: CHECKPOINT_INVALID (place: "tensor NAME"), CHECKPOINT_MISMATCH for another type.
Result<TensorList> parse_safetensors(std::span<const std::byte> file);

// model.safetensors.index.json: which file of the folder holds which tensors. File names are
// plain (no folders) and end in .safetensors; at most kMaxShards of them.
inline constexpr size_t kMaxShards = 256;
using ShardIndex = std::map<std::string, std::vector<std::string>>;  // file → tensor names
// Errors: CHECKPOINT_INVALID.
Result<ShardIndex> parse_shard_index(std::string_view json_text);

struct TensorToWrite {
  std::string name;
  TensorView tensor;
  DType dtype = DType::kF32;  // in the file; values are rounded where it is narrower
};

// Writes a file whose data start at a multiple of 64 bytes: wide types first, then by name, the
// order of the format's own writer. Names must differ. The file appears under its name only when
// it is complete (it is written beside it as NAME.partial). Errors: FILE_UNWRITABLE with the
// system's reason, for example a full disk; nothing is left behind then.
Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorToWrite> tensors);

}  // namespace rex::model

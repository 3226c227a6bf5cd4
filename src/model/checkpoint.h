// The checkpoint of a model folder, whatever its format, mapped into memory.
#pragma once

#include <filesystem>
#include <memory>

#include "core/result.h"
#include "model/files/tensor_list.h"

namespace rex::model {

struct Checkpoint {
  TensorList list;                    // views into `owner`
  std::shared_ptr<const void> owner;  // the mapped files
  std::filesystem::path path;         // the file, or the index of several
};

// Takes the first that exists of model.safetensors, model.safetensors.index.json (shards) and
// pytorch_model.bin. With an index, each shard must hold exactly the tensors that the index
// places there. Costs one mapping a file: no weight is read.
// Errors: FILE_NOT_FOUND naming the three; those of the readers, with the file in the place.
Result<Checkpoint> open_checkpoint(const std::filesystem::path& model_dir);

}  // namespace rex::model

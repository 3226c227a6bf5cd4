// The index of a torch checkpoint: a pickled dictionary from names to tensors, read without
// executing anything (pickle_machine.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "model/files/pickle_machine.h"

namespace rex::model {

// One entry of a state dict. Text borrows the pickle.
struct PickledTensor {
  std::string_view name;
  StorageClass storage_class;
  std::string_view storage_key;  // the zip entry data/<key> holds the storage
  int64_t storage_items = 0;     // as the pickle claims
  int64_t offset = 0;            // first item of the tensor in its storage
  std::vector<int64_t> shape;    // as the pickle claims, at most kMaxRank numbers
  std::vector<int64_t> strides;  // in items, as many as `shape` has
};

// Entries in file order, names distinct. Errors, beside those of run_pickle():
//   CHECKPOINT_MISMATCH  not a dictionary, or an entry that is not a tensor; a state dict inside
//                        another dictionary is named
//   CHECKPOINT_INVALID   a repeated or overlong name, a shape without its strides
Result<std::vector<PickledTensor>> read_state_dict(std::span<const std::byte> pickle);

}  // namespace rex::model

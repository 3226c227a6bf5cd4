// A pickle machine that executes nothing. A pickle is a program for a small stack machine which
// normally may call any function; this one knows a closed list of opcodes (pickle_opcodes.h) and
// a closed list of globals, builds plain objects from them, and stops at everything else.
//
//   collections.OrderedDict()                          an empty dictionary
//   torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, flag, hooks)   a tensor
//   torch._utils._rebuild_parameter(tensor, flag, hooks)                            that tensor
//   torch.<Type>Storage                                the element type of a storage
//
// Work and memory are linear in the pickle, which is at most kMaxPickleBytes long; strings borrow
// it; nothing recurses. One call, one thread; no state between calls.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "model/files/pickle_globals.h"

namespace rex::model {

inline constexpr size_t kMaxPickleBytes = size_t{1} << 20U;  // a base model's index has 25 KB
inline constexpr size_t kMaxPickleObjects = size_t{1} << 18U;
inline constexpr size_t kMaxPickleStack = size_t{1} << 16U;

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kTuple,
  kList,
  kDict,
  kGlobal,
  kStorage,
  kTensor
};
std::string_view name_of(PickleKind kind);  // "a dictionary", …, for messages

using PickleId = uint32_t;  // index of an object

struct PickleObject {
  PickleKind kind = PickleKind::kNone;
  int64_t number = 0;          // kBool, kInt; kStorage: items
  std::string_view text = {};  // kString; kGlobal: dotted name; kStorage: its key
  // kTuple, kList: the items. kDict: key, value, key, value, … in order of insertion.
  // kTensor: storage, offset (int), shape and strides (tuples of at most kMaxRank int).
  std::vector<PickleId> items = {};
  const StorageClass* storage_class = nullptr;  // kStorage, and kGlobal that names one
};

struct PickleResult {
  std::vector<PickleObject> objects;
  PickleId root = 0;
};

// Runs the pickle. Errors, with the place "byte N":
//   CHECKPOINT_UNSAFE   an opcode, a global or a use of one that is not on the lists
//   CHECKPOINT_INVALID  truncated, inconsistent, or above a limit
Result<PickleResult> run_pickle(std::span<const std::byte> pickle);

}  // namespace rex::model

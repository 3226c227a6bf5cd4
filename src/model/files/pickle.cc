#include "model/files/pickle.h"

#include <set>

#include "model/files/bytes.h"
#include "model/files/tensor_list.h"

namespace rex::model {
namespace {

Result<std::string_view> read_name(const PickleObject& key) {
  if (key.kind != PickleKind::kString) {
    return fail(ErrorCode::kCheckpointMismatch,
                "a name in the state dict is " + std::string(name_of(key.kind)));
  }
  if (key.text.size() > kMaxNameBytes) {
    return fail(ErrorCode::kCheckpointInvalid, "a tensor's name is too long");
  }
  return key.text;
}

Failure not_a_tensor(std::string_view name, const PickleObject& value) {
  std::string message =
      "entry " + printable(name) + " is " + std::string(name_of(value.kind)) + ", not a tensor";
  if (value.kind == PickleKind::kDict && (name == "state_dict" || name == "model")) {
    message += ": the weights lie inside it; save that dictionary by itself";
  }
  return fail(ErrorCode::kCheckpointMismatch, std::move(message));
}

std::vector<int64_t> numbers(const PickleResult& pickle, const PickleObject& tuple) {
  std::vector<int64_t> values;
  values.reserve(tuple.items.size());
  for (const PickleId id : tuple.items) values.push_back(pickle.objects[id].number);
  return values;
}

Result<PickledTensor> read_tensor(const PickleResult& pickle, std::string_view name,
                                  const PickleObject& tensor) {
  const PickleObject& storage = pickle.objects[tensor.items[0]];
  const PickleObject& shape = pickle.objects[tensor.items[2]];
  const PickleObject& strides = pickle.objects[tensor.items[3]];
  if (strides.items.size() != shape.items.size()) {
    return fail(ErrorCode::kCheckpointInvalid,
                "its shape has " + std::to_string(shape.items.size()) + " dimensions and " +
                    std::to_string(strides.items.size()) + " strides",
                "tensor " + printable(name));
  }
  return PickledTensor{.name = name,
                       .storage_class = *storage.storage_class,
                       .storage_key = storage.text,
                       .storage_items = storage.number,
                       .offset = pickle.objects[tensor.items[1]].number,
                       .shape = numbers(pickle, shape),
                       .strides = numbers(pickle, strides)};
}

}  // namespace

Result<std::vector<PickledTensor>> read_state_dict(std::span<const std::byte> pickle) {
  REX_TRY(result, run_pickle(pickle));
  const PickleObject& root = result.objects[result.root];
  if (root.kind != PickleKind::kDict) {
    return fail(ErrorCode::kCheckpointMismatch,
                "expected a dictionary of tensors, found " + std::string(name_of(root.kind)));
  }
  std::vector<PickledTensor> tensors;
  std::set<std::string_view> names;
  for (size_t i = 0; i < root.items.size(); i += 2) {
    REX_TRY(name, read_name(result.objects[root.items[i]]));
    const PickleObject& value = result.objects[root.items[i + 1]];
    if (value.kind != PickleKind::kTensor) return not_a_tensor(name, value);
    REX_TRY(tensor, read_tensor(result, name, value));
    if (!names.insert(name).second) {
      return fail(ErrorCode::kCheckpointInvalid, "the name stands twice",
                  "tensor " + printable(name));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace rex::model

// The closed list of globals that a pickled state dict may name. Nothing is ever called: the
// machine knows what each of them would build.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/tensor.h"

namespace rex::model {

inline constexpr std::string_view kOrderedDict = "collections.OrderedDict";
inline constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
inline constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

// One of torch's storage classes. `dtype` is set for the types that weights may have.
struct StorageClass {
  std::string_view global;     // "torch.FloatStorage"
  std::string_view type_name;  // "f32"
  int32_t item_bytes = 0;
  std::optional<DType> dtype;
};

struct PickleGlobal {
  std::string_view name;                        // dotted, as above
  const StorageClass* storage_class = nullptr;  // static, for a torch.<Type>Storage
};

// Nothing for a global that is not on the list. Names are compared as they stand: a dot inside a
// module or name never moves the border between the two.
std::optional<PickleGlobal> find_global(std::string_view module, std::string_view name);

}  // namespace rex::model

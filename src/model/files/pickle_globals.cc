#include "model/files/pickle_globals.h"

#include <array>

namespace rex::model {
namespace {

constexpr std::array kStorageClasses = {
    StorageClass{"torch.FloatStorage", "f32", 4, DType::kF32},
    StorageClass{"torch.HalfStorage", "f16", 2, DType::kF16},
    StorageClass{"torch.BFloat16Storage", "bf16", 2, DType::kBF16},
    StorageClass{"torch.DoubleStorage", "f64", 8, std::nullopt},
    StorageClass{"torch.LongStorage", "i64", 8, std::nullopt},
    StorageClass{"torch.IntStorage", "i32", 4, std::nullopt},
    StorageClass{"torch.ShortStorage", "i16", 2, std::nullopt},
    StorageClass{"torch.CharStorage", "i8", 1, std::nullopt},
    StorageClass{"torch.ByteStorage", "u8", 1, std::nullopt},
    StorageClass{"torch.BoolStorage", "bool", 1, std::nullopt},
};

// The last dot of a listed global parts module and name.
bool is_named(std::string_view dotted, std::string_view module, std::string_view name) {
  const size_t dot = dotted.rfind('.');
  return dotted.substr(0, dot) == module && dotted.substr(dot + 1) == name;
}

}  // namespace

std::optional<PickleGlobal> find_global(std::string_view module, std::string_view name) {
  for (const std::string_view function : {kOrderedDict, kRebuildTensor, kRebuildParameter}) {
    if (is_named(function, module, name)) return PickleGlobal{function};
  }
  for (const StorageClass& row : kStorageClasses) {
    if (is_named(row.global, module, name)) return PickleGlobal{row.global, &row};
  }
  return std::nullopt;
}

}  // namespace rex::model

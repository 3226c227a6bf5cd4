#include "engine/cuda_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "engine/cuda/cuda_entry.h"

namespace rex::engine {
namespace {

struct Library {
  CudaEntry make = nullptr;
  std::string fault;
};

Library open_library() {
  const char* chosen = std::getenv("REXUNINLU_CUDA_LIBRARY");
  const char* name = chosen != nullptr && *chosen != '\0' ? chosen : "librex_cuda.so";
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string reason = dlerror();
    const bool absent = chosen == nullptr && reason.starts_with("librex_cuda.so: cannot open");
    return {nullptr, absent ? "this installation has no GPU library (librex_cuda.so)"
                            : "the GPU library cannot be opened: " + reason};
  }
  const auto layout = reinterpret_cast<CudaLayoutEntry>(dlsym(handle, kCudaLayoutSymbol));
  const auto make = reinterpret_cast<CudaEntry>(dlsym(handle, kCudaEntrySymbol));
  if (layout == nullptr || make == nullptr || layout() != cuda_layout()) {
    return {nullptr, "the GPU library belongs to another build of the program"};
  }
  return {make, ""};
}

}  // namespace

Result<std::unique_ptr<Engine>> make_cuda_engine_from_library(
    std::shared_ptr<const model::Weights> weights, const CudaOptions& options) {
  static const Library library = open_library();
  if (library.make == nullptr) return fail(ErrorCode::kOptionRange, library.fault, "device");
  return library.make(std::move(weights), options);
}

}  // namespace rex::engine

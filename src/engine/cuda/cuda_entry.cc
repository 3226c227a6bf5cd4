#include "engine/cuda/cuda_entry.h"

// The C++ types are those of the program's own build; cuda_layout() guards that.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif

extern "C" {

__attribute__((visibility("default"))) uint64_t rex_cuda_layout() {
  return rex::engine::cuda_layout();
}

__attribute__((visibility("default"))) rex::Result<std::unique_ptr<rex::engine::Engine>>
rex_make_cuda_engine(std::shared_ptr<const rex::model::Weights> weights,
                     const rex::engine::CudaOptions& options) {
  return rex::engine::make_cuda_engine(std::move(weights), options);
}
}

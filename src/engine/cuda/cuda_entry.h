// What librex_cuda.so exports, and how the program makes sure that both were built from the same
// headers.
#pragma once

#include "engine/cuda/cuda_engine.h"

namespace rex::engine {

inline constexpr const char* kCudaEntrySymbol = "rex_make_cuda_engine";
inline constexpr const char* kCudaLayoutSymbol = "rex_cuda_layout";

using CudaEntry = Result<std::unique_ptr<Engine>> (*)(std::shared_ptr<const model::Weights>,
                                                      const CudaOptions&);
using CudaLayoutEntry = uint64_t (*)();

// A figure that changes when a type that crosses the border changes its size, and by hand (the
// last factor) when one changes its meaning.
constexpr uint64_t cuda_layout() {
  uint64_t figure = 1;
  for (const size_t size : {sizeof(model::Weights), sizeof(model::ModelConfig), sizeof(CudaOptions),
                            sizeof(EngineInfo), sizeof(MemoryPlan), sizeof(PackedBatch),
                            sizeof(PassInfo), sizeof(LinkLists), sizeof(Error)}) {
    figure = figure * 1009 + size;
  }
  return figure * 1009 + 1;
}

}  // namespace rex::engine

// What the host side of the CUDA engine shares: error checks and element types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rex::engine::cuda {

// A failed call of the runtime or of cuBLASLt; the engine turns it into a Result.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

// Of the calling thread's device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&value, attribute, device), "device properties");
  return value;
}

using half = __half;
using bfloat = __nv_bfloat16;

}  // namespace rex::engine::cuda

// y = x · Wᵀ + b through cuBLASLt, with the algorithm of every row count chosen by measurement and
// remembered.
#pragma once

#include <cublasLt.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

template <class T>
struct DeviceLinear {
  const T* weight = nullptr;   // [out, in]
  const void* bias = nullptr;  // [out], T; FP32 for a product that stores FP32
  int32_t in = 0, out = 0;
  int32_t ld_in = 0;  // values between rows of x
};

// What a product does with its result.
enum class Output : uint8_t {
  kStore,     // y = …
  kAdd,       // y += … (the residual, in place)
  kStoreF32,  // y = … as FP32 (the head: rotation must start from FP32)
};

// One thread at a time. Owns a cuBLASLt handle; workspace and stream are given.
class Products {
 public:
  Products(void* workspace, size_t workspace_bytes, cudaStream_t stream);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  // `rows` rows of x into y (dense).
  template <class T>
  void run(const DeviceLinear<T>& linear, const T* x, void* y, int32_t rows, Output output);

  // Times the best candidates for this product and keeps the fastest. Overwrites y. Returns false
  // when the choice was known already.
  template <class T>
  bool tune(const DeviceLinear<T>& linear, const T* x, void* y, int32_t rows, Output output);

  // Choices as text, one a line, for the cache file; and back. Unknown lines are ignored.
  [[nodiscard]] std::string choices() const;
  void adopt(const std::string& choices);

 private:
  using Key =
      std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t>;  // type, in, out, rows, output
  struct Call;

  template <class T>
  Key key_of(const DeviceLinear<T>& linear, int32_t rows, Output output) const;
  std::vector<cublasLtMatmulHeuristicResult_t> candidates(const Call& call, int32_t wanted);

  cublasLtHandle_t handle_ = nullptr;
  void* workspace_;
  size_t workspace_bytes_;
  cudaStream_t stream_;
  std::map<Key, cublasLtMatmulAlgo_t> chosen_;
  std::map<Key, bool> tuned_;
};

}  // namespace rex::engine::cuda

// cuBLASLt is column-major: our y [rows, out] = x [rows, in] · W [out, in]ᵀ is its
// D [out × rows] = Wᵀ-transposed · X, with the bias along D's rows, which its epilogue adds.
#include "engine/cuda/linear.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace rex::engine::cuda {
namespace {

constexpr int32_t kCandidates = 12;

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw DeviceError(std::string(what) + ": cuBLASLt status " + std::to_string(status));
  }
}

template <class T>
constexpr cudaDataType_t type_of() {
  if constexpr (std::is_same_v<T, half>) return CUDA_R_16F;
  if constexpr (std::is_same_v<T, bfloat>) return CUDA_R_16BF;
  return CUDA_R_32F;
}

class Layout {
 public:
  Layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t ld) {
    check(cublasLtMatrixLayoutCreate(&layout_, type, static_cast<uint64_t>(rows),
                                     static_cast<uint64_t>(cols), ld),
          "layout");
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(layout_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  [[nodiscard]] cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

}  // namespace

// One product with its descriptors.
struct Products::Call {
  template <class T>
  Call(const DeviceLinear<T>& linear, const T* x, void* y, int32_t rows, Output output)
      : weight(type_of<T>(), linear.in, linear.out, linear.in),
        input(type_of<T>(), linear.in, rows, linear.ld_in),
        result(output == Output::kStoreF32 ? CUDA_R_32F : type_of<T>(), linear.out, rows,
               linear.out),
        w(linear.weight),
        x_(x),
        y_(y),
        beta(output == Output::kAdd ? 1.0F : 0.0F) {
    check(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), "product");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const void* bias = linear.bias;
    const cudaDataType_t bias_type = output == Output::kStoreF32 ? CUDA_R_32F : type_of<T>();
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type);
  }
  ~Call() { cublasLtMatmulDescDestroy(description); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
          "product attribute");
  }

  cublasStatus_t run(cublasLtHandle_t handle, const cublasLtMatmulAlgo_t& algo, void* workspace,
                     size_t workspace_bytes, cudaStream_t stream) const {
    const float alpha = 1.0F;
    return cublasLtMatmul(handle, description, &alpha, w, weight.get(), x_, input.get(), &beta, y_,
                          result.get(), y_, result.get(), &algo, workspace, workspace_bytes,
                          stream);
  }

  cublasLtMatmulDesc_t description = nullptr;
  Layout weight, input, result;
  const void* w;
  const void* x_;
  void* y_;
  float beta;
};

Products::Products(void* workspace, size_t workspace_bytes, cudaStream_t stream)
    : workspace_(workspace), workspace_bytes_(workspace_bytes), stream_(stream) {
  check(cublasLtCreate(&handle_), "start of cuBLASLt");
}

Products::~Products() {
  cublasLtDestroy(handle_);
}

template <class T>
Products::Key Products::key_of(const DeviceLinear<T>& linear, int32_t rows, Output output) const {
  return {static_cast<int32_t>(type_of<T>()), linear.in, linear.out, rows,
          static_cast<int32_t>(output)};
}

std::vector<cublasLtMatmulHeuristicResult_t> Products::candidates(const Call& call,
                                                                  int32_t wanted) {
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "product preference");
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &workspace_bytes_, sizeof workspace_bytes_),
        "product workspace");
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<size_t>(wanted));
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, call.description, call.weight.get(), call.input.get(), call.result.get(),
      call.result.get(), preference, wanted, results.data(), &found);
  cublasLtMatmulPreferenceDestroy(preference);
  check(status, "choice of a product");
  if (found == 0) throw DeviceError("cuBLASLt has no algorithm for a product");
  results.resize(static_cast<size_t>(found));
  return results;
}

template <class T>
void Products::run(const DeviceLinear<T>& linear, const T* x, void* y, int32_t rows,
                   Output output) {
  const Call call(linear, x, y, rows, output);
  const Key key = key_of(linear, rows, output);
  auto found = chosen_.find(key);
  if (found == chosen_.end()) found = chosen_.emplace(key, candidates(call, 1)[0].algo).first;
  check(call.run(handle_, found->second, workspace_, workspace_bytes_, stream_), "product");
}

template <class T>
bool Products::tune(const DeviceLinear<T>& linear, const T* x, void* y, int32_t rows,
                    Output output) {
  const Key key = key_of(linear, rows, output);
  if (tuned_[key]) return false;
  const Call call(linear, x, y, rows, output);
  cudaEvent_t begin = nullptr, end = nullptr;
  cuda::check(cudaEventCreate(&begin), "event");
  cuda::check(cudaEventCreate(&end), "event");
  float best = 1e30F;
  for (const auto& candidate : candidates(call, kCandidates)) {
    const auto once = [&] {
      return call.run(handle_, candidate.algo, workspace_, workspace_bytes_, stream_) ==
             CUBLAS_STATUS_SUCCESS;
    };
    if (!once() || !once()) continue;
    float fastest = 1e30F;
    for (int round = 0; round < 3; ++round) {
      cuda::check(cudaEventRecord(begin, stream_), "event");
      for (int i = 0; i < 5; ++i) once();
      cuda::check(cudaEventRecord(end, stream_), "event");
      cuda::check(cudaEventSynchronize(end), "tuning");
      float milliseconds = 0.0F;
      cuda::check(cudaEventElapsedTime(&milliseconds, begin, end), "tuning");
      fastest = std::min(fastest, milliseconds);
    }
    if (fastest < best) {
      best = fastest;
      chosen_[key] = candidate.algo;
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  tuned_[key] = true;
  return true;
}

std::string Products::choices() const {
  std::ostringstream text;
  for (const auto& [key, algo] : chosen_) {
    if (!tuned_.contains(key)) continue;
    std::apply([&](auto... parts) { ((text << parts << ' '), ...); }, key);
    for (const uint64_t word : algo.data) text << ' ' << std::hex << word << std::dec;
    text << '\n';
  }
  return text.str();
}

void Products::adopt(const std::string& choices) {
  std::istringstream lines(choices);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    int32_t type = 0, in = 0, out = 0, rows = 0, output = 0;
    cublasLtMatmulAlgo_t algo{};
    if (!(parts >> type >> in >> out >> rows >> output)) continue;
    bool whole = true;
    for (uint64_t& word : algo.data) whole = whole && static_cast<bool>(parts >> std::hex >> word);
    if (!whole) continue;
    chosen_[{type, in, out, rows, output}] = algo;
    tuned_[{type, in, out, rows, output}] = true;
  }
}

#define REX_INSTANTIATE(T)                                                               \
  template void Products::run(const DeviceLinear<T>&, const T*, void*, int32_t, Output); \
  template bool Products::tune(const DeviceLinear<T>&, const T*, void*, int32_t, Output)
REX_INSTANTIATE(float);
REX_INSTANTIATE(half);
REX_INSTANTIATE(bfloat);
#undef REX_INSTANTIATE

}  // namespace rex::engine::cuda

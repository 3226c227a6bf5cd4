#include "engine/make_engine.h"

#include <charconv>

#include "engine/cpu/cpu_engine.h"
#include "engine/cuda_library.h"

namespace rex::engine {
namespace {

constexpr BatchLimits kCpuLimits{.tokens = 2048, .passes = 256};
constexpr BatchLimits kGpuLimits{.tokens = 8192, .passes = 1024};

BatchLimits with_defaults(BatchLimits limits, BatchLimits defaults) {
  if (limits.tokens == 0) limits.tokens = defaults.tokens;
  if (limits.passes == 0) limits.passes = defaults.passes;
  return limits;
}

Result<std::unique_ptr<Engine>> make_on_cpu(std::shared_ptr<const model::Weights> weights,
                                            const EngineOptions& options) {
  CpuOptions cpu{options.threads, with_defaults(options.limits, kCpuLimits), WeightType::kF32};
  if (options.precision == Precision::kBF16) cpu.precision = WeightType::kBF16;
  if (options.precision == Precision::kF16) cpu.precision = WeightType::kF16;
  if (options.precision == Precision::kInt8) cpu.precision = WeightType::kInt8;
  return make_cpu_engine(std::move(weights), cpu);
}

Result<std::unique_ptr<Engine>> make_on_gpu(std::shared_ptr<const model::Weights> weights,
                                            const EngineOptions& options) {
  if (options.precision == Precision::kInt8)
    return fail(ErrorCode::kOptionRange, "a GPU computes in f32, f16 or bf16", "precision");
  CudaOptions cuda{.device = options.device.index,
                   .precision = CudaPrecision::kF16,
                   .limits = with_defaults(options.limits, kGpuLimits),
                   .memory_pool = options.memory_pool,
                   .tuning_file = options.tuning_file};
  if (options.precision == Precision::kF32) cuda.precision = CudaPrecision::kF32;
  if (options.precision == Precision::kBF16) cuda.precision = CudaPrecision::kBF16;
  return make_cuda_engine_from_library(std::move(weights), cuda);
}

}  // namespace

Result<Device> parse_device(std::string_view name) {
  if (name == "auto") return Device{DeviceKind::kAuto, 0};
  if (name == "cpu") return Device{DeviceKind::kCpu, 0};
  if (name == "cuda") return Device{DeviceKind::kCuda, 0};
  constexpr std::string_view kPrefix = "cuda:";
  if (name.starts_with(kPrefix)) {
    const std::string_view number = name.substr(kPrefix.size());
    int32_t index = -1;
    const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (status == std::errc{} && end == number.data() + number.size() && index >= 0)
      return Device{DeviceKind::kCuda, index};
  }
  return fail(ErrorCode::kOptionRange,
              "\"" + std::string(name) + "\" is none of auto, cpu, cuda, cuda:0, cuda:1 …",
              "device");
}

Result<Precision> parse_precision(std::string_view name) {
  if (name == "auto") return Precision::kAuto;
  if (name == "f32" || name == "fp32") return Precision::kF32;
  if (name == "f16" || name == "fp16") return Precision::kF16;
  if (name == "bf16") return Precision::kBF16;
  if (name == "int8") return Precision::kInt8;
  return fail(ErrorCode::kOptionRange,
              "\"" + std::string(name) + "\" is none of auto, f32, f16, bf16, int8", "precision");
}

Result<MadeEngine> make_engine(std::shared_ptr<const model::Weights> weights,
                               const EngineOptions& options) {
  MadeEngine made;
  if (options.device.kind != DeviceKind::kCpu) {
    auto on_gpu = make_on_gpu(weights, options);
    if (on_gpu) return MadeEngine{*std::move(on_gpu), ""};
    if (options.device.kind == DeviceKind::kCuda) return fail(std::move(on_gpu).error());
    made.note = "no GPU is used: " + on_gpu.error().message;
  }
  REX_TRY(engine, make_on_cpu(std::move(weights), options));
  made.engine = std::move(engine);
  return made;
}

}  // namespace rex::engine

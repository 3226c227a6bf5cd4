#include "engine/make_engine.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "engine/cpu/cpu_engine.h"
#include "engine/cpu/pack_weights.h"
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

CpuOptions cpu_options(const EngineOptions& options) {
  return {options.threads, with_defaults(options.limits, kCpuLimits),
          cpu_weight_type(options.precision)};
}

Result<std::unique_ptr<Engine>> make_on_cpu(std::shared_ptr<const model::Weights> weights,
                                            const EngineOptions& options) {
  return make_cpu_engine(std::move(weights), cpu_options(options));
}

Result<std::unique_ptr<Engine>> make_on_gpu(std::shared_ptr<const model::Weights> weights,
                                            const EngineOptions& options) {
  if (options.precision == Precision::kInt8)
    return fail(ErrorCode::kOptionRange, "a GPU computes in f32, f16 or bf16", "precision");
  CudaOptions cuda{.device = options.device.index,
                   .precision = CudaPrecision::kF16,
                   .limits = with_defaults(options.limits, kGpuLimits),
                   .memory_pool = options.memory_pool,
                   .skip_tiles = options.skip_tiles,
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

Result<ModelSource> open_model_source(const std::filesystem::path& model_dir) {
  ModelSource source;
  std::error_code error;
  if (std::filesystem::exists(model_dir / model::kPackedFileName, error)) {
    REX_TRY(packed, model::open_packed(model_dir / model::kPackedFileName));
    REX_TRY(config, model::load_config(model_dir));
    if (config != packed->config) {
      return fail(ErrorCode::kCheckpointMismatch,
                  "config.json is not the one that the weights were packed for; convert again",
                  (model_dir / model::kPackedFileName).string());
    }
    source.packed = std::move(packed);
  } else {
    REX_TRY(weights, model::load_weights(model_dir));
    source.weights = std::move(weights);
  }
  return source;
}

Result<MadeEngine> make_engine(ModelSource source, const EngineOptions& options) {
  if (!source.packed) return make_engine(std::move(source.weights), options);
  if (options.device.kind == DeviceKind::kCuda) {
    return fail(ErrorCode::kOptionRange,
                "this model is packed for the CPU; a GPU needs the folder it was converted from",
                "device");
  }
  const std::string_view wanted = name_of(cpu_weight_type(options.precision));
  if (options.precision != Precision::kAuto && wanted != source.packed->precision) {
    return fail(ErrorCode::kOptionRange,
                "this model is packed in " + source.packed->precision + "; ask for auto or " +
                    source.packed->precision + ", or convert it to " + std::string(wanted),
                "precision");
  }
  REX_TRY(engine, make_cpu_engine(std::move(source.packed), cpu_options(options)));
  return MadeEngine{std::move(engine), ""};
}

WeightType cpu_weight_type(Precision precision) {
  switch (precision) {
    case Precision::kBF16: return WeightType::kBF16;
    case Precision::kF16: return WeightType::kF16;
    case Precision::kInt8: return WeightType::kInt8;
    case Precision::kAuto:
    case Precision::kF32: break;
  }
  return WeightType::kF32;
}

std::vector<CpuChoice> cpu_choices() {
  std::vector<CpuChoice> rows;
  for (const auto type :
       {WeightType::kF32, WeightType::kBF16, WeightType::kF16, WeightType::kInt8}) {
    rows.push_back({std::string(name_of(type)), std::string(panel_kernel(type).name)});
  }
  return rows;
}

Result<std::shared_ptr<const model::PackedModel>> pack_for_cpu(const model::Weights& weights,
                                                               Precision precision) {
  ThreadTeam team(static_cast<int32_t>(std::max(1U, std::thread::hardware_concurrency())));
  return pack_weights(weights, cpu_weight_type(precision), team);
}

}  // namespace rex::engine

// An engine by the name of its device: "auto", "cpu", "cuda" or "cuda:1". The CUDA engine lies in a
// library of its own (librex_cuda.so) that is opened only when asked for, so that one program
// serves machines with and without a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cpu/panel.h"
#include "engine/engine.h"
#include "model/packed_model.h"

namespace rex::engine {

enum class DeviceKind : uint8_t { kAuto, kCpu, kCuda };

struct Device {
  DeviceKind kind = DeviceKind::kAuto;
  int32_t index = 0;  // of the GPU
};

// Errors: OPTION_RANGE for any other spelling.
Result<Device> parse_device(std::string_view name);

// kAuto: f32 on the CPU, f16 on a GPU. kInt8 is the CPU's alone.
enum class Precision : uint8_t { kAuto, kF32, kF16, kBF16, kInt8 };

// auto, f32 (fp32), f16 (fp16), bf16 or int8. Errors: OPTION_RANGE.
Result<Precision> parse_precision(std::string_view name);

struct EngineOptions {
  Device device = {};
  Precision precision = Precision::kAuto;
  int32_t threads = 0;       // CPU; 0: all cores that this process may use
  BatchLimits limits{0, 0};  // 0: the device's usual size (CPU 2,048 tokens, GPU 8,192)
  // GPU: false allocates every buffer at each step and frees it after, to show what the pool saves.
  bool memory_pool = true;
  // GPU: false computes tiles of labels that cannot see each other too, to show what skipping
  // saves.
  bool skip_tiles = true;
  // GPU: measured choices of products are kept here; empty: not kept
  std::string tuning_file = {};
};

struct MadeEngine {
  std::unique_ptr<Engine> engine;
  std::string note;  // device auto: why the CPU was taken; otherwise empty
};

// Errors: OPTION_RANGE (a device or a precision that is not there), CONFIG_UNSUPPORTED,
// MEMORY_EXHAUSTED (says what is needed and what is free), and those of make_cpu_engine().
Result<MadeEngine> make_engine(std::shared_ptr<const model::Weights> weights,
                               const EngineOptions& options);

// The weights of a folder: as its checkpoint has them, or packed for the CPU (`convert`).
struct ModelSource {
  std::shared_ptr<const model::Weights> weights;
  std::shared_ptr<const model::PackedModel> packed;

  [[nodiscard]] const model::ModelConfig& config() const {
    return packed ? packed->config : weights->config;
  }
};

// Opens whichever the folder holds; the packed file is preferred. Errors: those of open_packed()
// and load_weights().
Result<ModelSource> open_model_source(const std::filesystem::path& model_dir);

// As above. A packed model runs on the CPU in its own precision: another one, or a GPU, asked for
// by name is OPTION_RANGE.
Result<MadeEngine> make_engine(ModelSource source, const EngineOptions& options);

// How the CPU engine stores weights in a precision; kAuto: f32.
WeightType cpu_weight_type(Precision precision);

// What the CPU engine would compute with on this machine, a row for each precision.
struct CpuChoice {
  std::string precision, instructions;
};
std::vector<CpuChoice> cpu_choices();

// What `convert` writes. kAuto: f32. Errors: those of pack_weights().
Result<std::shared_ptr<const model::PackedModel>> pack_for_cpu(const model::Weights& weights,
                                                               Precision precision);

}  // namespace rex::engine

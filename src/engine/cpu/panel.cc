#include "engine/cpu/panel.h"

#include <array>
#include <cstdlib>

#include "engine/cpu/panel_portable.h"
#include "engine/cpu/panel_x86.h"

#if REX_X86_PANELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace rex::engine {
namespace {

struct Features {
  bool vnni = false, bf16 = false, fp16 = false, amx = false, fast_bf16 = false;
};

#if REX_X86_PANELS
bool request_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

uint64_t enabled_state() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

Features look() {
  Features f;
  uint32_t a = 0, b = 0, c = 0, d = 0, edge = 0;
  if (__get_cpuid_count(1, 0, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return f;
  constexpr uint64_t kAvx512State = 0xE6, kTileState = uint64_t{3} << 17;
  const uint64_t state = enabled_state();
  if ((state & kAvx512State) != kAvx512State) return f;
  uint32_t vendor = 0;
  __get_cpuid(0, &a, &vendor, &c, &d);
  if (__get_cpuid_count(7, 0, &edge, &b, &c, &d) == 0) return f;
  const auto bit = [](uint32_t word, int index) { return (word >> index & 1U) != 0; };
  // F, DQ, BW, VL: what every kernel is compiled for.
  if (!(bit(b, 16) && bit(b, 17) && bit(b, 30) && bit(b, 31))) return f;
  f.vnni = bit(c, 11);
  f.fp16 = bit(d, 23);
  const bool tiles = bit(d, 22) && bit(d, 24) && bit(d, 25) && (state & kTileState) == kTileState;
  if (edge >= 1) {
    __get_cpuid_count(7, 1, &a, &b, &c, &d);
    f.bf16 = bit(a, 5);
  }
  // Intel's VDPBF16PS runs at half the rate of two f32 products; AMD's at twice.
  constexpr uint32_t kIntel = 0x756E6547;  // "Genu"
  f.fast_bf16 = f.bf16 && vendor != kIntel;
  f.amx = tiles && request_amx();
  return f;
}
#else
Features look() {
  return {};
}
#endif

enum class Level : uint8_t { kPortable, kAvx512, kAmx };

Level allowed() {
  const char* set = std::getenv("REXUNINLU_CPU_ISA");
  const std::string_view name = set == nullptr ? "" : set;
  if (name == "portable") return Level::kPortable;
  if (name == "avx512") return Level::kAvx512;
  return Level::kAmx;
}

std::vector<PanelKernel> kernels_of(WeightType type, const Features& f) {
  std::vector<PanelKernel> found;
  const std::string_view portable = portable_target();
  switch (type) {
    case WeightType::kF32: found.push_back({portable_panel_f32, RowType::kF32, portable}); break;
    case WeightType::kBF16:
#if REX_X86_PANELS
      if (f.amx) found.push_back({panel_bf16_amx, RowType::kBF16, "AMX-BF16"});
      if (f.fast_bf16) found.push_back({panel_bf16_avx512, RowType::kBF16, "AVX512_BF16"});
#endif
      found.push_back({portable_panel_bf16, RowType::kF32, portable});
#if REX_X86_PANELS
      if (f.bf16 && !f.fast_bf16)
        found.push_back({panel_bf16_avx512, RowType::kBF16, "AVX512_BF16"});
#endif
      break;
    case WeightType::kF16:
#if REX_X86_PANELS
      if (f.fp16) found.push_back({panel_f16_avx512, RowType::kF16, "AVX512_FP16"});
#endif
      found.push_back({portable_panel_f16, RowType::kF32, portable});
      break;
    case WeightType::kInt8:
#if REX_X86_PANELS
      if (f.amx) found.push_back({panel_int8_amx, RowType::kU8, "AMX-INT8"});
      if (f.vnni) found.push_back({panel_int8_avx512, RowType::kU8, "AVX512_VNNI"});
#endif
      found.push_back({portable_panel_int8, RowType::kU8, portable});
      break;
  }
  return found;
}

}  // namespace

std::string_view name_of(WeightType type) {
  constexpr std::array<std::string_view, 4> kNames = {"f32", "bf16", "f16", "int8"};
  return kNames[static_cast<size_t>(type)];
}

std::vector<PanelKernel> usable_panel_kernels(WeightType type) {
  static const Features features = look();
  return kernels_of(type, features);
}

PanelKernel panel_kernel(WeightType type) {
  const std::vector<PanelKernel> usable = usable_panel_kernels(type);
  const Level level = allowed();
  for (const PanelKernel& kernel : usable) {
    const bool amx = kernel.name.starts_with("AMX");
    const bool own = kernel.name.starts_with("AVX512_");
    if (level == Level::kAvx512 && amx) continue;
    if (level == Level::kPortable && (amx || own)) continue;
    return kernel;
  }
  return usable.back();
}

}  // namespace rex::engine

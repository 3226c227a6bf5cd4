// Panel kernels for instructions that Highway does not reach. Each may be called only where the
// processor and the system have what its name says (panel.cc asks).
#pragma once

#include "engine/cpu/panel.h"

namespace rex::engine {

#if defined(__x86_64__)
#define REX_X86_PANELS 1

void panel_bf16_avx512(const PanelJob& job);  // AVX512_BF16; rows bf16
void panel_bf16_amx(const PanelJob& job);     // AMX-BF16; rows bf16
void panel_f16_avx512(const PanelJob& job);   // AVX512_FP16; rows f16
void panel_int8_avx512(const PanelJob& job);  // AVX512_VNNI; rows u8
void panel_int8_amx(const PanelJob& job);     // AMX-INT8; rows u8

#endif

}  // namespace rex::engine

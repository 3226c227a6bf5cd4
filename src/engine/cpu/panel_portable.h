// Panel kernels in Highway: f32 rows for floating-point weights, u8 rows for int8.
#pragma once

#include "engine/cpu/panel.h"

namespace rex::engine {

void portable_panel_f32(const PanelJob& job);
void portable_panel_bf16(const PanelJob& job);
void portable_panel_f16(const PanelJob& job);
void portable_panel_int8(const PanelJob& job);
const char* portable_target();  // the instruction set that Highway picked, "AVX3" for AVX-512

}  // namespace rex::engine

// A choice of the caller, on its own so that query.h need not know how it is carried out.
#pragma once

#include <cstdint>

namespace rex::decode {

// How spans of one label below one prefix that overlap are treated. kAll is the model's own
// answer (D3); kLongest keeps the longest of them (then the surest, then the first), kScore the
// surest (then the longest, then the first).
enum class Overlap : uint8_t { kAll, kLongest, kScore };

}  // namespace rex::decode

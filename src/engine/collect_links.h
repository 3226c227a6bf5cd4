// From scores to link lists: which cells of Z are returned, in which order (D2, M24, M25). Shared
// by the host-side engines, so that they cannot differ in it.
#pragma once

#include "core/result.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "engine/links.h"

namespace rex::engine {

// Errors: WORK_TOO_LARGE above the limits. InternalError for a batch that contradicts itself.
Result<void> check_batch(const PackedBatch& batch, const BatchLimits& limits);

// Appends the links of one pass. `z(row, col)` gives the logit of a pass-relative cell.
// A NaN is no link (Q3).
template <class Scores>
void collect_links(const PackedBatch& batch, const PassInfo& pass, Scores&& z, LinkLists& out) {
  const auto types = batch.type_tokens.subspan(static_cast<size_t>(pass.type_begin),
                                               static_cast<size_t>(pass.type_count));
  const int32_t n = pass.token_count, first = pass.text_begin;
  for (int32_t row = first; row < n; ++row) {
    for (int32_t col = row; col < n; ++col) {
      if (const float logit = z(row, col); logit > pass.logit_floor)
        out.push_span({row, col, logit});
    }
    for (int32_t k = 0; k < pass.type_count; ++k) {
      const float logit = z(row, types[static_cast<size_t>(k)]);
      if (logit > pass.logit_floor) out.push_head({row, k, logit});
    }
  }
  for (int32_t k = 0; k < pass.type_count; ++k) {
    const int32_t type = types[static_cast<size_t>(k)];
    for (int32_t col = first; col < n; ++col) {
      if (const float logit = z(type, col); logit > pass.logit_floor)
        out.push_tail({k, col, logit});
    }
    if (pass.class_cells) out.push_class({z(first, first), z(first, type), z(type, first)});
  }
  out.close_pass();
}

}  // namespace rex::engine

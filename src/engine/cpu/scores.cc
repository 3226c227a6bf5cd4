#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/scores.cc"
// clang-format off: first, since it compiles the rest once for each target
#include "hwy/foreach_target.h"
// clang-format on

#include "engine/cpu/scores.h"

#include <algorithm>

#include "engine/cpu/tile_product-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {

// Z[rows, begin…end) of consecutive rows.
void score_block(const ScoreJob& job, int32_t row, int32_t rows, int32_t begin, int32_t end) {
  if (begin >= end) return;
  tile_product(
      job.query + static_cast<ptrdiff_t>(row) * job.ld_query, static_cast<size_t>(job.ld_query),
      static_cast<size_t>(rows), job.key_columns + begin, static_cast<size_t>(job.tokens),
      static_cast<size_t>(job.hidden), static_cast<size_t>(end - begin),
      job.z + static_cast<ptrdiff_t>(row) * kLdScores + begin, static_cast<size_t>(kLdScores));
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rex::engine {

HWY_EXPORT(score_block);

int32_t score_task_count(const ScoreJob& job) {
  return (job.tokens - job.text_begin + kScoreRows - 1) / kScoreRows;
}

void score_text_rows(const ScoreJob& job, int32_t task) {
  const int32_t row = job.text_begin + task * kScoreRows;
  const int32_t rows = std::min(kScoreRows, job.tokens - row);
  // Prompt columns first: whole vectors may write a little beyond, where text columns follow.
  HWY_DYNAMIC_DISPATCH(score_block)(job, row, rows, 0, job.text_begin);
  HWY_DYNAMIC_DISPATCH(score_block)(job, row, rows, row, job.tokens);
}

void score_prompt_row(const ScoreJob& job, int32_t row) {
  HWY_DYNAMIC_DISPATCH(score_block)(job, row, 1, job.text_begin, job.tokens);
}

}  // namespace rex::engine
#endif

// The score matrix Z of one pass (M23), for the rows and columns that decoding reads.
#pragma once

#include <cstdint>
#include <span>

namespace rex::engine {

inline constexpr int32_t kScoreRows = 48;  // rows of a task
inline constexpr int32_t kLdScores =
    528;  // floats between rows of Z: 512 and room for a whole vector

struct ScoreJob {
  int32_t tokens = 0;            // n
  int32_t text_begin = 0;        // first text token
  int32_t hidden = 0;            // C
  const float* query = nullptr;  // [n, ld_query] rotated queries
  int32_t ld_query = 0;
  const float* key_columns = nullptr;  // [C, n] rotated keys, transposed, rows n floats apart;
                                       // readable 16 floats beyond the end
  float* z = nullptr;                  // [n, kLdScores]; columns from n on are undefined
};

int32_t score_task_count(const ScoreJob& job);

// Fills the cells of one block of text rows: prompt columns and, from the block's first row on,
// text columns (upper triangle, D2).
void score_text_rows(const ScoreJob& job, int32_t task);

// Fills the text columns of one prompt row (a type token).
void score_prompt_row(const ScoreJob& job, int32_t row);

}  // namespace rex::engine

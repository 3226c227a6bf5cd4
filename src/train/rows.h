// From a labelled sample to training rows (F6–F16): level by level along the gold prefixes, hints
// and windows as at prediction, and the cells of the score matrix that are positive.
//
// Mended against the original, where it loses or shortens labels (docs/compatibility.md): a range
// counts in a window only when the window holds all of its tokens (F15); every window of a class
// text has its own marker and its own positive cells (F16, Q17, Q14); ranges without a token are
// left out (Q33).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "eval/sample.h"
#include "prompt/label_tree.h"
#include "prompt/limits.h"
#include "prompt/prefix_ids.h"
#include "prompt/token_words.h"
#include "text/tokenizer.h"

namespace rex::train {

struct Cell {
  int32_t row = 0;
  int32_t col = 0;
  bool operator==(const Cell&) const = default;
};

// One pass with its labels: (level, hint, window) of F9.
struct Row {
  std::vector<int32_t> ids;
  std::vector<uint32_t> words;  // engine::TokenWord
  int32_t text_begin = 0;       // first token of the text region
  std::vector<Cell> positives;  // (h, t), (h, y), (y, t) of every answer, without repetitions (F14)
  std::vector<int32_t> targets;  // masked language modelling: the id at each token, -1 where none
};

// A sample ready to be cut into rows. Gold chains are label paths with char ranges.
struct Example {
  std::string text;  // without marker
  pipeline::TextKind kind = pipeline::TextKind::kExtraction;
  schema::Schema schema;
  std::vector<eval::ItemList> gold;
  // Spans asked as parents on the second level although they are none: every label below them has
  // no answer. Extraction texts alone.
  std::vector<eval::Item> wrong_parents;
};

// One thread (it keeps scratch); cheap to make.
class RowBuilder {
 public:
  // stride: overlap of extraction windows in tokens.
  static Result<RowBuilder> make(std::shared_ptr<const text::Tokenizer> tokenizer,
                                 prompt::PromptLimits limits, int32_t stride);

  // Appends the rows of all levels. Errors: those of the tokenizer; LABEL_TOO_LONG;
  // SAMPLE_INVALID for a gold path that the schema lacks (Q32).
  Result<void> append(const Example& example, std::vector<Row>& rows);

 private:
  struct Prefix;
  RowBuilder(std::shared_ptr<const text::Tokenizer> tokenizer, prompt::PromptLimits limits,
             int32_t stride, prompt::PrefixIds prefix_ids);
  Result<void> append_level(const std::vector<Prefix>& level, const Example& example,
                            const std::vector<text::Token>& tokens, std::vector<Row>& rows);

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  prompt::PromptLimits limits_;
  int32_t stride_;
  prompt::PrefixIds prefix_ids_;
  prompt::TokenWords token_words_;
};

// An Example from a line in the native form. Errors of eval::read_sample().
Result<Example> read_example(const Json& line);

}  // namespace rex::train

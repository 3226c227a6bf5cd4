// What the pipeline takes and gives: one text with one schema, and its answer. Tasks build queries
// and read answers; nothing here knows a task.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "decode/chain.h"
#include "decode/overlap.h"
#include "schema/schema.h"

namespace rex::pipeline {

enum class TextKind : uint8_t {
  kExtraction,   // spans of the text
  kSingleLabel,  // exactly one label path for the whole text ([CLASSIFY])
  kMultiLabel,   // every label path that passes ([MULTICLASSIFY])
};

enum class Behaviour : uint8_t {
  kStandard,   // the product: deduplicated, stable order, every window votes, nothing silent
  kReference,  // the original's decoding, step for step, for parity; markers in the text are live
};

using decode::Overlap;

struct QueryOptions {
  Behaviour behaviour = Behaviour::kStandard;
  // Probability, 0…1, that every link of an extraction hit must exceed, and every cell of a linked
  // class label; 0.5 is the logit 0 of M24.
  double threshold = 0.5;
  // Threshold of a path's mean confidence on multi-label texts (D28).
  double multi_label_threshold = 0.9;
  // Exceptions by label, or by path written 人物/出生地; the path wins over the label. For
  // extraction they replace `threshold`, on multi-label texts `multi_label_threshold`.
  std::map<std::string, double> thresholds;
  int32_t max_span_num = 0;  // extraction: at most so many spans per label path, best first; 0: all
  // Tokens of a pass, 16…512. At most half of it, and at most 256, is prompt (P3, P11).
  int32_t max_length = 512;
  int32_t stride = 32;  // overlap of extraction windows in tokens; at most half a window is used
  Overlap overlap = Overlap::kAll;
  // Also report paths that end at an inner node (Q5): every one on extraction texts, on class texts
  // one below which no label was linked.
  bool partial_paths = false;
  bool allow_empty = false;  // multi-label: no label is an allowed answer (Q20)
  bool all_scores = true;    // class texts: fill Answer::scores
  // Bounds on work: more passes over all levels are the error WORK_TOO_LARGE (Q31); of more
  // prefixes on one level only the first are asked, with the warning PREFIXES_CAPPED (Q31a).
  int32_t max_passes = 4096;
  int32_t max_prefixes = 1024;
  // kReference: the original's final choice for class texts (D28) or its other entry point that
  // keeps every list with its confidences (D29).
  bool reference_final_step = true;
};

struct Query {
  std::string text;  // UTF-8; no marker (kStandard)
  std::shared_ptr<const schema::Schema> schema;
  TextKind kind = TextKind::kExtraction;  // kReference derives it from the text (P4)
  QueryOptions options;
};

using decode::Chain;
using decode::Step;

// How a label of a class text fared, linked or not.
struct LabelScore {
  schema::Path path;
  double confidence = 0.0;  // mean over windows of the label's three cells (Q14, Q15)
  bool linked = false;      // all three cells above the threshold in some window
};

// What a query cost.
struct Usage {
  int32_t chars = 0;
  int32_t tokens = 0;  // of all passes
  int32_t labels = 0;
  int32_t prompts = 0;  // hints over all levels
  int32_t windows = 0;  // of the text in the widest level
  int32_t passes = 0;
  int32_t levels = 0;  // levels run
};

struct Answer {
  // The answer (D5, D30). Standard: in the order of the text, then of the labels' bytes
  // (decode::text_order). Reference: in the original's order (D9).
  std::vector<Chain> chains;
  std::vector<Chain> inner;        // chains that end at inner nodes, for readers that want
                                   // subjects without relations (Q5)
  std::vector<LabelScore> scores;  // class texts: every label asked, in schema order
  bool fallback = false;           // class texts: nothing was linked; the best cells decided (D26)
  bool below_threshold = false;    // multi-label texts: the best was kept although its mean
                                   // confidence does not exceed its threshold (D28, Q20)
  Usage usage;
  // OPTION_NO_EFFECT, PREFIXES_CAPPED, PREFIX_TOO_LONG, LABEL_TOO_LONG (reference only).
  std::vector<Warning> warnings;
};

}  // namespace rex::pipeline

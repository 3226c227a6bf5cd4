// What the pipeline takes and gives: one text with one schema, and its answer. Tasks build queries
// and read answers; nothing here knows a task.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
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

// How spans of one label that overlap are treated. kAll is the model's own answer (D3).
enum class Overlap : uint8_t { kAll, kLongest, kScore };

struct QueryOptions {
  Behaviour behaviour = Behaviour::kStandard;
  // Probability that every link of an extraction hit must exceed; 0.5 is the logit 0 of M24.
  double threshold = 0.5;
  // Threshold of a path's mean confidence on multi-label texts (D28).
  double multi_label_threshold = 0.9;
  // Thresholds by label, or by path written 人物/出生地; the path wins over the label.
  std::map<std::string, double> thresholds;
  int32_t max_span_num = 0;   // extraction: at most so many spans per label path, best first; 0: all
  int32_t max_length = 512;   // tokens of a pass, 16…512
  int32_t stride = 32;        // overlap of extraction windows in tokens
  Overlap overlap = Overlap::kAll;
  bool partial_paths = false; // also report paths that end at an inner node (Q5)
  bool allow_empty = false;   // multi-label: no label is an allowed answer (Q20)
  bool all_scores = true;     // class texts: fill Answer::scores
  int32_t max_passes = 4096;      // bound on the passes of one query (Q31)
  int32_t max_prefixes = 1024;    // bound on the prompts of one level (Q31a)
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

// One link of a chain. Class steps have no span: start = end = -1 and span empty in kStandard,
// the marker with [0, 10] or [0, 15] in kReference (D25).
struct Step {
  std::string label;
  std::string span;
  int32_t start = -1;  // chars of the query's text, half-open
  int32_t end = -1;
  double confidence = 0.0;  // mean of the three cells (D15 and its analogue for spans), 4 decimals

  bool operator==(const Step&) const = default;
};
using Chain = std::vector<Step>;

// How a label of a class text fared, linked or not.
struct LabelScore {
  schema::Path path;
  double confidence = 0.0;  // mean over windows of the label's three cells (Q14, Q15)
  bool linked = false;      // all three cells above the threshold in some window
};

// What a query cost.
struct Usage {
  int32_t chars = 0;
  int32_t tokens = 0;   // of all passes
  int32_t labels = 0;
  int32_t prompts = 0;  // hints over all levels
  int32_t windows = 0;  // of the text in the widest level
  int32_t passes = 0;
  int32_t levels = 0;   // levels run
};

struct Answer {
  std::vector<Chain> chains;        // the answer (D5, D30)
  std::vector<Chain> inner;         // chains that end at inner nodes, for readers that want
                                    // subjects without relations (Q5)
  std::vector<LabelScore> scores;   // class texts: every label asked, in schema order
  bool fallback = false;            // class texts: nothing was linked; the best cells decided (D26)
  Usage usage;
  std::vector<Warning> warnings;
};

}  // namespace rex::pipeline

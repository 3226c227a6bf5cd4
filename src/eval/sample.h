// One line of a data set in the native form (F1–F4): a text, its schema, and the lists that are
// right; turned into a query, and an answer turned into lists to compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/result.h"
#include "eval/metrics.h"
#include "pipeline/query.h"

namespace rex::eval {

struct Sample {
  Json id;  // null when the line has none
  pipeline::Query query;
  std::vector<ItemList> gold;
};

// Reads a line: keys text, info_list, schema (derived from info_list when missing, F4),
// legal_output_type_list (P2), id. A text that begins with a marker is a class text (F3); the
// marker stays only in the reference behaviour. Every span must be text[offset] (F2).
// Errors, with JSON pointers: JSON_INVALID, TEXT_MISSING, TEXT_NOT_STRING, SAMPLE_INVALID
// (also a span that does not fit), and those of parse_schema().
Result<Sample> read_sample(const Json& line, const pipeline::QueryOptions& options);

// The line's text, which the offsets of its lists count in: with the marker of a class text.
std::string text_of(const Sample& sample);

// What a class text begins with (F3); empty for extraction.
std::string_view marker_of(pipeline::TextKind kind);

// Chains as lists; class steps get the marker as span, at [0, its length] (D25).
std::vector<ItemList> lists_of(const pipeline::Answer& answer, pipeline::TextKind kind);

}  // namespace rex::eval

// What to look for: a tree of labels. Parsing accepts every form of docs/schema.md and yields one
// canonical tree; nothing is dropped silently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::schema {

// A label and the labels asked below each of its answers. No children: a leaf (P1).
struct Node {
  std::string label;  // UTF-8, without surrounding white space (Q11)
  std::vector<Node> children;
  bool operator==(const Node&) const = default;
};

// A label path from the root, outermost first.
using Path = std::vector<std::string>;

struct Schema {
  std::vector<Node> roots;        // in the order written; the prompt sorts them (P6)
  std::vector<Path> legal_paths;  // legal_output_type_list (P2); empty: every path to a leaf
  std::vector<Warning> warnings;  // what parsing changed, with JSON pointers
};

struct ParseOptions {
  int32_t max_depth = 6;
  int32_t max_labels = 1000;  // labels in the whole tree
  // Exactly the reference's reading, for parity tests: objects only, the last of equal keys wins,
  // labels unstripped and possibly empty, no limits except JSON depth (P1, Q11, Q25, Q26).
  bool reference = false;
  // A string value outside a list item: ignored type name with a warning, or an error.
  bool strict = false;
};

// The tree of a parsed JSON value. Errors: SCHEMA_EMPTY, SCHEMA_BAD_VALUE, SCHEMA_TOO_DEEP,
// SCHEMA_REF, LABEL_EMPTY, TOO_MANY_LABELS, SCHEMA_DUPLICATE_KEY (labels equal after trimming),
// each with a JSON pointer as place.
Result<Schema> parse_schema(const Json& json, const ParseOptions& options = {});

// The same from text: JSON (repeated keys are errors), or a single bare label.
// Further errors: JSON_INVALID, ENCODING_INVALID.
Result<Schema> parse_schema_text(std::string_view text, const ParseOptions& options = {});

// The canonical JSON form: objects and null only.
Json to_json(const Schema& schema);

// Root-to-leaf paths in schema order, or legal_paths when given (P2).
std::vector<Path> legal_paths(const Schema& schema);

int32_t depth(const Schema& schema);        // levels, 1 for a flat schema
int32_t label_count(const Schema& schema);  // labels in the whole tree

}  // namespace rex::schema

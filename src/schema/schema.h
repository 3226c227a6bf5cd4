// What to look for: a tree of labels. Parsing accepts every form below and yields one canonical
// tree; whatever it changes on the way is told in Schema::warnings, nothing is dropped silently.
//
//   {"人物": null}                          a label; below it an object or a list asks for more
//   {"竞赛名称": ["主办方", "承办方"]}        a list of labels in place of an object
//   ["人物", "组织机构"]   "人物"            a flat schema
//   [{"原告": "委托代理人"}, "法院"]         a string directly below a key of a list item is a
//   child
//   {"发布者": "组织机构"}                   elsewhere it is a type name: ignored, with a warning
//   "{\"人物\": null}"                      any of these as JSON inside a string
//   {"住址": {"$ref": "#/$defs/地址"}, "$defs": {"地址": ["省", "市"]}}   references, expanded
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::schema {

// A label longer than this many chars is refused without asking the tokenizer; the exact limit,
// in tokens, is the prompt's (P3).
inline constexpr int32_t kMaxLabelChars = 512;

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
  std::vector<Warning> warnings;  // what parsing changed, with JSON pointers: LABEL_DUPLICATE,
                                  // LABEL_TRIMMED, SCHEMA_VALUE_NORMALISED,
                                  // SCHEMA_TYPE_HINT_IGNORED
};

struct ParseOptions {
  int32_t max_depth = 6;
  int32_t max_labels = 1000;  // labels in the whole tree, merged repetitions counted
  // Exactly the reference's reading, for parity tests: objects only, the last of equal keys wins,
  // labels unstripped and possibly empty, false, 0, "" and [] as leaves, no schema at all ({}) as
  // an empty one, no limits except JSON depth (P1, Q11, Q25, Q26).
  bool reference = false;
  // A string value outside a list item: ignored type name with a warning, or an error.
  bool strict = false;
};

// The tree of a parsed JSON value. Errors: SCHEMA_EMPTY, SCHEMA_BAD_VALUE, SCHEMA_TOO_DEEP,
// SCHEMA_REF (unknown, cyclic or misplaced reference; `$ref` and `$defs` are no labels),
// LABEL_EMPTY, LABEL_TOO_LONG, TOO_MANY_LABELS, SCHEMA_DUPLICATE_KEY (labels of one object equal
// after trimming), ENCODING_INVALID, each with a JSON pointer as place. JSON inside a string may
// also give JSON_INVALID.
Result<Schema> parse_schema(const Json& json, const ParseOptions& options = {});

// The same from text: JSON (repeated keys are errors), or a single bare label.
// Further errors: JSON_INVALID.
Result<Schema> parse_schema_text(std::string_view text, const ParseOptions& options = {});

// The canonical JSON form: objects and null only. Parsing it again gives the same tree.
Json to_json(const Schema& schema);

// Root-to-leaf paths in schema order, or legal_paths when given (P2).
std::vector<Path> legal_paths(const Schema& schema);

// A path for people and for option keys: 人物/出生地.
std::string path_text(const Path& path);

int32_t depth(const Schema& schema);        // levels, 1 for a flat schema, 0 for an empty one
int32_t label_count(const Schema& schema);  // labels in the whole tree

}  // namespace rex::schema

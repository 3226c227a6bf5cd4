// The labels of a schema, each tokenised once (Q44), in the order of the prompt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "prompt/limits.h"
#include "schema/schema.h"
#include "text/tokenizer.h"

namespace rex::prompt {

struct LabelNode {
  std::string label;
  std::vector<int32_t> ids;         // tokens of the bare label, without [TYPE]
  std::vector<LabelNode> children;  // by the bytes of their labels (P6)
  schema::Path path;                // from the root, this label included
  int32_t order = 0;                // place in the schema as written, parents before children

  [[nodiscard]] bool is_leaf() const { return children.empty(); }
};

// Immutable; shared by every query that asks the same schema. Nodes keep their addresses.
struct LabelTree {
  std::vector<LabelNode> roots;
  int32_t count = 0;  // labels in the whole tree; `order` is below it

  LabelTree() = default;
  LabelTree(const LabelTree&) = delete;
  LabelTree& operator=(const LabelTree&) = delete;
};

// Errors: ENCODING_INVALID with the JSON pointer of the label.
Result<std::shared_ptr<const LabelTree>> compile_labels(const schema::Schema& schema,
                                                        const text::Tokenizer& tokenizer,
                                                        text::SpecialMatching specials);

// A label that the original would drop silently is an error here (P10, Q8).
// Errors: LABEL_TOO_LONG with the JSON pointer of the first such label, as written.
Result<void> check_labels(const LabelTree& labels, const PromptLimits& limits);

// The same for a schema that is only being validated.
Result<void> check_labels(const schema::Schema& schema, const text::Tokenizer& tokenizer,
                          const PromptLimits& limits = {});

// /人物/出生地, the place of a label in the canonical form of its schema.
std::string pointer_to(const schema::Path& path);

}  // namespace rex::prompt

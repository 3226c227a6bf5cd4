// From a query to the run that answers it.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "pipeline/query_run.h"

namespace rex::pipeline {

// The schemas of one call, compiled once each (Q44). Borrows tokenizer and schemas.
class LabelTrees {
 public:
  explicit LabelTrees(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Errors: ENCODING_INVALID.
  Result<std::shared_ptr<const prompt::LabelTree>> get(const schema::Schema& schema,
                                                       text::SpecialMatching specials);

 private:
  const text::Tokenizer& tokenizer_;
  std::map<std::pair<const schema::Schema*, text::SpecialMatching>,
           std::shared_ptr<const prompt::LabelTree>>
      trees_;
};

// Checks the query and tokenises its text. Borrows context and query.
// Errors: OPTION_RANGE, SCHEMA_MISSING, SCHEMA_EMPTY, LABEL_TOO_LONG, TEXT_TOO_LONG,
// ENCODING_INVALID. The reference behaviour takes an empty schema and over-long labels (Q8, Q25).
Result<std::unique_ptr<QueryRun>> make_run(const RunContext& context, const Query& query,
                                           LabelTrees& trees);

}  // namespace rex::pipeline

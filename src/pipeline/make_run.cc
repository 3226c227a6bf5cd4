#include "pipeline/make_run.h"

#include "pipeline/class_run.h"
#include "pipeline/extraction_run.h"
#include "pipeline/options_check.h"
#include "pipeline/reference_run.h"

namespace rex::pipeline {
namespace {

// Far above any text that max_passes lets through; bounds what is tokenised in vain.
constexpr size_t kMaxTextBytes = 64U << 20;

Result<void> check_query(const Query& query) {
  REX_TRY_VOID(check_options(query.options));
  if (!query.schema) return fail(ErrorCode::kSchemaMissing, "the query has no schema");
  if (query.schema->roots.empty() && query.options.behaviour == Behaviour::kStandard) {
    return fail(ErrorCode::kSchemaEmpty, "the schema has no labels");
  }
  if (query.text.size() > kMaxTextBytes) {
    return fail(ErrorCode::kTextTooLong,
                "the text has " + std::to_string(query.text.size()) + " bytes; at most " +
                    std::to_string(kMaxTextBytes) + " are allowed",
                "text");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const prompt::LabelTree>> LabelTrees::get(const schema::Schema& schema,
                                                                 text::SpecialMatching specials) {
  auto& tree = trees_[{&schema, specials}];
  if (!tree) {
    REX_TRY(compiled, prompt::compile_labels(schema, tokenizer_, specials));
    tree = std::move(compiled);
  }
  return tree;
}

Result<std::unique_ptr<QueryRun>> make_run(const RunContext& context, const Query& query,
                                           LabelTrees& trees) {
  REX_TRY_VOID(check_query(query));
  if (query.options.behaviour == Behaviour::kReference) {
    REX_TRY(labels, trees.get(*query.schema, text::SpecialMatching::kAll));
    return ReferenceRun::make(context, query, std::move(labels));
  }
  REX_TRY(labels, trees.get(*query.schema, text::SpecialMatching::kOff));
  REX_TRY_VOID(prompt::check_labels(*labels, prompt::limits_for(query.options.max_length)));
  return query.kind == TextKind::kExtraction
             ? ExtractionRun::make(context, query, std::move(labels))
             : ClassRun::make(context, query, std::move(labels));
}

}  // namespace rex::pipeline

#include "server/warm_up.h"

#include "schema/schema.h"
#include "tasks/task_table.h"

namespace rex::server {

Result<void> warm_up(pipeline::Pipeline& pipeline) {
  const tasks::TaskRow& row = tasks::row_of(tasks::TaskId::kNer);
  REX_TRY(tree, schema::parse_schema_text(row.example_schema));
  pipeline::Query query;
  query.text = row.example_text;
  query.schema = std::make_shared<const schema::Schema>(std::move(tree));
  for (const size_t copies : {size_t{1}, size_t{1}, size_t{64}}) {
    const std::vector<pipeline::Query> queries(copies, query);
    for (auto& answer : pipeline.analyze(queries)) {
      if (!answer) return fail(std::move(answer).error());
    }
  }
  return {};
}

}  // namespace rex::server

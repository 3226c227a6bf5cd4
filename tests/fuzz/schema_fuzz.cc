// Any bytes as a schema, in both readings. Whatever is accepted must survive its canonical form.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "schema/schema.h"

namespace {

void check(std::string_view text, const rex::schema::ParseOptions& options) {
  const auto schema = rex::schema::parse_schema_text(text, options);
  if (!schema) return;
  const auto again = rex::schema::parse_schema(rex::schema::to_json(*schema), options);
  if (!again || again->roots != schema->roots) std::abort();
  if (!options.reference && rex::schema::label_count(*schema) > options.max_labels) std::abort();
  if (!options.reference && rex::schema::depth(*schema) > options.max_depth) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, {});
  check(text, {.strict = true});
  check(text, {.reference = true});
  return 0;
}

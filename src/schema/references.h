// `$ref` inside a schema: names of the document's own `$defs`, guarded against circles and floods.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::schema {

// True for an object that stands for another part of the document.
bool is_reference(const Json& value);

// The definitions of one document. Borrows the document; one thread.
class References {
 public:
  // `max_uses` bounds how many references may be expanded in all.
  References(const Json& document, int32_t max_uses) : document_(document), max_uses_(max_uses) {}

  // What `reference` stands for; every successful enter() is undone by one leave().
  // Both "#/$defs/name" and "#/defs/name" name an entry of `$defs` at the top of the document.
  // Errors: SCHEMA_REF (not of that form, keys beside `$ref`, unknown name, circle, more than 64
  // references inside one another), TOO_MANY_LABELS (more than max_uses).
  Result<const Json*> enter(const Json& reference, const std::string& place);
  void leave() { open_.pop_back(); }

 private:
  const Json& document_;
  int32_t max_uses_;
  int32_t uses_ = 0;
  std::vector<std::string> open_;  // names being expanded, outermost first
};

}  // namespace rex::schema

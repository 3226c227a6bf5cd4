// Links become hits: a span of text tokens whose head is linked to a type and which that type
// links back to (D2, D3). The decisions of both behaviours start here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "engine/links.h"

namespace rex::decode {

// A span of one type, with the logits that speak for it.
struct Hit {
  int32_t head = 0;  // text tokens, indexes into the pass, head <= tail
  int32_t tail = 0;
  int32_t type = 0;              // ordinal of the pass's types
  float span_logit = 0.0F;       // Z[head, tail]
  float head_type_logit = 0.0F;  // Z[head, type]
  float type_tail_logit = 0.0F;  // Z[type, tail]
};

// Keeps its scratch between passes. One thread.
//
// Work: links, plus for each span the types of its head and of its tail; the original tests all
// spans against all types (Q41).
class Linker {
 public:
  // Appends the hits of one pass in the order of D9: head, tail, type. All three logits of a hit
  // exceed floors[type]; one floor for each type, none below the pass's own.
  // Errors: WORK_TOO_LARGE when `hits` would exceed `most`, which only a threshold far below the
  // model's own can cause.
  Result<void> link(const engine::PassLinks& links, std::span<const float> floors, size_t most,
                    std::vector<Hit>& hits);

 private:
  struct TypeLink {
    int32_t type = 0;
    float logit = 0.0F;
  };
  // For each text token the types linked to it, ascending. Lists keep their capacity.
  class TypesOfToken {
   public:
    void clear();
    void add(int32_t token, TypeLink link);
    [[nodiscard]] std::span<const TypeLink> of(int32_t token) const;

   private:
    std::vector<std::vector<TypeLink>> lists_;
  };

  TypesOfToken heads_, tails_;
};

}  // namespace rex::decode

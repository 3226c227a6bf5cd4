// The exception in flight as an error value.
#pragma once

#include <new>
#include <stdexcept>

#include "core/result.h"

namespace rex::pipeline {

// Call it inside a catch block.
inline Error error_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kMemoryExhausted, "no memory left for this query", {}};
  } catch (const std::exception& bug) {
    return {ErrorCode::kInternal, bug.what(), {}};
  }
}

}  // namespace rex::pipeline

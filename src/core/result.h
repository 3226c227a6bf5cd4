// Result<T>: a value or an Error. Expected failures (anything a user, a file or a device can
// cause) travel as values; bugs throw InternalError (check.h). No function of ours throws
// anything else except std::bad_alloc.
//
// An Error says what was found, what was allowed and, through its code's table row, what to do
// next. `place` is a JSON pointer, a file with line or byte, a tensor name or an option's name;
// callers add to it on the way up with in().
#pragma once

#include <string>
#include <utility>
#include <vector>
#include <version>

#include "core/error_codes.h"

// The same type from the standard library where it has it (C++23), for machines that have nothing
// else installed.
#if defined(__cpp_lib_expected)
#include <expected>
namespace rex {
namespace expected_types = std;
}
#else
#include <tl/expected.hpp>
namespace rex {
namespace expected_types = tl;
}
#endif

namespace rex {

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // plain words, English, no final full stop
  std::string place;    // may be empty

  // The same error, with `outer` set before the place.
  Error in(std::string_view outer) && {
    place = std::string(outer) + place;
    return std::move(*this);
  }

  // One line for people: "schema /人物/0: expected a label, found a number; write …".
  [[nodiscard]] std::string to_string() const;
};

template <class T>
using Result = expected_types::expected<T, Error>;

using Failure = expected_types::unexpected<Error>;

// Makes the error side of a Result.
inline Failure fail(ErrorCode code, std::string message, std::string place = {}) {
  return Failure(Error{code, std::move(message), std::move(place)});
}
inline Failure fail(Error error) {
  return Failure(std::move(error));
}

// Something worth telling that did not stop the work. Part of an answer, never only a log line.
struct Warning {
  std::string code;     // stable, for programs, for example LABEL_DUPLICATE
  std::string message;  // plain words
  std::string place;    // JSON pointer or empty
  bool operator==(const Warning&) const = default;
};

// Appends to `all` what it does not hold yet.
void add_warnings(std::vector<Warning> more, std::vector<Warning>& all);

}  // namespace rex

#define REX_CONCAT_INNER(a, b) a##b
#define REX_CONCAT(a, b) REX_CONCAT_INNER(a, b)

// Leaves the function with the error of `expression`, or binds its value to `name`.
#define REX_TRY(name, expression)                                          \
  auto REX_CONCAT(rex_try_, __LINE__) = (expression);                      \
  if (!REX_CONCAT(rex_try_, __LINE__))                                     \
    return ::rex::fail(std::move(REX_CONCAT(rex_try_, __LINE__)).error()); \
  auto name = *std::move(REX_CONCAT(rex_try_, __LINE__))

// The same for Result<void>.
#define REX_TRY_VOID(expression)                       \
  if (auto rex_try_void = (expression); !rex_try_void) \
  return ::rex::fail(std::move(rex_try_void).error())

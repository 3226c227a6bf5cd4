// REX_CHECK: a condition that only a bug of ours can break, checked in every build. It throws
// InternalError; the owner of a unit of work (pipeline, command line) turns that into INTERNAL.
// Never use it for input.
#pragma once

#include <stdexcept>
#include <string>

namespace rex {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace rex

#define REX_CHECK(condition, why)                                                       \
  do {                                                                                  \
    if (!(condition))                                                                   \
      throw ::rex::InternalError(std::string(__FILE__ ":") + std::to_string(__LINE__) + \
                                 ": " #condition ": " + (why));                         \
  } while (false)

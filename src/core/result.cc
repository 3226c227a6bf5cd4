#include "core/result.h"

namespace rex {

std::string Error::to_string() const {
  std::string line = place.empty() ? message : place + ": " + message;
  line += "; ";
  line += row_of(code).advice;
  return line;
}

}  // namespace rex

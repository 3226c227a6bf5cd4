#include "core/result.h"

#include <algorithm>

namespace rex {

std::string Error::to_string() const {
  std::string line = place.empty() ? message : place + ": " + message;
  line += "; ";
  line += row_of(code).advice;
  return line;
}

void add_warnings(std::vector<Warning> more, std::vector<Warning>& all) {
  for (Warning& warning : more) {
    const bool known = std::find(all.begin(), all.end(), warning) != all.end();
    if (!known) all.push_back(std::move(warning));
  }
}

}  // namespace rex

// Thresholds with exceptions by label or by path (人物/出生地); the path wins over the label.
#pragma once

#include <map>
#include <string>

#include "schema/schema.h"

namespace rex::decode {

// Borrows the exceptions.
class Thresholds {
 public:
  Thresholds(double standard, const std::map<std::string, double>& exceptions)
      : standard_(standard), exceptions_(exceptions) {}

  [[nodiscard]] double of(const schema::Path& path) const {
    if (exceptions_.empty()) return standard_;
    if (const auto found = exceptions_.find(schema::path_text(path)); found != exceptions_.end()) {
      return found->second;
    }
    const auto found = exceptions_.find(path.back());
    return found == exceptions_.end() ? standard_ : found->second;
  }

 private:
  double standard_;
  const std::map<std::string, double>& exceptions_;
};

}  // namespace rex::decode

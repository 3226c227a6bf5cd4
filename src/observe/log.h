// Log set-up, and the lines that the service writes: one for a request, as text or JSON, to
// standard error and to a file that is rotated. Texts and schemas appear at level debug alone.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"
#include "core/result.h"

namespace rex::observe {

struct LogOptions {
  std::string level = "info";  // debug, info, warn, error
  bool json = false;
  std::string file = {};  // empty: standard error alone
  int64_t rotate_bytes = int64_t{100} << 20;
  int32_t keep = 7;
};

enum class Level : uint8_t { kDebug, kInfo, kWarn, kError };

// For the whole process. A file that cannot be written later (a full disk) costs its lines, said
// once on standard error, and nothing else. Errors: FILE_UNWRITABLE.
Result<void> open_log(const LogOptions& options);

[[nodiscard]] bool is_logged(Level level);
// A line: a message, and fields as key=value or JSON members. Thread-safe.
void log(Level level, std::string_view message, const Json& fields = Json::object());

// Writes out what is buffered.
void flush_log();

}  // namespace rex::observe

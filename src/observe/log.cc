#include "observe/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

namespace rex::observe {
namespace {

std::atomic<bool> g_json = false;

spdlog::level::level_enum to_level(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarn: return spdlog::level::warn;
    case Level::kError: break;
  }
  return spdlog::level::err;
}

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_line(std::string_view message, const Json& fields) {
  if (g_json) {
    std::string line = "\"message\":" + dumped(message);
    for (const auto& [name, value] : fields.items()) line += ",\"" + name + "\":" + dumped(value);
    return line;
  }
  std::string line(message);
  for (const auto& [name, value] : fields.items()) line += " " + name + "=" + dumped(value);
  return line;
}

}  // namespace

Result<void> open_log(const LogOptions& options) {
  std::vector<spdlog::sink_ptr> sinks = {std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  try {
    if (!options.file.empty()) {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
          options.file, static_cast<size_t>(options.rotate_bytes),
          static_cast<size_t>(options.keep)));
    }
  } catch (const spdlog::spdlog_ex& error) {
    return fail(ErrorCode::kFileUnwritable, error.what(), "logging.file (" + options.file + ")");
  }
  g_json = options.json;
  auto logger = std::make_shared<spdlog::logger>("rexuninlu", sinks.begin(), sinks.end());
  logger->set_pattern(options.json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})"
                                   : "%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  logger->set_level(spdlog::level::from_str(options.level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
  return {};
}

bool is_logged(Level level) {
  return spdlog::should_log(to_level(level));
}

void log(Level level, std::string_view message, const Json& fields) {
  if (!is_logged(level)) return;
  spdlog::default_logger_raw()->log(to_level(level),
                                    spdlog::string_view_t(to_line(message, fields)));
}

void flush_log() {
  spdlog::default_logger_raw()->flush();
}

}  // namespace rex::observe

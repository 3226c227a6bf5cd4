// Any bytes as config.yaml. Nothing may be thrown; an accepted file gives values in their ranges.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto file = std::filesystem::temp_directory_path() /
                           ("rex_config_fuzz_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto loaded = rex::config::load({file, {}, {}});
  if (!loaded) {
    if (loaded.error().message.empty()) std::abort();
    return 0;
  }
  const rex::config::Settings& s = loaded->settings;
  if (s.server.port < 0 || s.server.port > 65535 || s.inference.batch_size < 1) std::abort();
  return 0;
}

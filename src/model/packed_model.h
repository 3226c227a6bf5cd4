// A model made ready for one engine: named runs of bytes in one file that is mapped and used in
// place. What the runs mean is the engine's affair (`format`); this reader knows their bounds only.
//
//   "REXPACK\n"  version u32  directory bytes u32  body bytes u64  body sum u64  directory sum u64
//   directory    JSON: format, precision, config (the text of config.json), sections
//   body         starts at a multiple of 4,096; every section at a multiple of 64 of the body
//
// Immutable; safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "model/config.h"

namespace rex::model {

inline constexpr const char* kPackedFileName = "model.rexpack";
inline constexpr size_t kSectionAlignment = 64;

struct PackedSection {
  std::string name;
  std::span<const std::byte> bytes;
};

struct PackedModel {
  ModelConfig config;
  std::string format;     // the engine and the version of its layout, for example "cpu-1"
  std::string precision;  // of the weights, for example "bf16"
  std::vector<PackedSection> sections;
  std::shared_ptr<const void> owner;  // keeps the bytes alive

  // The section, or an empty span.
  [[nodiscard]] std::span<const std::byte> find(std::string_view name) const;
  [[nodiscard]] int64_t bytes() const;
};

// Reads a file that is already in memory. Nothing is trusted: the directory is bounded and summed
// before it is parsed, every section lies inside the body, the body's sum is compared (it costs one
// read of the file, about 20 ms for 200 MB in the page cache).
// Errors: CHECKPOINT_INVALID (not this format, cut short, damaged), CONFIG_….
Result<PackedModel> parse_packed(std::span<const std::byte> file);

// The same from disk, mapped. Errors: also FILE_NOT_FOUND, FILE_UNREADABLE.
Result<std::shared_ptr<const PackedModel>> open_packed(const std::filesystem::path& path);

// Writes the file; it appears under its name only when it is complete. Errors: FILE_UNWRITABLE.
Result<void> write_packed(const std::filesystem::path& path, const PackedModel& packed);

}  // namespace rex::model

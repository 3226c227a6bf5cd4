// The part of the zip format that torch.save writes: stored entries, with or without zip64.
// Nothing is decompressed or copied; entries are views into the mapped archive.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace rex::model {

struct ZipEntry {
  std::string_view name;             // borrows the archive
  std::span<const std::byte> bytes;  // borrows the archive
};

// All entries in the order of the central directory, names distinct. Every offset and size is
// compared with the archive; each entry's local header must agree with the directory. Time and
// memory grow with the archive's real directory, not with the counts that it claims. Checksums are
// not verified: torch can be told to write none, and reading them would touch every weight.
// Errors: CHECKPOINT_INVALID: no or damaged directory (place: "byte N"), more than one disk, a
// compressed, encrypted or repeated entry.
Result<std::vector<ZipEntry>> read_zip(std::span<const std::byte> archive);

}  // namespace rex::model

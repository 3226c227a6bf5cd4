// Whole files: mapped into memory, and small texts read or written at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace rex {

// A file, read-only, mapped into memory. Move-only; the bytes live as long as the object. Immutable
// after open(), hence safe to share between threads.
class MappedFile {
 public:
  // Errors: FILE_NOT_FOUND, FILE_UNREADABLE (also for a folder), with the path as place.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// Reads a small text file whole. Same errors, and FILE_UNREADABLE above `max_bytes`.
Result<std::string> read_text_file(const std::filesystem::path& path, size_t max_bytes);

// Writes a file whole, over what is there. Errors: FILE_UNWRITABLE, with the path as place.
Result<void> write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace rex

// A file that appears under its name only when it is complete: it is written beside it as
// NAME.partial and removed again unless commit() succeeds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/result.h"

namespace rex::model {

class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // In this order, each once or more; errors: FILE_UNWRITABLE with the system's reason.
  Result<void> create();
  Result<void> write(std::span<const std::byte> bytes);
  Result<void> commit();

 private:
  [[nodiscard]] Failure system_error() const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  int fd_ = -1;
  bool created_ = false;
};

}  // namespace rex::model

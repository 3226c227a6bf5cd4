// Lines of a file or of standard input, in bounded memory.
#pragma once

#include <cstdint>
#include <string>

#include "cli/file_handle.h"
#include "core/result.h"

namespace rex::cli {

struct Line {
  std::string text;       // without its line break (\n or \r\n)
  bool too_long = false;  // longer than the limit; text is its beginning
  bool complete = true;   // ended by a line break
  int64_t begin = 0;      // byte offset of its first byte
};

// One thread.
class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = size_t{32} << 20;

  // "-" is standard input. Errors: FILE_NOT_FOUND, FILE_UNREADABLE.
  static Result<LineReader> open(const std::string& path);

  // False at the end. Errors: FILE_UNREADABLE.
  Result<bool> next(Line& line);

  [[nodiscard]] int64_t bytes_read() const { return offset_; }
  [[nodiscard]] int64_t total_bytes() const { return total_; }  // -1 when unknown

 private:
  LineReader(FileHandle file, std::string path, int64_t total)
      : file_(std::move(file)), path_(std::move(path)), total_(total) {}

  FileHandle file_;
  std::string path_;
  int64_t total_ = -1;
  int64_t offset_ = 0;
};

}  // namespace rex::cli

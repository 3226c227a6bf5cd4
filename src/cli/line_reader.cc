#include "cli/line_reader.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rex::cli {

Result<LineReader> LineReader::open(const std::string& path) {
  if (path == "-") return LineReader(FileHandle(stdin), path, -1);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorCode::kFileUnreadable, "is a folder", path);
  }
  FileHandle file = open_file(path.c_str(), "rb");
  if (file == nullptr) {
    const auto code = errno == ENOENT ? ErrorCode::kFileNotFound : ErrorCode::kFileUnreadable;
    return fail(code, std::strerror(errno), path);
  }
  const auto size = std::filesystem::file_size(path, error);
  return LineReader(std::move(file), path, error ? -1 : static_cast<int64_t>(size));
}

Result<bool> LineReader::next(Line& line) {
  line = Line{};
  line.begin = offset_;
  int c = 0;
  while ((c = ::getc_unlocked(file_.get())) != EOF) {
    ++offset_;
    if (c == '\n') break;
    if (line.text.size() < kMaxLineBytes)
      line.text += static_cast<char>(c);
    else
      line.too_long = true;
  }
  if (std::ferror(file_.get()) != 0)
    return fail(ErrorCode::kFileUnreadable, "reading failed", path_);
  if (offset_ == line.begin) return false;
  line.complete = c == '\n';
  if (line.complete && line.text.ends_with('\r')) line.text.pop_back();
  return true;
}

}  // namespace rex::cli

#include "cli/record_file.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "cli/context.h"

namespace rex::cli {
namespace {

constexpr std::string_view kStart = "{\"line\":";

std::optional<int64_t> number_of(const Line& line) {
  if (!line.complete || line.too_long || !line.text.starts_with(kStart) ||
      !line.text.ends_with('}')) {
    return std::nullopt;
  }
  int64_t number = 0;
  const char* begin = line.text.data() + kStart.size();
  const auto [end, error] = std::from_chars(begin, line.text.data() + line.text.size(), number);
  return error == std::errc() && (*end == ',' || *end == '}') ? std::optional(number)
                                                              : std::nullopt;
}

}  // namespace

Result<RecordWriter> RecordWriter::open(const std::string& path, bool append) {
  if (path == "-") return RecordWriter(FileHandle(stdout), path);
  FileHandle file = open_file(path.c_str(), append ? "ab" : "wb");
  if (file == nullptr) return fail(ErrorCode::kFileUnwritable, std::strerror(errno), path);
  return RecordWriter(std::move(file), path);
}

void RecordWriter::write(int64_t number, const Json& record) {
  Json whole = {{"line", number}};
  whole.update(record);
  const std::string text = dump(whole) + "\n";
  std::fwrite(text.data(), 1, text.size(), file_.get());
}

Result<void> RecordWriter::flush() {
  if (std::fflush(file_.get()) == 0 && std::ferror(file_.get()) == 0) return {};
  return fail(ErrorCode::kFileUnwritable, std::string("writing failed: ") + std::strerror(errno),
              path_);
}

Result<RecordCursor> RecordCursor::open(const std::string& path) {
  RecordCursor cursor(path);
  if (!std::filesystem::exists(path)) return cursor;
  REX_TRY(reader, LineReader::open(path));
  cursor.reader_ = std::move(reader);
  Line first;
  REX_TRY(any, cursor.reader_->next(first));
  if (!any) return cursor;
  cursor.number_ = number_of(first);
  // A run killed while it wrote its first record leaves the beginning of one.
  const std::string_view begun = std::string_view(first.text).substr(0, kStart.size());
  const bool half_record = !first.complete && kStart.starts_with(begun);
  if (!cursor.number_ && !half_record) {
    return fail(ErrorCode::kFieldConflict,
                "was not written by analyze --jsonl; cannot resume into it", path);
  }
  return cursor;
}

Result<void> RecordCursor::advance() {
  Line line;
  REX_TRY(more, reader_->next(line));
  begin_ = line.begin;
  number_ = more ? number_of(line) : std::nullopt;
  return {};
}

Result<void> RecordCursor::cut() const {
  if (!reader_) return {};
  std::error_code error;
  std::filesystem::resize_file(path_, static_cast<uintmax_t>(begin_), error);
  if (error) return fail(ErrorCode::kFileUnwritable, error.message(), path_);
  return {};
}

}  // namespace rex::cli

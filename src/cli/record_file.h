// Output of a run over many lines: one JSON object a line that begins with {"line":N, N ascending.
// That is enough to find, after an interruption or a crash, where to continue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/file_handle.h"
#include "cli/line_reader.h"
#include "core/json.h"
#include "core/result.h"

namespace rex::cli {

// Appends records. One thread.
class RecordWriter {
 public:
  // "-" is standard output. Appends when `append`, else the file is made or emptied.
  // Errors: FILE_UNWRITABLE.
  static Result<RecordWriter> open(const std::string& path, bool append);

  // {"line": number, …fields of `record`}.
  void write(int64_t number, const Json& record);

  // Hands everything to the system. Errors: FILE_UNWRITABLE (also for earlier writes).
  Result<void> flush();

 private:
  RecordWriter(FileHandle file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  FileHandle file_;
  std::string path_;
};

// Reads the numbers of a file of records in order, for resuming. A missing file has none.
class RecordCursor {
 public:
  // Errors: FILE_UNREADABLE, FIELD_CONFLICT when the file begins with anything but a record or
  // the beginning of one: such a file is not ours to cut.
  static Result<RecordCursor> open(const std::string& path);

  // The number of the current record; none at the end or at a damaged line.
  [[nodiscard]] std::optional<int64_t> number() const { return number_; }
  Result<void> advance();

  // Cuts the file before the current record (or the damaged line). Errors: FILE_UNWRITABLE.
  [[nodiscard]] Result<void> cut() const;

 private:
  explicit RecordCursor(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<LineReader> reader_;
  std::optional<int64_t> number_;
  int64_t begin_ = 0;  // byte offset of the current record
};

}  // namespace rex::cli

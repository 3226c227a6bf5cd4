#include "cli/batch_run.h"

#include <filesystem>
#include <optional>

#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/progress.h"
#include "cli/record_file.h"
#include "tasks/run.h"

namespace rex::cli {
namespace {

// A chunk is computed together: large enough to fill batches, small enough to report and to stop.
constexpr size_t kChunkLines = 256;
constexpr size_t kChunkBytes = size_t{1} << 20;

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

struct Item {
  int64_t number = 0;
  Json id;
  Result<tasks::TaskRequest> request = fail(ErrorCode::kInternal, "");
};

Item read_item(int64_t number, const Line& line, const tasks::TaskRequest& defaults) {
  Item item{.number = number, .id = {}};
  if (line.too_long) {
    item.request = fail(ErrorCode::kTextTooLong, "the line is longer than 32 MiB");
    return item;
  }
  auto body = parse_json(line.text);
  if (!body) {
    item.request = fail(std::move(body).error());
    return item;
  }
  if (body->is_string()) body = Json{{"text", *body}};
  if (body->is_object() && body->contains("id")) item.id = (*body)["id"];
  item.request = tasks::read_request(*body, defaults);
  return item;
}

// Finds the first line that neither file has a record of, and cuts both files there.
Result<int64_t> find_done(const BatchFiles& files, LineReader& input) {
  REX_TRY(out, RecordCursor::open(files.out));
  REX_TRY(errors, RecordCursor::open(files.errors));
  int64_t number = 0;
  int64_t done = 0;
  while (out.number() || errors.number()) {
    Line line;
    REX_TRY(more, input.next(line));
    if (!more) {
      return fail(ErrorCode::kUsage,
                  "holds answers beyond the end of the input; not the same input?", files.out);
    }
    ++number;
    if (is_blank(line.text) && !line.too_long) continue;
    if (out.number() == number) {
      REX_TRY_VOID(out.advance());
    } else if (errors.number() == number) {
      REX_TRY_VOID(errors.advance());
    } else {
      break;
    }
    done = number;
  }
  REX_TRY_VOID(out.cut());
  REX_TRY_VOID(errors.cut());
  return done;
}

class BatchRun {
 public:
  BatchRun(pipeline::Pipeline& pipeline, const tasks::TaskRequest& defaults, LineReader input,
           RecordWriter out, std::optional<RecordWriter> errors)
      : pipeline_(pipeline),
        defaults_(defaults),
        input_(std::move(input)),
        out_(std::move(out)),
        errors_(std::move(errors)),
        progress_(input_.total_bytes()) {}

  // Continues after line `done`.
  Result<BatchSummary> run(int64_t done) {
    REX_TRY_VOID(skip(done));
    for (bool more = true; more && !summary_.interrupted;) {
      REX_TRY(read, read_chunk());
      more = read;
      compute();
      REX_TRY_VOID(out_.flush());
      if (errors_) REX_TRY_VOID(errors_->flush());
      progress_.update(input_.bytes_read(), summary_.answered + summary_.failed);
    }
    return summary_;
  }

 private:
  Result<void> skip(int64_t done) {
    Line line;
    while (number_ < done) {
      REX_TRY(more, input_.next(line));
      if (!more) break;
      ++number_;
      if (!is_blank(line.text)) ++summary_.skipped;
    }
    return {};
  }

  // False when the input has ended.
  Result<bool> read_chunk() {
    chunk_.clear();
    Line line;
    for (size_t bytes = 0; chunk_.size() < kChunkLines && bytes < kChunkBytes;) {
      REX_TRY(more, input_.next(line));
      if (!more) return false;
      ++number_;
      if (is_blank(line.text) && !line.too_long) continue;
      bytes += line.text.size();
      chunk_.push_back(read_item(number_, line, defaults_));
    }
    return true;
  }

  void compute() {
    std::vector<tasks::TaskRequest> requests;
    for (Item& item : chunk_) {
      if (item.request) requests.push_back(*std::move(item.request));
    }
    auto answers = tasks::run_requests(pipeline_, requests, interrupt_.token());
    size_t next = 0;
    for (Item& item : chunk_) {
      Result<tasks::TaskAnswer> answer =
          item.request ? std::move(answers[next++])
                       : Result<tasks::TaskAnswer>(fail(item.request.error()));
      if (!answer && answer.error().code == ErrorCode::kCancelled) break;
      write(item, answer);
    }
    summary_.interrupted = interrupt_.requested();
  }

  void write(const Item& item, const Result<tasks::TaskAnswer>& answer) {
    Json record = Json::object();
    if (!item.id.is_null()) record["id"] = item.id;
    record.update(answer ? tasks::to_json(*answer) : error_json(answer.error()));
    if (answer) {
      ++summary_.answered;
      out_.write(item.number, record);
      return;
    }
    ++summary_.failed;
    if (errors_) {
      errors_->write(item.number, record);
    } else {
      Json line = {{"line", item.number}};
      line.update(record);
      std::fprintf(stderr, "%s\n", dump(line).c_str());
    }
  }

  pipeline::Pipeline& pipeline_;
  const tasks::TaskRequest& defaults_;
  LineReader input_;
  RecordWriter out_;
  std::optional<RecordWriter> errors_;
  Progress progress_;
  Interrupt interrupt_;
  BatchSummary summary_;
  std::vector<Item> chunk_;
  int64_t number_ = 0;  // of the last line read
};

bool has_content(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return !error && size > 0;
}

}  // namespace

Result<BatchSummary> run_batch(pipeline::Pipeline& pipeline, const BatchFiles& given,
                               const tasks::TaskRequest& defaults) {
  BatchFiles files = given;
  const bool to_file = files.out != "-";
  if (files.errors.empty() && to_file) files.errors = files.out + ".errors.jsonl";
  if (files.resume && (!to_file || files.in == "-")) {
    return fail(ErrorCode::kUsage, "resuming needs files for input and output", "--resume");
  }
  for (const std::string& path : {files.out, files.errors}) {
    if (path.empty() || path == "-") continue;
    std::error_code error;
    if (std::filesystem::equivalent(path, files.in, error)) {
      return fail(ErrorCode::kUsage, "is the input", path);
    }
    if (!files.resume && !files.overwrite && has_content(path)) {
      return fail(ErrorCode::kUsage,
                  "exists; give --resume to continue it or --overwrite to replace it", path);
    }
  }
  int64_t done = 0;
  if (files.resume) {
    REX_TRY(input, LineReader::open(files.in));
    REX_TRY(found, find_done(files, input));
    done = found;
  }
  REX_TRY(input, LineReader::open(files.in));
  REX_TRY(out, RecordWriter::open(files.out, files.resume));
  std::optional<RecordWriter> errors;
  if (!files.errors.empty()) {
    REX_TRY(opened, RecordWriter::open(files.errors, files.resume));
    errors = std::move(opened);
  }
  return BatchRun(pipeline, defaults, std::move(input), std::move(out), std::move(errors))
      .run(done);
}

}  // namespace rex::cli

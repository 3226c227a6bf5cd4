#include "train/data_set.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/mapped_file.h"

namespace rex::train {
namespace {

constexpr size_t kMaxFileBytes = size_t{4} << 30;

struct Line {
  std::string_view text;
  size_t number;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back({line, number});
    begin = end + 1;
  }
  return lines;
}

Result<Example> checked(std::string_view line, RowBuilder& builder) {
  REX_TRY(json, parse_json(line));
  REX_TRY(example, read_example(json));
  std::vector<Row> rows;
  REX_TRY_VOID(builder.append(example, rows));
  return example;
}

}  // namespace

void parallel_for(size_t count, int32_t threads, const std::function<void(size_t, int32_t)>& work) {
  if (threads <= 1) {
    for (size_t i = 0; i < count; ++i) work(i, 0);
    return;
  }
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr broken;
  {
    std::vector<std::jthread> team;
    for (int32_t t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        try {
          for (size_t i = next++; i < count; i = next++) work(i, t);
        } catch (...) {
          const std::lock_guard lock(mutex);
          broken = std::current_exception();
        }
      });
    }
  }
  if (broken) std::rethrow_exception(broken);
}

Result<DataSet> read_data_set(const std::filesystem::path& file, const RowBuilder& builder,
                              int32_t threads) {
  REX_TRY(text, read_text_file(file, kMaxFileBytes));
  DataSet set;
  set.name = file.filename().string();
  set.name.resize(std::min(set.name.find('.'), set.name.size()));
  const std::vector<Line> lines = lines_of(text);
  std::vector<Result<Example>> read(lines.size(), fail(ErrorCode::kInternal, "not read"));
  std::vector<RowBuilder> builders(static_cast<size_t>(std::max(threads, 1)), builder);
  parallel_for(lines.size(), threads, [&](size_t i, int32_t thread) {
    read[i] = checked(lines[i].text, builders[static_cast<size_t>(thread)]);
  });
  for (size_t i = 0; i < lines.size(); ++i) {
    if (read[i]) {
      set.examples.push_back(*std::move(read[i]));
    } else {
      set.faults.push_back(std::move(read[i])
                               .error()
                               .in(file.string() + " line " + std::to_string(lines[i].number) + " ")
                               .to_string());
    }
  }
  return set;
}

}  // namespace rex::train

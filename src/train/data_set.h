// Labelled files in the native form (F1), read whole and checked before any training (F2, Q32).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/rows.h"

namespace rex::train {

struct DataSet {
  std::string name;  // the file's name up to its first dot
  std::vector<Example> examples;
  std::vector<std::string> faults;  // "FILE line N /place: what is wrong", in order
};

// Reads JSON lines, or one JSON list of samples, on `threads` threads. Lines with faults are left
// out and told. Errors: FILE_NOT_FOUND, FILE_UNREADABLE.
Result<DataSet> read_data_set(const std::filesystem::path& file, const RowBuilder& builder,
                              int32_t threads);

// Calls work(i, thread) for i in [0, count) on `threads` threads.
void parallel_for(size_t count, int32_t threads,
                  const std::function<void(size_t i, int32_t thread)>& work);

}  // namespace rex::train

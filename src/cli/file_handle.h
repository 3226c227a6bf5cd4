// A C stream that closes itself, unless it is one of the standard ones.
#pragma once

#include <cstdio>
#include <memory>

namespace rex::cli {

struct CloseFile {
  void operator()(std::FILE* file) const {
    // The unique_ptr around it is the owner that this check asks for.
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

// Null when the file cannot be opened; errno says why.
inline FileHandle open_file(const char* path, const char* mode) {
  return FileHandle(std::fopen(path, mode));
}

}  // namespace rex::cli

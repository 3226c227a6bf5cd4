#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace rex {
namespace {

struct Descriptor {
  explicit Descriptor(int value) : fd(value) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

Error system_error(const std::filesystem::path& path) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::kFileNotFound : ErrorCode::kFileUnreadable;
  return {code, std::strerror(errno), path.string()};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return fail(system_error(path));
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) return fail(system_error(path));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kFileUnreadable, "not a regular file", path.string());
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return MappedFile();
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (address == MAP_FAILED) return fail(system_error(path));
  return MappedFile({static_cast<const std::byte*>(address), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature
  }
}

Result<std::string> read_text_file(const std::filesystem::path& path, size_t max_bytes) {
  REX_TRY(file, MappedFile::open(path));
  if (file.bytes().size() > max_bytes) {
    return fail(ErrorCode::kFileUnreadable,
                std::to_string(file.bytes().size()) + " bytes, at most " +
                    std::to_string(max_bytes) + " are accepted",
                path.string());
  }
  return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
}

Result<void> write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail(ErrorCode::kFileUnwritable, "cannot write the file", path.string());
  return {};
}

}  // namespace rex

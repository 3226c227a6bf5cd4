#include "model/files/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace rex::model {

PartialFile::PartialFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {}

PartialFile::~PartialFile() {
  if (fd_ >= 0) ::close(fd_);
  if (created_) ::unlink(partial_.c_str());
}

Result<void> PartialFile::create() {
  fd_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) return system_error();
  created_ = true;
  return {};
}

Result<void> PartialFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Result<void> PartialFile::commit() {
  if (::fsync(fd_) != 0) return system_error();
  if (::close(std::exchange(fd_, -1)) != 0) return system_error();
  if (::rename(partial_.c_str(), path_.c_str()) != 0) return system_error();
  created_ = false;
  return {};
}

Failure PartialFile::system_error() const {
  return fail(ErrorCode::kFileUnwritable, std::strerror(errno), path_.string());
}

}  // namespace rex::model

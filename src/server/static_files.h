// The page: files of one folder, read at the start, served from memory with ETag and gzip. Paths
// are looked up in the list of files, so nothing outside the folder can be reached.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "http/message.h"

namespace rex::server {

// Immutable after load().
class StaticFiles {
 public:
  // A folder that is not there: a built-in page at "/" that says how to call the service.
  static StaticFiles load(const std::filesystem::path& folder);

  [[nodiscard]] bool has(const std::string& path) const { return find(path) != nullptr; }
  // Requires has(request.path).
  [[nodiscard]] http::Response answer(const http::Request& request) const;

 private:
  struct File {
    std::string type, etag, plain, gzip;  // gzip: empty where it does not pay
    bool lasting = false;                 // name holds a hash: may be kept for ever
  };
  [[nodiscard]] const File* find(const std::string& path) const;
  void add(const std::string& path, std::string content);

  std::map<std::string, File> files_;
};

}  // namespace rex::server

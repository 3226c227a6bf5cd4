// API keys and their rates. A keys file has one key a line: an id, its roles joined by commas
// (infer, metrics, debug), and the SHA-256 of the key in hexadecimal; # begins a comment.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.h"
#include "http/message.h"
#include "server/route.h"

namespace rex::server {

struct ApiKey {
  std::string id;
  std::vector<std::string> roles;
  std::string hash;  // 32 bytes
};

// Immutable after load().
class Keys {
 public:
  // Errors: FILE_NOT_FOUND, SETTING_INVALID with the line.
  static Result<Keys> load(const std::string& file);

  [[nodiscard]] bool empty() const { return keys_.empty(); }
  // The key of a request: Authorization: Bearer, or X-API-Key. Compared by hash, in constant time.
  // Errors: KEY_MISSING, KEY_INVALID.
  [[nodiscard]] Result<const ApiKey*> find(const http::Request& request) const;

 private:
  std::vector<ApiKey> keys_;
};

// Errors: FORBIDDEN, naming the role.
Result<void> check_role(const ApiKey& key, std::string_view role);

// A bucket of requests for each client (key or address), refilled evenly. Thread-safe.
class RateLimits {
 public:
  // 0 a minute: no limit.
  RateLimits(int32_t requests_per_minute, int32_t burst);

  struct Left {
    int32_t limit = 0;      // a minute; 0: no limit
    int32_t remaining = 0;  // of the bucket
    int32_t wait_s = 0;     // until the next one, when none is left
    bool allowed = true;
  };
  Left take(const std::string& client);

 private:
  struct Bucket {
    double tokens = 0;
    double updated_s = 0;
  };
  double per_second_;
  int32_t per_minute_;
  double size_;
  std::mutex mutex_;  // guards buckets_
  std::map<std::string, Bucket> buckets_;
};

}  // namespace rex::server

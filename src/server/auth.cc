#include "server/auth.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include "core/mapped_file.h"

namespace rex::server {
namespace {

constexpr size_t kHashBytes = 32;
constexpr size_t kMostClients = 100'000;

std::string sha256(std::string_view text) {
  std::string hash(kHashBytes, '\0');
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

// Empty when `hex` is not 64 hexadecimal digits.
std::string from_hex(std::string_view hex) {
  if (hex.size() != 2 * kHashBytes) return {};
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    int value = 0;
    for (const char c : hex.substr(i, 2)) {
      const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 32));
      if (digit == std::string_view::npos) return {};
      value = value * 16 + static_cast<int>(digit);
    }
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    words.emplace_back(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.size(), words.back().size() + 1));
  }
  return words;
}

std::string_view sent_key(const http::Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  if (const auto header = request.header("Authorization");
      header && header->size() > kBearer.size() &&
      http::same_word(header->substr(0, kBearer.size()), kBearer)) {
    return header->substr(kBearer.size());
  }
  return request.header("X-API-Key").value_or("");
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<Keys> Keys::load(const std::string& file) {
  Keys keys;
  if (file.empty()) return keys;
  REX_TRY(text, read_text_file(file, size_t{4} << 20));
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    ApiKey key;
    std::string roles, hash, more;
    if (!(words >> key.id)) continue;
    words >> roles >> hash;
    key.roles = split(roles);
    key.hash = from_hex(hash);
    if (key.hash.empty() || words >> more) {
      return fail(ErrorCode::kSettingInvalid, "expected: ID ROLES SHA256-IN-HEX",
                  "auth.keys_file (" + file + ":" + std::to_string(number) + ")");
    }
    for (const std::string& role : key.roles) {
      if (role != "infer" && role != "metrics" && role != "debug") {
        return fail(ErrorCode::kSettingInvalid,
                    "there is no role \"" + role + "\"; there are infer, metrics, debug",
                    "auth.keys_file (" + file + ":" + std::to_string(number) + ")");
      }
    }
    keys.keys_.push_back(std::move(key));
  }
  if (keys.empty()) {
    return fail(ErrorCode::kSettingInvalid, "the file holds no key",
                "auth.keys_file (" + file + ")");
  }
  return keys;
}

Result<const ApiKey*> Keys::find(const http::Request& request) const {
  const std::string_view sent = sent_key(request);
  if (sent.empty()) return fail(ErrorCode::kKeyMissing, "this service asks for a key");
  const std::string hash = sha256(sent);
  const ApiKey* found = nullptr;
  for (const ApiKey& key : keys_) {
    if (::CRYPTO_memcmp(key.hash.data(), hash.data(), kHashBytes) == 0) found = &key;
  }
  if (found == nullptr) return fail(ErrorCode::kKeyInvalid, "there is no such key");
  return found;
}

Result<void> check_role(const ApiKey& key, std::string_view role) {
  if (std::find(key.roles.begin(), key.roles.end(), role) != key.roles.end()) return {};
  return fail(ErrorCode::kForbidden,
              "the key \"" + key.id + "\" lacks the role " + std::string(role));
}

RateLimits::RateLimits(int32_t requests_per_minute, int32_t burst)
    : per_second_(requests_per_minute / 60.0),
      per_minute_(requests_per_minute),
      size_(burst > 0 ? burst : std::max(1, requests_per_minute / 10)) {}

RateLimits::Left RateLimits::take(const std::string& client) {
  if (per_minute_ == 0) return {};
  const double now = now_s();
  const std::lock_guard lock(mutex_);
  if (buckets_.size() > kMostClients) {  // full buckets say nothing
    std::erase_if(buckets_, [&](const auto& entry) {
      return entry.second.tokens + (now - entry.second.updated_s) * per_second_ >= size_;
    });
  }
  const auto [entry, is_new] = buckets_.try_emplace(client, Bucket{size_, now});
  Bucket& bucket = entry->second;
  bucket.tokens = std::min(size_, bucket.tokens + (now - bucket.updated_s) * per_second_);
  bucket.updated_s = now;
  Left left;
  left.limit = per_minute_;
  left.allowed = bucket.tokens >= 1.0;
  if (left.allowed) bucket.tokens -= 1.0;
  left.remaining = static_cast<int32_t>(bucket.tokens);
  if (!left.allowed) {
    left.wait_s = std::max(1, static_cast<int32_t>(std::ceil((1.0 - bucket.tokens) / per_second_)));
  }
  return left;
}

}  // namespace rex::server

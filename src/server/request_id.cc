#include "server/request_id.h"

#include <atomic>
#include <chrono>
#include <random>

namespace rex::server {
namespace {

bool is_good(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         id.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

}  // namespace

std::string request_id(std::optional<std::string_view> given) {
  if (given && is_good(*given)) return std::string(*given);
  // 48 bits of milliseconds, 80 bits of chance, in Crockford's base 32 (the form of a ULID).
  static constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  thread_local std::mt19937_64 random(std::random_device{}());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  auto time =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  std::string id(26, '0');
  for (int i = 9; i >= 0; --i, time >>= 5) id[static_cast<size_t>(i)] = kDigits[time & 31];
  for (size_t part = 10; part < 26; part += 8) {
    uint64_t bits = random();
    for (size_t i = part; i < part + 8; ++i, bits >>= 5) id[i] = kDigits[bits & 31];
  }
  return id;
}

}  // namespace rex::server

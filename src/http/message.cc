#include "http/message.h"

#include <algorithm>

namespace rex::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (same_word(key, name)) return value;
  }
  return std::nullopt;
}

std::string percent_decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i] == '+' && plus_is_blank ? ' ' : text[i];
    }
  }
  return decoded;
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    if (percent_decode(part.substr(0, equals), true) != name) continue;
    if (equals == std::string_view::npos) return std::string();
    return percent_decode(part.substr(equals + 1), true);
  }
  return std::nullopt;
}

bool Request::accepts(std::string_view type) const {
  const auto accept = header("Accept");
  if (!accept) return true;
  std::string_view rest = *accept;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::string_view range = trimmed(part.substr(0, part.find(';')));
    if (range == "*/*" || same_word(range, type)) return true;
    if (range.ends_with("/*") &&
        same_word(range.substr(0, range.size() - 1), type.substr(0, range.size() - 1))) {
      return true;
    }
  }
  return false;
}

}  // namespace rex::http

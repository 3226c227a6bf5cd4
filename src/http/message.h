// HTTP requests and responses as the rest of the program sees them: plain data, no library types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rex::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first value of a header, any letter case; nothing when absent.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

struct Request {
  std::string method;  // upper case
  std::string path;    // percent-decoded, without the query
  std::string query;   // after the question mark, as sent
  Headers headers;     // in the order sent
  std::string body;
  std::string remote;   // address of the peer
  bool secure = false;  // over TLS

  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
    return find_header(headers, name);
  }
  // Decoded value of a query parameter; nothing when absent, empty for "?name".
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
  [[nodiscard]] bool accepts(std::string_view type) const;  // no Accept header accepts all
};

struct Response {
  int status = 200;
  std::string content_type = "application/json; charset=utf-8";
  Headers headers;
  std::string body;
  bool close = false;  // end the connection afterwards
};

// "%E4%BA%BA+x" → "人 x" (`plus_is_blank`: form encoding, as in a query). A bad escape stays.
std::string percent_decode(std::string_view text, bool plus_is_blank = false);

// True when both are the same but for ASCII letter case.
bool same_word(std::string_view a, std::string_view b);

}  // namespace rex::http

// Names for requests: the client's own when it is well-formed, otherwise a new one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rex::server {

// `given` is kept when it has 1 to 128 of [A-Za-z0-9._-]. New ones are 26 chars, sortable by time.
std::string request_id(std::optional<std::string_view> given);

}  // namespace rex::server

// A TLS context from certificate and key files; used by server.cc alone.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "core/result.h"

namespace rex::http {

// Errors: TLS_INVALID, naming the file and what is wrong with it.
Result<boost::asio::ssl::context> make_tls(const std::string& cert_file,
                                           const std::string& key_file);

}  // namespace rex::http

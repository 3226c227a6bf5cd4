#include "http/tls.h"

#include <boost/asio/ssl/error.hpp>

namespace rex::http {

Result<boost::asio::ssl::context> make_tls(const std::string& cert_file,
                                           const std::string& key_file) {
  namespace ssl = boost::asio::ssl;
  ssl::context context(ssl::context::tls_server);
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  boost::system::error_code error;
  context.use_certificate_chain_file(cert_file, error);
  if (error) {
    return fail(ErrorCode::kTlsInvalid, "the certificate cannot be used: " + error.message(),
                "server.tls.cert_file (" + cert_file + ")");
  }
  context.use_private_key_file(key_file, ssl::context::pem, error);
  if (error) {
    return fail(ErrorCode::kTlsInvalid, "the key cannot be used: " + error.message(),
                "server.tls.key_file (" + key_file + ")");
  }
  return context;
}

}  // namespace rex::http

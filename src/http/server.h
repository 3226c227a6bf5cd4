// An HTTP/1.1 server: connections, time-outs, limits, TLS, streaming, drain. Routes see Request,
// Response and Exchange only; the library behind it (Boost.Beast) stays in this folder.
//
// One event loop a thread; a connection lives on one loop. The handler runs on a loop and must not
// block there: it answers at once or passes the exchange to another thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "http/message.h"

namespace rex::http {

// One request on its way to its answer. Thread-safe. Exactly one of respond() and
// begin() … end() is called, once.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual void respond(Response response) = 0;

  // A body in pieces (chunked). `head.body` is ignored.
  virtual void begin(Response head) = 0;
  // Blocks while the client reads more slowly than pieces come. False: the client is gone.
  virtual bool write(std::string piece) = 0;
  virtual void end() = 0;

  // Stopped when the client closes the connection before it has its answer.
  [[nodiscard]] virtual std::stop_token gone() const = 0;
};

using Handler = std::function<void(Request request, std::shared_ptr<Exchange> exchange)>;

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 7860;  // 0: any free one
  int32_t threads = 2;   // event loops
  size_t max_header_bytes = size_t{16} << 10;
  size_t max_body_bytes = size_t{2} << 20;
  size_t max_connections = 20'000;                   // more are closed at once
  std::chrono::milliseconds header_timeout{10'000};  // from the first byte to the end of the header
  std::chrono::milliseconds body_timeout{30'000};    // for the whole body
  std::chrono::milliseconds write_timeout{30'000};   // for one write to make it to the client
  std::chrono::milliseconds idle_timeout{75'000};    // between two requests
  std::string cert_file, key_file;                   // both: TLS 1.2 or newer
  // The answer to what never reaches the handler: malformed, too large, too slow.
  std::function<Response(const Error& error)> error_response;
};

// Thread-safe.
class Server {
 public:
  // Listens and serves. Errors: ADDRESS_IN_USE, SETTING_INVALID (address), TLS_INVALID.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  // Closes everything at once, so that every exchange is gone(), and waits until the handlers have
  // let go of theirs.
  virtual ~Server() = default;

  [[nodiscard]] virtual uint16_t port() const = 0;
  [[nodiscard]] virtual size_t connections() const = 0;
  [[nodiscard]] virtual size_t active_exchanges() const = 0;

  // From now on every answer closes its connection.
  virtual void begin_drain() = 0;
  // Waits until all exchanges are answered, at most `limit`, then stops listening and closes.
  // True when none was cut off.
  virtual bool finish(std::chrono::milliseconds limit) = 0;
};

}  // namespace rex::http

// Coroutines on Boost.Asio and Boost.Beast: accept → read → handler → write, again and again.
#include "http/server.h"

#include <sys/socket.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "http/tls.h"

namespace rex::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using ErrorValue = boost::system::error_code;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

constexpr size_t kMostPending = size_t{256} << 10;  // bytes of a stream not yet sent

// Completion as a value: no exception for a peer that goes away.
auto into(ErrorValue& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

class AnyConnection {
 public:
  virtual ~AnyConnection() = default;
  virtual void close_now() = 0;
};

struct Loop {
  std::set<AnyConnection*> connections;  // this loop's thread only
  asio::io_context io{1};                // last: connections end with it
};

// What connections need of their server.
struct Shared {
  ServerOptions options;
  Handler handler;
  std::optional<asio::ssl::context> tls;
  std::atomic<bool> draining = false;
  std::atomic<size_t> connections = 0;
  std::atomic<size_t> active = 0;
  std::mutex mutex;  // for idle, held
  std::condition_variable idle;
  size_t held = 0;  // exchanges in the hands of handlers

  void leave() {
    if (--active == 0) {
      const std::lock_guard lock(mutex);
      idle.notify_all();
    }
  }
  void hand_out() {
    const std::lock_guard lock(mutex);
    ++held;
  }
  void take_back() {
    const std::lock_guard lock(mutex);
    if (--held == 0) idle.notify_all();
  }
};

Request to_request(wire::request<wire::string_body>&& message) {
  Request request;
  request.method = message.method_string();
  const std::string_view target(message.target().data(), message.target().size());
  const size_t question = target.find('?');
  request.path = percent_decode(target.substr(0, question));
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

Error error_of(const ErrorValue& error, const ServerOptions& options) {
  if (error == wire::error::body_limit) {
    return {ErrorCode::kBodyTooLarge,
            "the body has more than " + std::to_string(options.max_body_bytes) + " bytes", "body"};
  }
  if (error == wire::error::header_limit) {
    return {ErrorCode::kRequestInvalid,
            "the header has more than " + std::to_string(options.max_header_bytes) + " bytes",
            "header"};
  }
  if (error == beast::error::timeout) {
    return {ErrorCode::kRequestSlow, "the request did not arrive in time", ""};
  }
  return {ErrorCode::kRequestInvalid, error.message(), ""};
}

template <class Stream>
class Connection final : public Exchange,
                         public AnyConnection,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <class... Args>
  Connection(Shared& shared, Loop& loop, Args&&... args)
      : shared_(shared),
        loop_(loop),
        stream_(std::forward<Args>(args)...),
        signal_(loop.io),
        late_(loop.io) {
    loop_.connections.insert(this);
    ++shared_.connections;
  }
  ~Connection() override {
    loop_.connections.erase(this);
    --shared_.connections;
  }

  asio::awaitable<void> run() {
    const auto self = this->shared_from_this();
    ErrorValue error;
    socket().set_option(tcp::no_delay(true), error);
    if (const auto peer = socket().remote_endpoint(error); !error) {
      remote_ = peer.address().to_string();
    }
    if constexpr (std::is_same_v<Stream, Secure>) {
      lowest().expires_after(shared_.options.header_timeout);
      co_await stream_.async_handshake(asio::ssl::stream_base::server, into(error));
      if (error) co_return;
    }
    while (co_await serve_one()) {
    }
    if constexpr (std::is_same_v<Stream, Secure>) {
      lowest().expires_after(std::chrono::seconds(2));
      co_await stream_.async_shutdown(into(error));
    }
    socket().shutdown(tcp::socket::shutdown_both, error);
  }

  void close_now() override {
    lose();
    ErrorValue error;
    socket().close(error);
  }

  // Exchange, from any thread.
  void respond(Response response) override {
    asio::dispatch(loop_.io, [self = this->shared_from_this(), r = std::move(response)]() mutable {
      self->response_ = std::move(r);
      self->signal_.cancel();
    });
  }
  void begin(Response head) override {
    {
      const std::lock_guard lock(mutex_);
      streams_ = true;
    }
    respond(std::move(head));
  }
  bool write(std::string piece) override {
    std::unique_lock lock(mutex_);
    drained_.wait(lock, [this] { return pending_ < kMostPending || lost_; });
    if (lost_) return false;
    pending_ += piece.size();
    pieces_.push_back(std::move(piece));
    lock.unlock();
    wake();
    return true;
  }
  void end() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake();
  }
  [[nodiscard]] std::stop_token gone() const override { return gone_.get_token(); }

 private:
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  tcp::socket& socket() { return lowest().socket(); }

  // What the handler holds. The connection itself ends on its loop, whoever lets go last.
  std::shared_ptr<Exchange> handle() {
    shared_.hand_out();
    return {static_cast<Exchange*>(this), [self = this->shared_from_this()](Exchange*) mutable {
              asio::io_context& io = self->loop_.io;
              Shared& shared = self->shared_;
              asio::post(io, [last = std::move(self)] {});
              shared.take_back();
            }};
  }

  void wake() {
    asio::post(loop_.io, [self = this->shared_from_this()] { self->signal_.cancel(); });
  }

  // One request and its answer. False: the connection ends.
  asio::awaitable<bool> serve_one() {
    wire::request_parser<wire::string_body> parser;
    parser.header_limit(static_cast<uint32_t>(shared_.options.max_header_bytes));
    parser.body_limit(shared_.options.max_body_bytes);
    ErrorValue error;
    co_await read(parser, error);
    if (error) {
      if (!parser.got_some() || error == wire::error::end_of_stream ||
          error == asio::error::connection_reset || error == asio::error::eof ||
          error == wire::error::partial_message) {
        co_return false;
      }
      Response refusal = shared_.options.error_response(error_of(error, shared_.options));
      refusal.close = true;
      version_ = 11;
      head_only_ = false;
      co_await send(refusal, false, error);
      co_await linger();
      co_return false;
    }
    const bool keep_alive = parser.keep_alive();
    version_ = parser.get().version();
    head_only_ = parser.get().method() == wire::verb::head;
    Request request = to_request(parser.release());
    request.remote = remote_;
    request.secure = std::is_same_v<Stream, Secure>;

    ++shared_.active;
    const bool sent = co_await answer(request, keep_alive);
    shared_.leave();
    co_return sent;
  }

  // Reads one request; nothing came when the parser got nothing.
  asio::awaitable<void> read(wire::request_parser<wire::string_body>& parser, ErrorValue& error) {
    if (buffer_.size() == 0) {
      lowest().expires_after(shared_.options.idle_timeout);
      const size_t count =
          co_await stream_.async_read_some(buffer_.prepare(size_t{8} << 10), into(error));
      buffer_.commit(count);
      if (error) co_return;
    }
    lowest().expires_never();
    give_time(shared_.options.header_timeout);
    co_await wire::async_read_header(stream_, buffer_, parser, into(error));
    if (!error && !parser.is_done()) {
      give_time(shared_.options.body_timeout);
      if (beast::iequals(parser.get()[wire::field::expect], "100-continue")) {
        static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
        co_await asio::async_write(stream_, asio::buffer(kContinue), into(error));
      }
      if (!error) co_await wire::async_read(stream_, buffer_, parser, into(error));
    }
    late_.cancel();
    if (timed_out_) error = beast::error::timeout;
  }

  // Cancels reading when the time is over; the stream's own time-out would close the connection
  // before it can be answered.
  void give_time(std::chrono::milliseconds time) {
    timed_out_ = false;
    late_.expires_after(time);
    late_.async_wait([self = this->shared_from_this()](ErrorValue error) {
      if (error) return;
      self->timed_out_ = true;
      self->lowest().cancel();
    });
  }

  asio::awaitable<bool> answer(Request& request, bool keep_alive) {
    response_.reset();
    gone_ = std::stop_source();
    {
      const std::lock_guard lock(mutex_);
      streams_ = ended_ = lost_ = false;
      pieces_.clear();
      pending_ = 0;
    }
    asio::cancellation_signal end_watch;
    watch(end_watch);
    shared_.handler(std::move(request), handle());
    lowest().expires_never();
    ErrorValue error;
    while (!response_ && !gone_.stop_requested()) co_await wait();
    bool keep = keep_alive && !shared_.draining;
    if (response_) {
      keep = keep && !response_->close;
      bool streams = false;
      {
        const std::lock_guard lock(mutex_);
        streams = streams_;
      }
      Response response = *std::move(response_);
      if (streams) {
        co_await stream(response, keep, error);
      } else {
        co_await send(response, keep, error);
      }
    } else {
      error = asio::error::connection_reset;
    }
    end_watch.emit(asio::cancellation_type::all);
    if (error) lose();
    co_return keep && !error;
  }

  asio::awaitable<void> wait() {
    ErrorValue error;
    signal_.expires_at(asio::steady_timer::time_point::max());
    co_await signal_.async_wait(into(error));
  }

  void lose() {
    {
      const std::lock_guard lock(mutex_);
      lost_ = true;
    }
    drained_.notify_all();
    gone_.request_stop();
  }

  // Bytes that arrive now belong to the next request; the end of the stream is a client gone.
  void watch(asio::cancellation_signal& end) {
    socket().async_wait(tcp::socket::wait_read,
                        asio::bind_cancellation_slot(
                            end.slot(), [self = this->shared_from_this()](ErrorValue error) {
                              if (error) return;
                              char byte = 0;
                              const auto got = ::recv(self->socket().native_handle(), &byte, 1,
                                                      MSG_PEEK | MSG_DONTWAIT);
                              if (got > 0 || (got < 0 && errno == EAGAIN)) return;
                              self->lose();
                              self->signal_.cancel();
                            }));
  }

  template <class Message>
  void fill_head(Message& message, Response& response, bool keep) const {
    message.version(version_ == 10 ? 10 : 11);
    message.result(static_cast<unsigned>(response.status));
    message.set(wire::field::server, "rexuninlu");
    if (!response.content_type.empty()) {
      message.set(wire::field::content_type, response.content_type);
    }
    for (const auto& [name, value] : response.headers) message.insert(name, value);
    message.keep_alive(keep);
  }

  asio::awaitable<void> send(Response& response, bool keep, ErrorValue& error) {
    lowest().expires_after(shared_.options.write_timeout);
    if (head_only_ || response.status == 304 || response.status == 204) {
      wire::response<wire::empty_body> message;
      fill_head(message, response, keep);
      if (head_only_) message.content_length(response.body.size());
      wire::response_serializer<wire::empty_body> serializer(message);
      co_await wire::async_write_header(stream_, serializer, into(error));
      co_return;
    }
    wire::response<wire::string_body> message;
    fill_head(message, response, keep);
    message.body() = std::move(response.body);
    message.prepare_payload();
    co_await wire::async_write(stream_, message, into(error));
  }

  asio::awaitable<void> stream(Response& head, bool& keep, ErrorValue& error) {
    const bool chunked = version_ != 10;
    keep = keep && chunked;
    wire::response<wire::empty_body> message;
    fill_head(message, head, keep);
    if (chunked) message.chunked(true);
    wire::response_serializer<wire::empty_body> serializer(message);
    lowest().expires_after(shared_.options.write_timeout);
    co_await wire::async_write_header(stream_, serializer, into(error));
    while (!error) {
      std::string piece;
      bool over = false;
      {
        const std::lock_guard lock(mutex_);
        if (lost_) {
          error = asio::error::connection_reset;
          break;
        }
        while (!pieces_.empty()) {
          piece += pieces_.front();
          pieces_.pop_front();
        }
        pending_ = 0;
        over = ended_;
      }
      drained_.notify_all();
      if (!piece.empty()) {
        lowest().expires_after(shared_.options.write_timeout);
        if (chunked) {
          co_await asio::async_write(stream_, wire::make_chunk(asio::buffer(piece)), into(error));
        } else {
          co_await asio::async_write(stream_, asio::buffer(piece), into(error));
        }
      } else if (over) {
        if (chunked) co_await asio::async_write(stream_, wire::make_chunk_last(), into(error));
        co_return;
      } else {
        lowest().expires_never();
        co_await wait();
      }
    }
    lose();
  }

  // A client that is still sending would lose the answer to a reset; read on for a moment.
  asio::awaitable<void> linger() {
    ErrorValue error;
    if constexpr (std::is_same_v<Stream, Plain>) {
      socket().shutdown(tcp::socket::shutdown_send, error);
      lowest().expires_after(std::chrono::seconds(2));
      std::vector<char> sink(size_t{64} << 10);
      while (!error) co_await stream_.async_read_some(asio::buffer(sink), into(error));
    }
  }

  Shared& shared_;
  Loop& loop_;
  Stream stream_;
  asio::steady_timer signal_;  // cancelled when something happened
  asio::steady_timer late_;    // for reading a request
  bool timed_out_ = false;
  beast::flat_buffer buffer_;
  std::string remote_;
  unsigned version_ = 11;
  bool head_only_ = false;
  std::optional<Response> response_;
  std::stop_source gone_;

  std::mutex mutex_;  // guards the stream's pieces
  std::condition_variable drained_;
  std::deque<std::string> pieces_;
  size_t pending_ = 0;
  bool streams_ = false, ended_ = false, lost_ = false;
};

class BeastServer final : public Server {
 public:
  BeastServer(ServerOptions options, Handler handler) {
    shared_.options = std::move(options);
    shared_.handler = std::move(handler);
    const int32_t loops = std::max(1, shared_.options.threads);
    for (int32_t i = 0; i < loops; ++i) loops_.push_back(std::make_unique<Loop>());
    acceptor_.emplace(loops_[0]->io);
  }

  ~BeastServer() override {
    close_all();
    threads_.clear();
    std::unique_lock lock(shared_.mutex);
    shared_.idle.wait(lock, [this] { return shared_.held == 0; });
  }

  Result<void> listen() {
    const ServerOptions& options = shared_.options;
    if (!options.cert_file.empty() || !options.key_file.empty()) {
      REX_TRY(tls, make_tls(options.cert_file, options.key_file));
      shared_.tls.emplace(std::move(tls));
    }
    ErrorValue error;
    const auto address =
        asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
    if (error) {
      return fail(ErrorCode::kSettingInvalid, "\"" + options.host + "\" is no IP address",
                  "server.host");
    }
    const tcp::endpoint endpoint(address, options.port);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(4096, error);
    if (error) {
      return fail(ErrorCode::kAddressInUse, error.message(),
                  options.host + ":" + std::to_string(options.port));
    }
    port_ = acceptor_->local_endpoint().port();
    for (auto& loop : loops_) guards_.emplace_back(asio::make_work_guard(loop->io));
    asio::co_spawn(loops_[0]->io, accept(), asio::detached);
    for (auto& loop : loops_) threads_.emplace_back([&io = loop->io] { io.run(); });
    return {};
  }

  [[nodiscard]] uint16_t port() const override { return port_; }
  [[nodiscard]] size_t connections() const override { return shared_.connections; }
  [[nodiscard]] size_t active_exchanges() const override { return shared_.active; }
  void begin_drain() override { shared_.draining = true; }

  bool finish(std::chrono::milliseconds limit) override {
    begin_drain();
    bool all = false;
    {
      std::unique_lock lock(shared_.mutex);
      all = shared_.idle.wait_for(lock, limit, [this] { return shared_.active == 0; });
    }
    close_all();
    threads_.clear();
    return all;
  }

 private:
  asio::awaitable<void> accept() {
    size_t next = 0;
    while (true) {
      Loop& loop = *loops_[next++ % loops_.size()];
      ErrorValue error;
      tcp::socket socket = co_await acceptor_->async_accept(loop.io, into(error));
      if (error == asio::error::operation_aborted || !acceptor_->is_open()) co_return;
      if (error) {  // no file descriptor left, for example: give connections time to end
        asio::steady_timer pause(loops_[0]->io, std::chrono::milliseconds(50));
        co_await pause.async_wait(into(error));
        continue;
      }
      if (shared_.connections >= shared_.options.max_connections) continue;
      asio::post(loop.io, [this, &loop, s = std::move(socket)]() mutable {
        start_connection(loop, std::move(s));
      });
    }
  }

  void start_connection(Loop& loop, tcp::socket socket) {
    if (shared_.tls) {
      spawn(loop, std::make_shared<Connection<Secure>>(shared_, loop, Plain(std::move(socket)),
                                                       *shared_.tls));
    } else {
      spawn(loop, std::make_shared<Connection<Plain>>(shared_, loop, std::move(socket)));
    }
  }

  template <class C>
  static void spawn(Loop& loop, std::shared_ptr<C> connection) {
    asio::co_spawn(loop.io, [c = std::move(connection)] { return c->run(); }, asio::detached);
  }

  void close_all() {
    for (auto& loop : loops_) {
      asio::post(loop->io, [this, &loop] {
        ErrorValue error;
        if (loop == loops_[0]) acceptor_->close(error);
        for (AnyConnection* connection : loop->connections) connection->close_now();
      });
    }
    guards_.clear();
    // Loops end by themselves when their last connection is gone; a stuck one does not hold us up.
    for (auto& loop : loops_) {
      asio::post(loop->io, [&io = loop->io, timer = std::make_shared<asio::steady_timer>(
                                                loop->io, std::chrono::milliseconds(200))] {
        timer->async_wait([&io, timer](ErrorValue) { io.stop(); });
      });
    }
  }

  Shared shared_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::optional<tcp::acceptor> acceptor_;
  uint16_t port_ = 0;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
  std::vector<std::jthread> threads_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  auto server = std::make_unique<BeastServer>(std::move(options), std::move(handler));
  REX_TRY_VOID(server->listen());
  return server;
}

}  // namespace rex::http

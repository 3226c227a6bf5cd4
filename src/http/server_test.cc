// The server with real sockets: keep-alive, limits, time-outs, streams, clients that go, drain.
#include "http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace rex::http {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A TCP client that sends and receives bytes.
class Client {
 public:
  explicit Client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  void send(std::string_view text) const { ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  // What arrives until `enough` is in it, the peer closes, or five seconds pass.
  [[nodiscard]] std::string receive(std::string_view enough = "\xff") const {
    std::string got;
    char buffer[4096];
    pollfd ready{fd_, POLLIN, 0};
    while (got.find(enough) == std::string::npos && ::poll(&ready, 1, 5000) == 1) {
      const auto count = ::recv(fd_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      got.append(buffer, static_cast<size_t>(count));
    }
    return got;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
  bool connected_ = false;
};

Response error_response(const Error& error) {
  Response response;
  response.status = row_of(error.code).http_status;
  response.body = std::string(row_of(error.code).name);
  return response;
}

std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {}) {
  options.port = 0;
  options.error_response = error_response;
  auto server = Server::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server) << server.error().to_string();
  return *std::move(server);
}

void echo(Request request, const std::shared_ptr<Exchange>& exchange) {
  Response response;
  response.body = request.method + " " + request.path + " " + request.body;
  exchange->respond(std::move(response));
}

TEST(Server, ServesManyRequestsOnOneConnection) {
  const auto server = serve(echo);
  const Client client(server->port());
  for (int i = 0; i < 3; ++i) {
    client.send("POST /a%20b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(client.receive("hi"), EndsWith("\r\n\r\nPOST /a b hi"));
  }
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.receive("GET /2 "), HasSubstr("GET /1 "));
  EXPECT_EQ(server->connections(), 1U);
}

TEST(Server, HeadHasLengthAndNoBody) {
  const auto server = serve(echo);
  const Client client(server->port());
  client.send("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string got = client.receive();
  EXPECT_THAT(got, HasSubstr("Content-Length: 8"));
  EXPECT_THAT(got, EndsWith("\r\n\r\n"));
}

TEST(Server, WhatIsNotHttpGetsAnErrorAndTheConnectionEnds) {
  const auto server = serve(echo);
  const Client client(server->port());
  client.send("this is not HTTP\r\n\r\n");
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 400"));
}

TEST(Server, ABodyAboveTheLimitIsRefusedBeforeItIsRead) {
  ServerOptions options;
  options.max_body_bytes = 10;
  const auto server = serve(echo, options);
  const Client client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(client.receive(), EndsWith("BODY_TOO_LARGE"));
}

TEST(Server, ALongHeaderIsRefused) {
  ServerOptions options;
  options.max_header_bytes = 1024;
  const auto server = serve(echo, options);
  const Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: " + std::string(2000, 'x'));
  EXPECT_THAT(client.receive(), EndsWith("REQUEST_INVALID"));
}

TEST(Server, AHeaderOrBodyThatDoesNotComeEndsInTime) {
  ServerOptions options;
  options.header_timeout = options.body_timeout = 50ms;
  const auto server = serve(echo, options);
  const Client header(server->port()), body(server->port());
  header.send("GET / HT");
  body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_THAT(header.receive(), EndsWith("REQUEST_SLOW"));
  EXPECT_THAT(body.receive(), EndsWith("REQUEST_SLOW"));
}

TEST(Server, AnIdleConnectionIsClosed) {
  ServerOptions options;
  options.idle_timeout = 50ms;
  const auto server = serve(echo, options);
  EXPECT_EQ(Client(server->port()).receive(), "");
}

TEST(Server, SendsABodyInPiecesAndKeepsTheConnection) {
  const auto server = serve([](const Request&, std::shared_ptr<Exchange> exchange) {
    std::thread([exchange = std::move(exchange)] {
      exchange->begin({});
      EXPECT_TRUE(exchange->write("one\n"));
      EXPECT_TRUE(exchange->write("two\n"));
      exchange->end();
    }).detach();
  });
  const Client client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string got = client.receive("0\r\n\r\n");
    EXPECT_THAT(got, HasSubstr("Transfer-Encoding: chunked"));
    EXPECT_THAT(got, HasSubstr("two\n"));
  }
  client.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.receive(), EndsWith("\r\n\r\none\ntwo\n"));
}

TEST(Server, AClientThatGoesStopsItsWork) {
  std::binary_semaphore stopped{0}, asked{0};
  const auto server = serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    std::thread([&, exchange] {
      asked.release();
      while (!exchange->gone().stop_requested()) std::this_thread::sleep_for(1ms);
      stopped.release();
      exchange->respond({});
    }).detach();
  });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  asked.acquire();
  client.close();
  EXPECT_TRUE(stopped.try_acquire_for(5s));
}

TEST(Server, AClientThatGoesInMidStreamEndsTheStream) {
  std::binary_semaphore over{0};
  const auto server = serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    std::thread([&, exchange] {
      exchange->begin({});
      while (exchange->write(std::string(100'000, 'x'))) {
      }
      exchange->end();
      over.release();
    }).detach();
  });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.receive("xxx"), HasSubstr("xxx"));
  client.close();
  EXPECT_TRUE(over.try_acquire_for(5s));
}

TEST(Server, DrainingAnswersWhatWasAccepted) {
  std::binary_semaphore asked{0};
  auto server = serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    std::thread([&, exchange] {
      asked.release();
      std::this_thread::sleep_for(100ms);
      Response response;
      response.body = "done";
      exchange->respond(std::move(response));
    }).detach();
  });
  const Client client(server->port()), idle(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  asked.acquire();
  EXPECT_TRUE(server->finish(5s));
  const std::string got = client.receive();
  EXPECT_THAT(got, EndsWith("done"));
  EXPECT_THAT(got, HasSubstr("Connection: close"));
  EXPECT_EQ(idle.receive(), "");
  EXPECT_FALSE(Client(server->port()).connected());
}

TEST(Server, APortInUseIsAnErrorThatNamesIt) {
  const auto first = serve(echo);
  ServerOptions options;
  options.port = first->port();
  const auto second = Server::start(options, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAddressInUse);
  EXPECT_THAT(second.error().place, HasSubstr(std::to_string(first->port())));
}

TEST(Server, AMissingCertificateIsAnErrorThatNamesTheFile) {
  ServerOptions options;
  options.port = 0;
  options.cert_file = options.key_file = "/nowhere/cert.pem";
  const auto server = Server::start(options, echo);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kTlsInvalid);
  EXPECT_THAT(server.error().place, HasSubstr("/nowhere/cert.pem"));
}

TEST(Server, ManyClientsAtOnce) {
  const auto server = serve(echo);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        const Client client(server->port());
        for (int i = 0; i < 50; ++i) {
          client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
          good += client.receive("GET /x ").ends_with("GET /x ") ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(good, 400);
}

}  // namespace
}  // namespace rex::http

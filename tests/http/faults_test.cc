// The real program when things go wrong: clients that stop or vanish, signals, a port in use,
// settings and certificates that are wrong.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "http/service_under_test.h"
#include "program/run_program.h"
#include "support/temp_dir.h"

namespace rex::http_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// `rexuninlu serve` on a free port.
class Program {
 public:
  explicit Program(std::vector<std::string> flags = {}) {
    const auto ready = dir_.path() / "ready";
    flags.insert(flags.begin(), {"serve", "--port", "0", "--ready-file", ready.string(), "--model",
                                 REX_MINI_MODEL, "--set", "logging.level=error"});
    pid_ = program::start(flags);
    for (int i = 0; i < 600 && port_ == 0; ++i) {
      std::ifstream(ready) >> port_;
      if (port_ == 0) std::this_thread::sleep_for(50ms);
    }
    EXPECT_NE(port_, 0);
  }
  ~Program() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    program::wait_for(pid_);
  }
  [[nodiscard]] uint16_t port() const { return port_; }
  void signal(int number) const { ::kill(pid_, number); }
  int wait() {
    const int code = program::wait_for(pid_);
    pid_ = 0;
    return code;
  }
  [[nodiscard]] httplib::Client client() const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    return client;
  }

 private:
  TempDir dir_;
  pid_t pid_ = 0;
  uint16_t port_ = 0;
};

int connect_to(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

void send_all(int fd, const std::string& text) {
  ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

const std::string kNer = R"({"text": "周慧敏在武汉工作。", "labels": ["人物", "地理位置"]})";

std::string long_text(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += "周慧敏在武汉工作。";
  return text;
}

TEST(Faults, ClientsThatVanishOrCrawlDoNotHurtTheOthers) {
  const Program program(
      {"--set", "server.header_timeout_s=0.3", "--set", "server.body_timeout_s=0.3"});
  std::vector<int> sockets;
  for (int i = 0; i < 40; ++i) {
    const int fd = connect_to(program.port());
    ASSERT_GE(fd, 0);
    if (i % 4 == 0) send_all(fd, "POST /api/ner HT");  // slow loris
    if (i % 4 == 1)
      send_all(
          fd,
          "POST /api/ner HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{\"te");  // half a body
    if (i % 4 == 2) {  // gone before the answer
      send_all(fd, "POST /api/ner HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                       std::to_string(kNer.size()) + "\r\n\r\n" + kNer);
      ::close(fd);
      continue;
    }
    if (i % 4 == 3) {  // gone in mid-stream
      const std::string body =
          Json{{"labels", {"人物"}}, {"texts", std::vector<std::string>(60, long_text(20))}}.dump();
      send_all(
          fd,
          "POST /api/ner HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
      char byte = 0;
      if (i == 3) ::recv(fd, &byte, 1, 0);
      ::close(fd);
      continue;
    }
    sockets.push_back(fd);
  }
  auto client = program.client();
  const auto good = client.Post("/api/ner", kNer, "application/json");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->status, 200);
  // The slow ones are told and closed.
  for (const int fd : sockets) {
    std::string got(4096, '\0');
    timeval patience{5, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const auto count = ::recv(fd, got.data(), got.size(), 0);
    EXPECT_THAT(got.substr(0, static_cast<size_t>(std::max<ssize_t>(0, count))),
                HasSubstr("REQUEST_SLOW"));
    ::close(fd);
  }
  EXPECT_EQ(client.Get("/readyz")->status, 200);
}

TEST(Faults, ThousandsOfIdleConnectionsDoNotHurtTheOthers) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const char* given = std::getenv("REX_TEST_IDLE");
  const size_t wanted = given == nullptr ? 2000 : static_cast<size_t>(std::atoi(given));
  const size_t count = std::min<size_t>(wanted, files.rlim_cur - 100);
  const Program program;
  std::vector<int> idle;
  for (size_t i = 0; i < count; ++i) {
    const int fd = connect_to(program.port());
    ASSERT_GE(fd, 0) << i;
    idle.push_back(fd);
  }
  auto client = program.client();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(client.Post("/api/ner", kNer, "application/json")->status, 200);
  for (const int fd : idle) ::close(fd);
}

TEST(Faults, SigtermUnderLoadAnswersEveryAcceptedRequest) {
  Program program;
  std::atomic<int> answered = 0, draining = 0, refused = 0, broken = 0;
  std::atomic<bool> ended = false;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const std::string body = Json{{"text", long_text(1 + t)}, {"labels", {"人物"}}}.dump();
        while (!ended) {
          // A request whose connection stood before the signal must get an answer.
          const int fd = connect_to(program.port());
          if (fd < 0) {
            ++refused;
            return;
          }
          send_all(fd,
                   "POST /api/ner HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body);
          std::string got(65536, '\0');
          size_t size = 0;
          for (ssize_t n = 1; n > 0 && size < got.size();
               size += static_cast<size_t>(std::max<ssize_t>(0, n)))
            n = ::recv(fd, got.data() + size, got.size() - size, 0);
          ::close(fd);
          got.resize(size);
          if (got.starts_with("HTTP/1.1 200") && got.ends_with("}\n")) {
            ++answered;
          } else if (got.starts_with("HTTP/1.1 503")) {
            ++draining;
          } else if (got.empty()) {
            ++refused;  // accepted by the kernel, never by the program
          } else {
            ++broken;
          }
        }
      });
    }
    std::this_thread::sleep_for(700ms);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    ended = true;
  }
  EXPECT_GT(answered, 8);
  EXPECT_EQ(broken, 0);
}

TEST(Faults, SigtermWaitsForALongRequest) {
  Program program(
      {"--set", "server.drain_timeout_s=300", "--set", "inference.request_timeout=300"});
  auto answer = std::async(std::launch::async, [&] {
    auto client = program.client();
    client.set_read_timeout(300);
    return client.Post("/api/ner", Json{{"text", long_text(800)}, {"labels", {"人物"}}}.dump(),
                       "application/json");
  });
  std::this_thread::sleep_for(200ms);
  program.signal(SIGTERM);
  const auto got = answer.get();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(program.wait(), 0);
}

TEST(Faults, AfterAKillItStartsAgain) {
  {
    Program program;
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), -SIGKILL);
  }
  const Program again;
  EXPECT_EQ(again.client().Get("/readyz")->status, 200);
}

TEST(Faults, APortInUseStopsTheStartWithItsName) {
  const Program program;
  const auto second =
      program::run({"serve", "--port", std::to_string(program.port()), "--model", REX_MINI_MODEL});
  EXPECT_EQ(second.exit_code, 69);
  EXPECT_THAT(second.err, HasSubstr(std::to_string(program.port())));
}

TEST(Faults, WrongSettingsStopTheStartWithOneClearLine) {
  const TempDir dir;
  const auto file = dir.write("config.yaml", "server:\n  prot: 8000\n");
  const auto unknown = program::run({"serve", "--config", file.string()});
  EXPECT_EQ(unknown.exit_code, 78);
  EXPECT_THAT(unknown.err, HasSubstr("config.yaml:2:3"));
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"server.port\""));
  EXPECT_EQ(program::run({"serve", "--set", "server.port=eighty"}).exit_code, 78);
  EXPECT_EQ(program::run({"serve", "--host", "0.0.0.0"}).exit_code, 78);
  EXPECT_EQ(program::run({"serve", "--config", "/nowhere/config.yaml"}).exit_code, 66);
  EXPECT_EQ(program::run({"serve", "--port", "0", "--model", "/nowhere"}).exit_code, 66);
  const auto environment = program::run({"serve", "--check"}, "", {"REX_SERVER__PORT=eighty"});
  EXPECT_EQ(environment.exit_code, 78);
  EXPECT_THAT(environment.err, HasSubstr("REX_SERVER__PORT"));
  EXPECT_EQ(program::run({"serve", "--check"}).exit_code, 0);
}

TEST(Faults, AMissingCertificateStopsTheStart) {
  const auto run =
      program::run({"serve", "--port", "0", "--set", "server.tls.cert_file=/nowhere/c.pem", "--set",
                    "server.tls.key_file=/nowhere/k.pem"});
  EXPECT_EQ(run.exit_code, 78);
  EXPECT_THAT(run.err, HasSubstr("/nowhere/c.pem"));
}

TEST(Faults, TlsServesWithACertificate) {
  const TempDir dir;
  const std::string cert = (dir.path() / "c.pem").string(), key = (dir.path() / "k.pem").string();
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout " + key +
      " -out " + cert + " 2>/dev/null";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "needs the openssl program";
  const Program program(
      {"--set", "server.tls.cert_file=" + cert, "--set", "server.tls.key_file=" + key});
  httplib::SSLClient client("127.0.0.1", program.port());
  client.enable_server_certificate_verification(false);
  const auto answer = client.Post("/api/ner", kNer, "application/json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(Faults, ALogOnAFullDiskCostsLinesAndNothingElse) {
  const Program program({"--set", "logging.file=/dev/full", "--set", "logging.level=info"});
  auto client = program.client();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.Post("/api/ner", kNer, "application/json")->status, 200);
}

}  // namespace
}  // namespace rex::http_test

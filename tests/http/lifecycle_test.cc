// The service between its start and its end: not ready yet, ready, draining.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <semaphore>
#include <thread>

#include "http/service_under_test.h"

namespace rex::http_test {
namespace {

using namespace std::chrono_literals;

uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

const Json kNer = {{"text", "周慧敏在武汉工作。"}, {"labels", {"人物"}}};

TEST(Lifecycle, BeforeTheModelIsLoadedTheServiceIsAliveAndNotReady) {
  const uint16_t port = free_port();
  std::binary_semaphore loading{0}, go_on{0};
  auto starting = std::async(std::launch::async, [&] {
    server::ServiceParts parts;
    parts.settings.server.port = port;
    parts.open_model = [&] {
      loading.release();
      go_on.acquire();
      return open_on_cpu(REX_MINI_MODEL);
    };
    return server::Service::start(std::move(parts));
  });
  loading.acquire();
  httplib::Client client("127.0.0.1", port);
  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_EQ(client.Get("/metrics")->status, 200);
  const auto ready = client.Get("/readyz");
  EXPECT_EQ(ready->status, 503);
  EXPECT_EQ(Json::parse(ready->body)["checks"]["model"], "loading");
  const auto early = client.Post("/api/ner", kNer.dump(), "application/json");
  EXPECT_EQ(early->status, 503);
  EXPECT_EQ(Json::parse(early->body)["code"], "NOT_READY");
  EXPECT_TRUE(early->has_header("Retry-After"));
  go_on.release();
  const auto service = starting.get();
  ASSERT_TRUE(service) << service.error().to_string();
  EXPECT_EQ(client.Get("/readyz")->status, 200);
  EXPECT_EQ(client.Post("/api/ner", kNer.dump(), "application/json")->status, 200);
}

TEST(Lifecycle, AModelThatCannotBeLoadedStopsTheStart) {
  server::ServiceParts parts;
  parts.settings.server.port = 0;
  parts.open_model = [] { return open_on_cpu("/nowhere"); };
  const auto service = server::Service::start(std::move(parts));
  ASSERT_FALSE(service);
  EXPECT_EQ(service.error().code, ErrorCode::kFileNotFound);
}

TEST(Lifecycle, WhileDrainingNewRequestsAreToldAndRunningOnesAnswered) {
  ServiceUnderTest service;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "周慧敏在武汉工作。";
  auto running = std::async(std::launch::async, [&] {
    return service.post("/api/ner", Json{{"text", text}, {"labels", {"人物"}}});
  });
  while (service.get("/metrics").body.find("rex_inflight_requests 1") == std::string::npos) {
    std::this_thread::sleep_for(5ms);
  }
  auto drained = std::async(std::launch::async, [&] { return service.service().drain(); });
  Answer late;
  for (int i = 0; i < 100 && late.status != 503; ++i) late = service.get("/readyz");
  EXPECT_EQ(late.status, 503);
  const Answer refused = service.post("/api/ner", kNer);
  EXPECT_EQ(refused.code(), "DRAINING") << refused.body;
  EXPECT_EQ(running.get().status, 200);
  EXPECT_TRUE(drained.get());
}

TEST(Lifecycle, RequestsStillRunningAfterTheDrainTimeAreCutOff) {
  ServiceUnderTest service([](config::Settings& s) { s.server.drain_timeout_s = 0.05; });
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "周慧敏在武汉工作。";
  auto running = std::async(std::launch::async, [&] {
    return service.post("/api/ner", Json{{"text", text}, {"labels", {"人物"}}});
  });
  while (service.get("/metrics").body.find("rex_inflight_requests 1") == std::string::npos) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_FALSE(service.service().drain());
  EXPECT_EQ(running.get().status, 0);
}

}  // namespace
}  // namespace rex::http_test

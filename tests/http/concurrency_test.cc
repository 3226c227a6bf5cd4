// Many clients at once: every answer is the one that a lone client gets.
//
// REX_TEST_CLIENTS and REX_TEST_REQUESTS (each client's) make it larger.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "http/service_under_test.h"

namespace rex::http_test {
namespace {

int amount(const char* name, int usual) {
  const char* given = std::getenv(name);
  return given == nullptr ? usual : std::atoi(given);
}

// 20 requests of several tasks and lengths.
std::vector<Json> mixed_requests() {
  std::vector<Json> all;
  for (const GoldenRequest& golden : golden_requests()) {
    if (golden.body.dump().size() < 4000 && all.size() < 20) all.push_back(golden.body);
  }
  return all;
}

// What must be equal: everything but ids, times and the model.
std::string essence(const Json& answer) {
  std::string text;
  for (const char* member : {"task", "output", "result", "usage", "warnings"})
    text += answer[member].dump();
  return text;
}

TEST(Concurrency, EveryAnswerIsTheOneOfALoneClient) {
  const int clients = amount("REX_TEST_CLIENTS", 16), requests = amount("REX_TEST_REQUESTS", 12);
  const ServiceUnderTest& service = shared_service();
  const std::vector<Json> bodies = mixed_requests();
  ASSERT_EQ(bodies.size(), 20U);
  std::vector<std::string> expected;
  for (const Json& body : bodies)
    expected.push_back(essence(service.post("/api/analyze", body).json));
  std::atomic<int> equal = 0, different = 0;
  std::mutex mutex;
  std::string first_difference;
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < clients; ++c) {
      threads.emplace_back([&, c] {
        httplib::Client client("127.0.0.1", service.port());
        client.set_keep_alive(true);
        client.set_read_timeout(300);
        for (int i = 0; i < requests; ++i) {
          const size_t which = static_cast<size_t>(c * 7 + i * 3) % bodies.size();
          const auto got = client.Post("/api/analyze", bodies[which].dump(), "application/json");
          if (got && got->status == 200 && essence(Json::parse(got->body)) == expected[which]) {
            ++equal;
          } else {
            ++different;
            const std::lock_guard lock(mutex);
            first_difference = got ? got->body : "no answer";
          }
        }
      });
    }
  }
  EXPECT_EQ(equal, clients * requests) << first_difference;
  EXPECT_EQ(different, 0);
}

TEST(Concurrency, EqualRequestsInFlightAreComputedOnce) {
  const ServiceUnderTest& service = shared_service();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "周慧敏在武汉工作。";
  const Json body = {{"text", text}, {"labels", {"人物", "地理位置"}}};
  const std::string expected = essence(service.post("/api/ner", body).json);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < 8; ++c) {
      threads.emplace_back([&, c] {
        Json mine = body;
        mine["id"] = std::to_string(c);
        const Json answer = service.post("/api/ner", mine).json;
        equal += essence(answer) == expected && answer["id"] == std::to_string(c) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(equal, 8);
  EXPECT_NE(service.get("/metrics").body.find("rex_shared_total{task=\"ner\"}"), std::string::npos);
}

}  // namespace
}  // namespace rex::http_test

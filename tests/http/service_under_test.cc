#include "http/service_under_test.h"

#include <gtest/gtest.h>

#include <fstream>

#include "api/open_model.h"
#include "observe/log.h"
#include "tasks/run.h"

namespace rex::http_test {

Result<std::unique_ptr<pipeline::Pipeline>> open_on_cpu(const std::filesystem::path& model_dir) {
  REX_TRY(opened, api::open_model(model_dir, {.device = "cpu", .threads = 1}));
  return std::move(opened.pipeline);
}

namespace {

Answer to_answer(const httplib::Result& result) {
  Answer answer;
  if (!result) return answer;
  answer.status = result->status;
  answer.body = result->body;
  answer.headers = result->headers;
  answer.json = Json::parse(result->body, nullptr, false);
  if (answer.json.is_discarded()) answer.json = nullptr;
  return answer;
}

httplib::Client client_for(uint16_t port) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(120);
  return client;
}

}  // namespace

std::string Answer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

ServiceUnderTest::ServiceUnderTest(
    const std::function<void(config::Settings&)>& change,
    std::function<Result<std::unique_ptr<pipeline::Pipeline>>()> open) {
  server::ServiceParts parts;
  parts.version = "test";
  parts.revision = "test";
  parts.settings.server.port = 0;
  parts.settings.logging.level = "error";
  parts.settings.server.max_concurrent_requests = 32;
  parts.open_model = open ? std::move(open) : [] { return open_on_cpu(REX_MINI_MODEL); };
  if (change) change(parts.settings);
  EXPECT_TRUE(observe::open_log({.level = parts.settings.logging.level}));
  auto service = server::Service::start(std::move(parts));
  EXPECT_TRUE(service) << service.error().to_string();
  service_ = *std::move(service);
}

Answer ServiceUnderTest::get(const std::string& path, const httplib::Headers& headers) const {
  return to_answer(client_for(port()).Get(path, headers));
}

Answer ServiceUnderTest::post(const std::string& path, const std::string& body,
                              const httplib::Headers& headers, const std::string& type) const {
  return to_answer(client_for(port()).Post(path, headers, body, type));
}

const ServiceUnderTest& shared_service() {
  static const ServiceUnderTest service;
  return service;
}

Json library_answer(const Json& body) {
  static const std::unique_ptr<pipeline::Pipeline> pipeline = *open_on_cpu(REX_MINI_MODEL);
  auto request = tasks::read_request(body);
  if (!request)
    return {{"code", row_of(request.error().code).name}, {"param", request.error().place}};
  const auto answer = std::move(tasks::run_requests(*pipeline, std::span(&*request, 1)).front());
  if (!answer) return {{"code", row_of(answer.error().code).name}, {"param", answer.error().place}};
  return tasks::to_json(*answer);
}

std::vector<GoldenRequest> golden_requests() {
  std::ifstream file(REX_GOLDEN_REQUESTS);
  std::vector<GoldenRequest> requests;
  std::string line;
  while (std::getline(file, line)) {
    const Json row = Json::parse(line);
    requests.push_back({row["name"], row["request"]});
  }
  EXPECT_GT(requests.size(), 20U);
  return requests;
}

}  // namespace rex::http_test

// The service in this process on models/mini, and a client that speaks HTTP to it.
#pragma once

#include <httplib.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "config/settings.h"
#include "core/json.h"
#include "server/service.h"

namespace rex::http_test {

// The model on one CPU thread, as ServiceParts wants it.
Result<std::unique_ptr<pipeline::Pipeline>> open_on_cpu(const std::filesystem::path& model_dir);

struct Answer {
  int status = 0;  // 0: no answer
  Json json;       // null when the body is no JSON
  std::string body;
  httplib::Headers headers;

  [[nodiscard]] std::string header(const std::string& name) const;
  [[nodiscard]] std::string code() const { return json.is_object() ? json.value("code", "") : ""; }
};

class ServiceUnderTest {
 public:
  // `change` sees the settings before the start: port 0, log level error. `open` replaces the
  // model.
  explicit ServiceUnderTest(const std::function<void(config::Settings&)>& change = {},
                            std::function<Result<std::unique_ptr<pipeline::Pipeline>>()> open = {});

  [[nodiscard]] uint16_t port() const { return service_->port(); }
  [[nodiscard]] server::Service& service() { return *service_; }

  [[nodiscard]] Answer get(const std::string& path, const httplib::Headers& headers = {}) const;
  [[nodiscard]] Answer post(const std::string& path, const std::string& body,
                            const httplib::Headers& headers = {},
                            const std::string& type = "application/json") const;
  [[nodiscard]] Answer post(const std::string& path, const Json& body,
                            const httplib::Headers& headers = {}) const {
    return post(path, body.dump(), headers);
  }

 private:
  std::unique_ptr<server::Service> service_;
};

// One service with default settings for all tests of the program that change nothing.
const ServiceUnderTest& shared_service();

// The library's own answer to a request, without HTTP: {"task", "output", "result", "usage",
// "warnings"}, or {"code", "param"} of its error.
Json library_answer(const Json& body);

// The requests of tests/golden/requests.jsonl.
struct GoldenRequest {
  std::string name;
  Json body;
};
std::vector<GoldenRequest> golden_requests();

}  // namespace rex::http_test

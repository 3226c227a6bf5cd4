// The service: model, queue, routes and HTTP server put together, from the start to the drain.
#pragma once

#include <functional>
#include <memory>

#include "config/settings.h"
#include "core/result.h"
#include "pipeline/analyze.h"

namespace rex::server {

struct ServiceParts {
  config::Settings settings;
  std::string version, revision;
  std::string model_dir;
  // Loads the model; called once, while /healthz already answers and /readyz does not.
  std::function<Result<std::unique_ptr<pipeline::Pipeline>>()> open_model;
};

// One at a time. Thread-safe after start().
class Service {
 public:
  // Listens, loads the model and warms it up; returns when the service is ready.
  // Errors: ADDRESS_IN_USE, TLS_INVALID, SETTING_INVALID, those of the model.
  static Result<std::unique_ptr<Service>> start(ServiceParts parts);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] uint16_t port() const;
  // New requests get 503 DRAINING; those accepted are answered, at most for
  // server.drain_timeout_s. True when every one was.
  bool drain();

 private:
  struct Impl;
  explicit Service(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rex::server

#include "server/service.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "http/server.h"
#include "observe/log.h"
#include "server/auth.h"
#include "server/error_body.h"
#include "server/memory_budget.h"
#include "server/model_call.h"
#include "server/request_id.h"
#include "server/route.h"
#include "server/state.h"
#include "server/static_files.h"
#include "server/warm_up.h"

namespace rex::server {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000.0));
}

// Forms of other services can be switched off.
bool is_enabled(const Route& route, const config::Settings& settings) {
  if (route.pattern.starts_with("/v2")) return settings.compat_v2;
  if (route.pattern == "/nlu") return settings.compat_nlu;
  if (route.pattern.ends_with("/predict")) return settings.compat_predict;
  return true;
}

// Requests that run at the same time. More than fill a batch only share the same machine, and each
// then takes longer.
int32_t most_running(const config::ServerSettings& settings, std::string_view device) {
  if (settings.max_concurrent_requests > 0) return settings.max_concurrent_requests;
  return device == "cpu" ? 64 : 256;
}

// Thousands of idle connections need as many file descriptors.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

struct Service::Impl {
  State state;
  Keys keys;
  std::unique_ptr<RateLimits> rates;
  StaticFiles page;
  std::unique_ptr<http::Server> http;

  // Finishes an exchange: headers, log line, metrics, answer.
  void finish(Call& call, Outcome outcome);
  // What stands between a client and a route. An error ends the request.
  Result<void> admit(Call& call);
  void handle(http::Request request, std::shared_ptr<http::Exchange> exchange);
  void run(Call& call);
  Result<void> listen();
  void add_cors(const Call& call, http::Headers& headers) const;
};

Result<void> Service::Impl::admit(Call& call) {
  const Route& route = *call.route;
  const config::Settings& settings = state.settings;
  const ApiKey* key = nullptr;
  if (!keys.empty() && route.role != Role::kOpen) {
    auto found = keys.find(call.request);
    if (!found) {
      state.metrics.count_auth_failure();
      return fail(std::move(found).error());
    }
    key = *found;
    call.key_id = key->id;
    REX_TRY_VOID(check_role(*key, route.role == Role::kMetrics ? "metrics" : "infer"));
  }
  if (route.role == Role::kInfer) {
    const auto left = rates->take(key != nullptr ? "key " + key->id : call.request.remote);
    if (left.limit > 0) {
      call.headers.emplace_back("X-RateLimit-Limit", std::to_string(left.limit));
      call.headers.emplace_back("X-RateLimit-Remaining", std::to_string(left.remaining));
    }
    if (!left.allowed) {
      call.headers.emplace_back("Retry-After", std::to_string(left.wait_s));
      return fail(ErrorCode::kRateLimit,
                  "more than " + std::to_string(left.limit) + " requests a minute");
    }
    if (state.draining) return fail(ErrorCode::kDraining, "the service is ending");
    if (!state.ready) return fail(ErrorCode::kNotReady, "the model is being loaded");
  }
  if (const auto mode = call.request.parameter("mode")) {
    if (*mode == "debug") {
      if (!settings.debug_enabled)
        return fail(ErrorCode::kDebugDisabled, "debug mode is off", "mode");
      if (key != nullptr) REX_TRY_VOID(check_role(*key, "debug"));
      call.debug = true;
    } else if (!mode->empty()) {
      return fail(ErrorCode::kQueryInvalid, "expected debug", "mode");
    }
  }
  if (route.method == "POST") {
    const auto type = call.request.header("Content-Type");
    const std::string_view name = type ? type->substr(0, type->find(';')) : "";
    // curl -d says x-www-form-urlencoded when nobody says otherwise; the body decides then.
    const bool known = !type || http::same_word(name, "application/json") ||
                       http::same_word(name, "application/x-ndjson") ||
                       http::same_word(name, "text/plain") ||
                       http::same_word(name, "application/octet-stream") ||
                       http::same_word(name, "application/x-www-form-urlencoded");
    if (!known)
      return fail(ErrorCode::kContentType, "cannot read " + std::string(name), "Content-Type");
  }
  if (!call.request.accepts("application/json") && !call.request.accepts("application/x-ndjson") &&
      !route.answer.empty()) {
    return fail(ErrorCode::kNotAcceptable, "answers are application/json", "Accept");
  }
  return {};
}

void Service::Impl::add_cors(const Call& call, http::Headers& headers) const {
  const auto origin = call.request.header("Origin");
  if (!origin) return;
  const auto& allowed = state.settings.server.cors_origins;
  if (std::find(allowed.begin(), allowed.end(), *origin) == allowed.end()) return;
  headers.emplace_back("Access-Control-Allow-Origin", std::string(*origin));
  headers.emplace_back("Access-Control-Expose-Headers", "*");
  headers.emplace_back("Vary", "Origin");
}

void Service::Impl::finish(Call& call, Outcome outcome) {
  observe::RequestSeen seen;
  std::string code;
  std::optional<http::Response> response;
  if (outcome) {
    response = *std::move(outcome);
  } else {
    code = row_of(outcome.error().code).name;
    response = error_response(outcome.error(), call.request_id);
    if (outcome.error().code == ErrorCode::kMethodNotAllowed) {
      response->headers.emplace_back("Allow", outcome.error().place);
    }
  }
  const int64_t us = pipeline::microseconds(pipeline::Clock::now() - call.begin);
  seen.route = call.route != nullptr ? call.route->pattern : "unknown";
  seen.task = call.facts.task;
  seen.status = response ? response->status : 200;
  seen.code = code;
  seen.seconds = static_cast<double>(us) * 1e-6;
  seen.report = call.facts.report;
  seen.texts = call.facts.texts;
  seen.chars = call.facts.usage.chars;
  seen.tokens = call.facts.usage.tokens;
  seen.windows = call.facts.usage.windows;
  seen.levels = call.facts.usage.levels;
  seen.labels = call.facts.usage.labels;
  seen.warnings = call.facts.warnings;
  seen.shared = call.facts.shared;
  state.metrics.count(seen);
  const bool slow = us > int64_t{1000} * state.settings.logging.slow_ms;
  const observe::Level level = seen.status >= 500 && seen.status != 503 ? observe::Level::kError
                               : slow || seen.status == 503             ? observe::Level::kWarn
                                                                        : observe::Level::kInfo;
  if (observe::is_logged(level)) {
    Json fields = {{"request_id", call.request_id},
                   {"method", call.request.method},
                   {"route", seen.route},
                   {"status", seen.status},
                   {"ms", static_cast<double>(us) / 1000.0},
                   {"remote", call.request.remote}};
    if (!seen.task.empty()) {
      fields["task"] = seen.task;
      fields["tokens"] = seen.tokens;
      fields["windows"] = seen.windows;
      fields["batch"] = seen.report.largest_batch;
      fields["queue_ms"] = static_cast<double>(seen.report.queue_us) / 1000.0;
      fields["infer_ms"] = static_cast<double>(seen.report.infer_us) / 1000.0;
    }
    if (!code.empty()) fields["code"] = code;
    if (!call.key_id.empty()) fields["key"] = call.key_id;
    observe::log(level, slow ? "slow request" : "request", fields);
  }
  if (observe::is_logged(observe::Level::kDebug)) {
    observe::log(observe::Level::kDebug, "body",
                 {{"request_id", call.request_id}, {"body", call.request.body}});
  }
  if (!response) return;
  response->headers.emplace_back("X-Request-Id", call.request_id);
  for (auto& header : call.headers) {
    std::erase_if(response->headers, [&](const auto& h) { return h.first == header.first; });
    response->headers.push_back(std::move(header));
  }
  if (call.facts.used) add_model_headers(call, response->headers);
  add_cors(call, response->headers);
  call.exchange->respond(*std::move(response));
}

void Service::Impl::run(Call& call) {
  Outcome outcome = fail(ErrorCode::kInternal, "no answer");
  try {
    outcome = call.route->handle(call);
  } catch (const std::bad_alloc&) {
    outcome = fail(ErrorCode::kMemoryExhausted, "not enough memory for this request");
  } catch (const std::exception& bug) {
    observe::log(observe::Level::kError, "bug",
                 {{"request_id", call.request_id}, {"what", bug.what()}});
    outcome = fail(ErrorCode::kInternal, bug.what());
  }
  finish(call, std::move(outcome));
}

void Service::Impl::handle(http::Request request, std::shared_ptr<http::Exchange> exchange) {
  auto call = std::make_shared<Call>(Call{.state = state,
                                          .request = std::move(request),
                                          .exchange = std::move(exchange),
                                          .request_id = {}});
  call->request_id = request_id(call->request.header("X-Request-Id"));
  auto match = find_route(call->request.method, call->request.path);
  if (match && !is_enabled(*match->route, state.settings)) {
    match = fail(ErrorCode::kRouteUnknown, "this route is switched off", call->request.path);
  }
  if (!match) {
    const std::string& method = call->request.method;
    if ((method == "GET" || method == "HEAD") && page.has(call->request.path)) {
      return finish(*call, page.answer(call->request));
    }
    if (method == "OPTIONS" && !state.settings.server.cors_origins.empty()) {
      http::Response preflight;
      preflight.status = 204;
      preflight.content_type.clear();
      preflight.headers = {{"Access-Control-Allow-Methods", "GET, POST, OPTIONS"},
                           {"Access-Control-Allow-Headers",
                            "Authorization, Content-Type, X-API-Key, X-Request-Id, X-Timeout-Ms"},
                           {"Access-Control-Max-Age", "600"}};
      return finish(*call, std::move(preflight));
    }
    return finish(*call, fail(std::move(match).error()));
  }
  call->route = match->route;
  call->path_parts = std::move(match->parts);
  if (auto admitted = admit(*call); !admitted)
    return finish(*call, fail(std::move(admitted).error()));
  if (call->route->where == Where::kLoop) return run(*call);
  const size_t bytes = call->request.body.size();
  auto queued = state.workers->submit(
      {.run = [this, call] { run(*call); },
       .refuse = [this, call](Error error) { finish(*call, fail(std::move(error))); },
       .bytes = bytes});
  if (!queued) finish(*call, fail(std::move(queued).error()));
}

Result<void> Service::Impl::listen() {
  const config::ServerSettings& s = state.settings.server;
  http::ServerOptions options;
  options.host = s.host;
  options.port = static_cast<uint16_t>(s.port);
  options.threads = s.threads;
  options.max_body_bytes = static_cast<size_t>(s.max_body_bytes);
  options.max_connections = static_cast<size_t>(s.max_connections);
  options.header_timeout = milliseconds(s.header_timeout_s);
  options.body_timeout = milliseconds(s.body_timeout_s);
  options.write_timeout = milliseconds(s.write_timeout_s);
  options.idle_timeout = milliseconds(s.idle_timeout_s);
  options.cert_file = s.cert_file;
  options.key_file = s.key_file;
  options.error_response = [this](const Error& error) {
    const std::string id = request_id(std::nullopt);
    http::Response response = error_response(error, id);
    response.headers.emplace_back("X-Request-Id", id);
    observe::RequestSeen seen;
    seen.route = "unknown";
    seen.status = response.status;
    seen.code = row_of(error.code).name;
    state.metrics.count(seen);
    return response;
  };
  REX_TRY(server,
          http::Server::start(std::move(options), [this](http::Request request,
                                                         std::shared_ptr<http::Exchange> exchange) {
            handle(std::move(request), std::move(exchange));
          }));
  http = std::move(server);
  state.count_connections = [this] { return http->connections(); };
  return {};
}

Service::Service(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Service::~Service() {
  impl_->state.draining = true;
  // Jobs hold connections, so they end (their clients are gone) before the server does.
  impl_->http->finish(std::chrono::milliseconds(0));
  impl_->state.workers.reset();
}

namespace {

// The last part of a path that may end with a slash.
std::string folder_name(const std::filesystem::path& folder) {
  const auto whole = folder.lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

Result<std::unique_ptr<Service>> Service::start(ServiceParts parts) {
  auto impl = std::make_unique<Impl>();
  State& state = impl->state;
  state.settings = std::move(parts.settings);
  state.model_dir = std::move(parts.model_dir);
  if (state.settings.model.name.empty()) state.settings.model.name = folder_name(state.model_dir);
  state.version = std::move(parts.version);
  state.revision = std::move(parts.revision);
  const config::Settings& s = state.settings;
  REX_TRY(keys, Keys::load(s.auth.keys_file));
  REX_TRY(presets, Presets::load(s.presets_dir));
  impl->keys = std::move(keys);
  state.presets = std::move(presets);
  impl->rates = std::make_unique<RateLimits>(s.auth.requests_per_minute, s.auth.burst);
  if (s.ui.enabled) impl->page = StaticFiles::load(s.ui.dir);
  raise_file_limit();
  state.workers = std::make_unique<runtime::WorkerPool>(
      runtime::WorkerLimits{.workers = most_running(s.server, "cpu"),
                            .capacity = s.server.queue_capacity,
                            .queue_timeout = milliseconds(s.inference.queue_timeout_s)});
  REX_TRY_VOID(impl->listen());
  REX_TRY(pipeline, parts.open_model());
  state.pipeline = std::move(pipeline);
  state.pipeline->set_observer(
      [&metrics = state.metrics](const pipeline::BatchReport& batch) { metrics.count(batch); });
  state.workers->grow(most_running(s.server, state.pipeline->engine().info().device));
  state.admission = std::make_unique<runtime::Admission>(memory_budget(s.gpu));
  if (s.inference.warmup) REX_TRY_VOID(warm_up(*state.pipeline));
  state.ready = true;
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

uint16_t Service::port() const {
  return impl_->http->port();
}

bool Service::drain() {
  impl_->state.draining = true;
  const bool all = impl_->http->finish(milliseconds(impl_->state.settings.server.drain_timeout_s));
  observe::flush_log();
  return all;
}

}  // namespace rex::server

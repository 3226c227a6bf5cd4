// Is it alive, is it ready, how much does it do.
#include "observe/metrics.h"
#include "server/route.h"
#include "server/state.h"

namespace rex::server {
namespace {

std::string_view in_words(bool good, std::string_view bad) {
  return good ? std::string_view("ok") : bad;
}

}  // namespace

Outcome answer_healthz(Call& call) {
  return json_response(call, {{"status", "ok"}});
}

Outcome answer_readyz(Call& call) {
  const State& state = call.state;
  const bool model = state.ready, draining = state.draining;
  const auto most = static_cast<size_t>(state.settings.server.queue_capacity);
  const bool queue = state.workers->waiting() < most;
  const bool ready = model && !draining && queue;
  http::Response response = json_response(call,
                                          {{"ready", ready},
                                           {"status", ready ? "ok" : "unavailable"},
                                           {"checks",
                                            {{"model", in_words(model, "loading")},
                                             {"queue", in_words(queue, "full")},
                                             {"draining", in_words(!draining, "yes")}}}},
                                          ready ? 200 : 503);
  if (!ready) response.headers.emplace_back("Retry-After", "2");
  return response;
}

Outcome answer_metrics(Call& call) {
  State& state = call.state;
  observe::Now now;
  now.version = state.version;
  now.revision = state.revision;
  now.ready = state.ready;
  now.resident_bytes = observe::resident_bytes();
  now.uptime_s =
      std::chrono::duration<double>(std::chrono::system_clock::now() - state.started).count();
  now.queue_depth = state.workers->waiting();
  now.running = state.workers->running();
  if (state.ready) {
    now.connections = state.count_connections();
    const engine::Engine& engine = state.pipeline->engine();
    now.waiting_passes = state.pipeline->waiting_passes();
    now.plan_weights = engine.plan().weight_bytes;
    now.plan_arena = engine.plan().arena_bytes;
    now.plan_workspace = engine.plan().workspace_bytes;
    now.request_memory = state.admission->used();
    now.request_memory_peak = state.admission->peak();
    now.request_memory_budget = state.admission->budget();
    now.device = engine.info().device;
    now.precision = engine.info().precision;
    now.model = state.settings.model.name;
  }
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = state.metrics.text(now);
  return response;
}

}  // namespace rex::server

#include "server/model_call.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/estimate.h"
#include "server/task_defaults.h"
#include "tasks/run.h"

namespace rex::server {
namespace {

using Clock = pipeline::Clock;

int64_t price(const State& state, const tasks::TaskRequest& request) {
  const runtime::RequestSize size = runtime::size_of(request);
  const config::GpuSettings& gpu = state.settings.gpu;
  if (gpu.estimate == "legacy") {
    return runtime::legacy_bytes(size, gpu.reserve_base_mb, gpu.reserve_per_label_mb);
  }
  return runtime::planned_bytes(size);
}

Clock::time_point soonest(Clock::time_point deadline, double seconds) {
  const auto wait =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return std::min(deadline, Clock::now() + wait);
}

std::vector<Result<Computed>> run_now(Call& call, std::span<const Prepared> prepared,
                                      const std::stop_token& stop) {
  std::vector<Result<Computed>> results;
  const auto fail_all = [&](const Error& error) {
    results.assign(prepared.size(), fail(error));
    return results;
  };
  if (Clock::now() >= call.deadline) {
    return fail_all({ErrorCode::kRequestTimeout, "the time for this request is over", ""});
  }
  int64_t bytes = 0;
  std::vector<tasks::TaskRequest> requests;
  for (const Prepared& one : prepared) {
    bytes += price(call.state, one.request);
    requests.push_back(one.request);
  }
  auto ticket = call.state.admission->acquire(
      bytes, soonest(call.deadline, call.state.settings.inference.queue_timeout_s), stop);
  if (!ticket) return fail_all(ticket.error());
  pipeline::CallReport report;
  pipeline::CallOptions options{.stop = stop, .deadline = call.deadline, .report = &report};
  options.more_memory = [&ticket](int64_t more) { return ticket->grow(more); };
  options.priority = prepared.empty() ? 1 : prepared.front().options.priority;
  if (call.debug) {
    options.alone = true;
    options.priority = 0;
    options.trace = &call.trace;
  }
  const tasks::Analyze analyze = [&](std::span<const pipeline::Query> queries, std::stop_token) {
    return call.state.pipeline->analyze(queries, options);
  };
  for (auto& answer : tasks::run_requests(analyze, requests, stop)) {
    results.push_back(std::move(answer).map(
        [&](tasks::TaskAnswer&& good) { return Computed{std::move(good), report}; }));
  }
  return results;
}

double milliseconds(int64_t us) {
  return std::round(static_cast<double>(us) / 10.0) / 100.0;
}

}  // namespace

Result<Prepared> prepare(Call& call, Json body, const tasks::TaskRow* row) {
  Prepared prepared;
  REX_TRY_VOID(apply_preset(call.state, body));
  REX_TRY(defaults, defaults_for(call.state.settings, body, row));
  std::vector<Warning> warnings;
  REX_TRY_VOID(take_service_options(call, body, prepared.options, warnings));
  REX_TRY(request, tasks::read_request(body, defaults));
  request.warnings.insert(request.warnings.end(), warnings.begin(), warnings.end());
  body.erase("id");
  prepared.key =
      std::string(request.task->name) + body.dump(-1, ' ', false, Json::error_handler_t::replace);
  prepared.request = std::move(request);
  return prepared;
}

std::vector<Result<Computed>> compute(Call& call, std::span<const Prepared> prepared) {
  auto results = run_now(call, prepared, call.exchange->gone());
  for (const auto& result : results) {
    if (result) note(call, *result);
  }
  return results;
}

Result<Computed> compute(Call& call, const Prepared& prepared) {
  const std::stop_token gone = call.exchange->gone();
  Result<Computed> result = fail(ErrorCode::kInternal, "not computed");
  if (call.debug || !call.state.settings.single_flight) {
    result = std::move(run_now(call, std::span(&prepared, 1), gone).front());
  } else {
    auto outcome =
        call.state.flights.run(prepared.key, gone, call.deadline, [&](const std::stop_token& stop) {
          return std::move(run_now(call, std::span(&prepared, 1), stop).front());
        });
    call.facts.shared = call.facts.shared || outcome.shared;
    result = std::move(outcome.value);
  }
  if (result) note(call, *result);
  return result;
}

void note(Call& call, const Computed& computed) {
  ModelFacts& facts = call.facts;
  const std::string_view task = computed.answer.task->name;
  facts.task = !facts.used || facts.task == task ? std::string(task) : "mixed";
  facts.used = true;
  ++facts.texts;
  facts.warnings += computed.answer.warnings.size();
  const pipeline::CallReport& r = computed.report;
  // Requests that travelled together have one report.
  facts.report.tokenize_us = std::max(facts.report.tokenize_us, r.tokenize_us);
  facts.report.queue_us = std::max(facts.report.queue_us, r.queue_us);
  facts.report.infer_us = std::max(facts.report.infer_us, r.infer_us);
  facts.report.decode_us = std::max(facts.report.decode_us, r.decode_us);
  facts.report.batches = std::max(facts.report.batches, r.batches);
  facts.report.largest_batch = std::max(facts.report.largest_batch, r.largest_batch);
  const pipeline::Usage& u = computed.answer.usage;
  facts.usage.chars += u.chars;
  facts.usage.tokens += u.tokens;
  facts.usage.labels = std::max(facts.usage.labels, u.labels);
  facts.usage.windows = std::max(facts.usage.windows, u.windows);
  facts.usage.levels = std::max(facts.usage.levels, u.levels);
  facts.usage.passes += u.passes;
}

Json answer_json(const Call& call, const Prepared& prepared, const Computed& computed) {
  const State& state = call.state;
  const engine::EngineInfo& engine = state.pipeline->engine().info();
  Json json = {{"request_id", call.request_id}};
  if (!prepared.request.id.is_null()) json["id"] = prepared.request.id;
  Json answer = tasks::to_json(computed.answer);
  json["task"] = answer["task"];
  json["model"] = {{"name", state.settings.model.name},
                   {"version", state.settings.model.version},
                   {"device", engine.device},
                   {"precision", engine.precision}};
  for (const char* member : {"output", "result", "usage"}) json[member] = std::move(answer[member]);
  if (prepared.options.timing || call.debug) {
    const pipeline::CallReport& r = computed.report;
    const int64_t total = pipeline::microseconds(Clock::now() - call.begin);
    json["timing_ms"] = {{"queue", milliseconds(r.queue_us)},
                         {"tokenize", milliseconds(r.tokenize_us)},
                         {"infer", milliseconds(r.infer_us)},
                         {"decode", milliseconds(r.decode_us)},
                         {"total", milliseconds(total)}};
    json["memory"] = {{"plan_mb", state.planned_bytes() >> 20},
                      {"requests_mb", state.admission->used() >> 20},
                      {"requests_budget_mb", state.admission->budget() >> 20}};
  }
  json["warnings"] = std::move(answer["warnings"]);
  return json;
}

void add_model_headers(const Call& call, http::Headers& headers) {
  const State& state = call.state;
  const ModelFacts& facts = call.facts;
  const engine::EngineInfo& engine = state.pipeline->engine().info();
  const auto add = [&](const char* name, std::string value) {
    headers.emplace_back(name, std::move(value));
  };
  const auto ms = [](int64_t us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(us) / 1000.0);
    return std::string(text.data());
  };
  const int64_t total = pipeline::microseconds(Clock::now() - call.begin);
  add("X-GPU-Optimized", state.gpu_optimized() ? "true" : "false");
  add("X-Memory-Peak-MB", std::to_string((state.planned_bytes() + (1 << 20) - 1) >> 20));
  if (state.gpu_optimized()) {
    std::string switches;
    const config::GpuSettings& gpu = state.settings.gpu;
    for (const auto& [on, name] :
         {std::pair{gpu.memory_pool, "memory_pool"},
          std::pair{gpu.dynamic_checkpoint, "dynamic_checkpoint"},
          std::pair{gpu.sparse_attention != "false", "sparse_attention"}}) {
      if (on) switches.append(switches.empty() ? "" : ",").append(name);
    }
    add("X-Optimizations", switches);
  }
  add("X-Precision", engine.precision);
  add("X-Device", engine.device);
  add("X-Model-Version", state.settings.model.version);
  add("X-Batch-Size", std::to_string(facts.report.largest_batch));
  add("X-Windows", std::to_string(facts.usage.windows));
  add("X-Tokens", std::to_string(facts.usage.tokens));
  add("X-Queue-Time-Ms", ms(facts.report.queue_us));
  add("X-Tokenization-Time-Ms", ms(facts.report.tokenize_us));
  add("X-Inference-Time-Ms", ms(facts.report.infer_us));
  add("X-Total-Time-Ms", ms(total));
  add("Server-Timing",
      "queue;dur=" + ms(facts.report.queue_us) + ", tokenize;dur=" + ms(facts.report.tokenize_us) +
          ", infer;dur=" + ms(facts.report.infer_us) +
          ", decode;dur=" + ms(facts.report.decode_us) + ", total;dur=" + ms(total));
  if (facts.warnings > 0) add("X-Warnings", std::to_string(facts.warnings));
}

}  // namespace rex::server

#include "observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <fstream>

namespace rex::observe {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;
using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets kSeconds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                          0.2,    0.5,   1,     2,     5,    10,   30,   60};
const Buckets kPowers = {1,   2,   4,    8,    16,   32,   64,    128,
                         256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;

  Counters& counter(const char* name, const char* help) {
    return BuildCounter().Name(name).Help(help).Register(registry);
  }
  Gauges& gauge(const char* name, const char* help) {
    return BuildGauge().Name(name).Help(help).Register(registry);
  }
  Histograms& histogram(const char* name, const char* help) {
    return BuildHistogram().Name(name).Help(help).Register(registry);
  }

  Counters& requests = counter("rex_requests_total", "requests by route, task and status");
  Histograms& duration = histogram("rex_request_duration_seconds", "whole requests");
  Histograms& queue = histogram("rex_queue_duration_seconds", "waiting for a place in a batch");
  Histograms& tokenize = histogram("rex_tokenize_duration_seconds", "tokenising, building prompts");
  Histograms& infer = histogram("rex_infer_duration_seconds", "time in batches of the engine");
  Histograms& decode = histogram("rex_decode_duration_seconds", "links into spans and chains");
  Counters& texts = counter("rex_texts_total", "texts read");
  Counters& chars = counter("rex_chars_total", "characters read");
  Counters& tokens = counter("rex_tokens_total", "tokens of all passes");
  Histograms& windows = histogram("rex_windows_per_text", "windows of a text");
  Histograms& levels = histogram("rex_levels_per_request", "levels of the schema that ran");
  Histograms& labels = histogram("rex_labels_per_request", "labels of the schema");
  Counters& warnings = counter("rex_warnings_total", "warnings in answers");
  Counters& rejected = counter("rex_rejected_total", "errors by code");
  Counters& shared = counter("rex_shared_total", "answers computed for an equal request in flight");
  Counters& auth = counter("rex_auth_failures_total", "requests with a missing or wrong key");
  prometheus::Histogram& batch_size =
      histogram("rex_batch_size", "passes of a batch").Add({}, kPowers);
  prometheus::Histogram& batch_tokens =
      histogram("rex_batch_tokens", "tokens of a batch").Add({}, kPowers);
  prometheus::Histogram& batch_seconds =
      histogram("rex_batch_duration_seconds", "the engine's time for a batch").Add({}, kSeconds);
  prometheus::Counter& batch_failures =
      counter("rex_batch_failures_total", "batches that the engine could not compute").Add({});
  prometheus::Gauge& allocations =
      gauge("rex_device_allocations", "of device memory since the start; steady when in order")
          .Add({});
  prometheus::Gauge& non_finite =
      gauge("rex_non_finite_logits", "logits that were no numbers; 0 when in order").Add({});
  prometheus::Gauge& queue_depth = gauge("rex_queue_depth", "requests that wait").Add({});
  prometheus::Gauge& inflight = gauge("rex_inflight_requests", "requests that run").Add({});
  prometheus::Gauge& waiting_passes =
      gauge("rex_waiting_passes", "passes that wait for a batch").Add({});
  prometheus::Gauge& connections = gauge("rex_connections", "open connections").Add({});
  Gauges& memory = gauge("rex_memory_bytes", "memory by pool");
  prometheus::Gauge& ready = gauge("rex_ready", "1 when requests can be answered").Add({});
  prometheus::Gauge& uptime = gauge("rex_uptime_seconds", "since the start").Add({});
  Gauges& build = gauge("rex_build_info", "version of the program");
  Gauges& model = gauge("rex_model_info", "what computes");
  prometheus::Gauge& resident =
      gauge("process_resident_memory_bytes", "resident memory of the process").Add({});
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::count(const RequestSeen& seen) {
  Impl& m = *impl_;
  const std::string task(seen.task);
  m.requests
      .Add({{"route", std::string(seen.route)},
            {"task", task},
            {"status", std::to_string(seen.status)}})
      .Increment();
  if (!seen.code.empty()) m.rejected.Add({{"reason", std::string(seen.code)}}).Increment();
  if (task.empty()) return;
  const prometheus::Labels by_task = {{"task", task}};
  const auto seconds = [](int64_t us) { return static_cast<double>(us) * 1e-6; };
  m.duration.Add(by_task, kSeconds).Observe(seen.seconds);
  m.queue.Add(by_task, kSeconds).Observe(seconds(seen.report.queue_us));
  m.tokenize.Add(by_task, kSeconds).Observe(seconds(seen.report.tokenize_us));
  m.infer.Add(by_task, kSeconds).Observe(seconds(seen.report.infer_us));
  m.decode.Add(by_task, kSeconds).Observe(seconds(seen.report.decode_us));
  m.texts.Add(by_task).Increment(static_cast<double>(seen.texts));
  m.chars.Add(by_task).Increment(static_cast<double>(seen.chars));
  m.tokens.Add(by_task).Increment(static_cast<double>(seen.tokens));
  m.windows.Add(by_task, kPowers).Observe(static_cast<double>(seen.windows));
  m.levels.Add(by_task, kPowers).Observe(static_cast<double>(seen.levels));
  m.labels.Add(by_task, kPowers).Observe(static_cast<double>(seen.labels));
  m.warnings.Add(by_task).Increment(static_cast<double>(seen.warnings));
  if (seen.shared) m.shared.Add(by_task).Increment();
}

void Metrics::count(const pipeline::BatchReport& batch) {
  impl_->batch_size.Observe(batch.passes);
  impl_->batch_tokens.Observe(batch.tokens);
  impl_->batch_seconds.Observe(static_cast<double>(batch.run_us) * 1e-6);
  impl_->allocations.Set(static_cast<double>(batch.engine.device_allocations));
  impl_->non_finite.Set(static_cast<double>(batch.engine.non_finite));
  if (batch.failed) impl_->batch_failures.Increment();
}

void Metrics::count_auth_failure() {
  impl_->auth.Add({}).Increment();
}

std::string Metrics::text(const Now& now) {
  Impl& m = *impl_;
  m.queue_depth.Set(static_cast<double>(now.queue_depth));
  m.inflight.Set(static_cast<double>(now.running));
  m.waiting_passes.Set(static_cast<double>(now.waiting_passes));
  m.connections.Set(static_cast<double>(now.connections));
  const auto memory = [&](const char* kind, int64_t bytes) {
    m.memory.Add({{"kind", kind}}).Set(static_cast<double>(bytes));
  };
  memory("weights", now.plan_weights);
  memory("arena", now.plan_arena);
  memory("workspace", now.plan_workspace);
  memory("plan", now.plan_weights + now.plan_arena + now.plan_workspace);
  memory("requests", now.request_memory);
  memory("requests_peak", now.request_memory_peak);
  memory("requests_budget", now.request_memory_budget);
  m.ready.Set(now.ready ? 1 : 0);
  m.uptime.Set(now.uptime_s);
  m.resident.Set(static_cast<double>(now.resident_bytes));
  m.build.Add({{"version", now.version}, {"revision", now.revision}}).Set(1);
  if (!now.device.empty()) {
    m.model.Add({{"name", now.model}, {"device", now.device}, {"precision", now.precision}}).Set(1);
  }
  return prometheus::TextSerializer().Serialize(m.registry.Collect());
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  if (!(file >> total >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace rex::observe

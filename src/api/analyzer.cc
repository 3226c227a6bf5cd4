#include "rexuninlu/analyzer.h"

#include <new>
#include <optional>

#include "api/open_model.h"
#include "tasks/run.h"

namespace rexuninlu {

struct Analyzer::Impl {
  std::unique_ptr<rex::pipeline::Pipeline> pipeline;
  rex::tasks::RequestLimits limits;
};

namespace {

Error to_public(const rex::Error& error) {
  const rex::ErrorCodeRow& row = rex::row_of(error.code);
  return {std::string(row.name), error.message, error.place, std::string(row.advice),
          std::string(row.advice_zh)};
}

Error internal_error(const char* what) {
  return to_public({rex::ErrorCode::kInternal, what, ""});
}

rex::Result<rex::Json> parse_object(const std::string& text, const char* field) {
  if (text.empty()) return rex::Json::object();
  auto json = rex::parse_json(text);
  if (!json) return rex::fail(std::move(json).error().in(std::string(field) + " "));
  if (!json->is_object()) {
    return rex::fail(rex::ErrorCode::kJsonInvalid,
                     "expected an object, found " + std::string(rex::json_kind(*json)), field);
  }
  return json;
}

// Any accepted form: JSON stays JSON, everything else is one bare label.
rex::Result<rex::Json> parse_schema_field(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string::npos &&
                       (text[start] == '{' || text[start] == '[' || text[start] == '"');
  auto json = rex::parse_json(text);
  if (json) return json;
  if (is_json) return rex::fail(std::move(json).error().in("schema "));
  return rex::Json(text);
}

rex::Result<rex::tasks::TaskRequest> to_request(const Request& given,
                                                const rex::tasks::RequestLimits& limits) {
  REX_TRY(body, parse_object(given.fields_json, "fields_json"));
  REX_TRY(options, parse_object(given.options_json, "options_json"));
  body["task"] = given.task;
  if (!given.text.empty()) body["text"] = given.text;
  if (!given.labels.empty()) body["labels"] = given.labels;
  if (!options.empty()) body["options"] = std::move(options);
  if (!given.schema.empty()) {
    REX_TRY(schema, parse_schema_field(given.schema));
    body["schema"] = std::move(schema);
  }
  rex::tasks::TaskRequest defaults;
  defaults.limits = limits;
  return rex::tasks::read_request(body, defaults);
}

Answer to_public(const rex::tasks::TaskAnswer& given) {
  Answer answer;
  answer.task = given.task->name;
  for (const rex::pipeline::Chain& chain : given.chains) {
    Chain& spans = answer.chains.emplace_back();
    for (const rex::pipeline::Step& s : chain)
      spans.push_back({s.label, s.span, s.start, s.end, s.confidence});
  }
  for (const rex::Warning& w : given.warnings)
    answer.warnings.push_back({w.code, w.message, w.place});
  const rex::pipeline::Usage& u = given.usage;
  answer.usage = {u.chars, u.tokens, u.labels, u.prompts, u.windows, u.passes, u.levels};
  answer.result_json = given.result.dump();
  answer.json = rex::tasks::to_json(given).dump();
  return answer;
}

// The outcomes of requests, those that could not be read included.
std::vector<Outcome> run_all(rex::pipeline::Pipeline& pipeline,
                             const rex::tasks::RequestLimits& limits,
                             std::span<const Request> requests, std::stop_token stop) {
  std::vector<rex::tasks::TaskRequest> readable;
  std::vector<std::optional<Error>> errors;
  for (const Request& request : requests) {
    auto read = to_request(request, limits);
    errors.push_back(read ? std::nullopt : std::optional<Error>(to_public(read.error())));
    if (read) readable.push_back(*std::move(read));
  }
  const auto answers = rex::tasks::run_requests(pipeline, readable, std::move(stop));
  std::vector<Outcome> outcomes;
  size_t next = 0;
  for (std::optional<Error>& error : errors) {
    if (error) {
      outcomes.emplace_back(*std::move(error));
      continue;
    }
    const auto& answer = answers[next++];
    outcomes.push_back(answer ? Outcome(to_public(*answer)) : Outcome(to_public(answer.error())));
  }
  return outcomes;
}

}  // namespace

Expected<Analyzer> Analyzer::load(const std::filesystem::path& model_dir,
                                  const LoadOptions& options) {
  try {
    rex::api::OpenOptions open{
        .device = options.device, .precision = options.precision, .threads = options.threads};
    open.limits.tokens = options.max_batch_tokens;
    auto opened = rex::api::open_model(model_dir, open);
    if (!opened) return to_public(opened.error());
    auto impl = std::make_unique<Impl>();
    impl->pipeline = std::move(opened->pipeline);
    impl->limits.max_text_chars = options.max_text_chars;
    return Analyzer(std::move(impl));
  } catch (const std::bad_alloc&) {
    return to_public(rex::Error{rex::ErrorCode::kMemoryExhausted, "not enough memory for the model",
                                model_dir.string()});
  } catch (const std::exception& bug) {
    return internal_error(bug.what());
  }
}

Analyzer::Analyzer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Analyzer::Analyzer(Analyzer&& other) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&& other) noexcept = default;
Analyzer::~Analyzer() = default;

std::vector<Outcome> Analyzer::analyze(std::span<const Request> requests,
                                       std::stop_token stop) const noexcept {
  try {
    return run_all(*impl_->pipeline, impl_->limits, requests, std::move(stop));
  } catch (const std::exception& bug) {
    return std::vector<Outcome>(requests.size(), Outcome(internal_error(bug.what())));
  }
}

Outcome Analyzer::analyze(const Request& request, std::stop_token stop) const noexcept {
  return analyze(std::span(&request, 1), std::move(stop)).front();
}

ModelInfo Analyzer::info() const {
  const rex::engine::EngineInfo& info = impl_->pipeline->engine().info();
  return {info.device, info.precision, info.detail, info.threads};
}

}  // namespace rexuninlu

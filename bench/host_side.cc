// What a request costs beside the engine: JSON in, tokens, prompts, packing, decoding, JSON out,
// with an engine that answers at once. For counting instructions:
//   valgrind --tool=callgrind --collect-atstart=no --toggle-collect='one_request*' \
//            build/release/bin/rex_host_side models/mini 200
// or bare, for the time of one request.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/json.h"
#include "pipeline/analyze.h"
#include "tasks/request.h"
#include "tasks/run.h"
#include "tasks/work.h"
#include "text/tokenizer.h"

namespace {

using namespace rex;

constexpr const char* kBody =
    R"({"task": "ner", "text": "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。",)"
    R"( "schema": {"人物": null, "地理位置": null, "组织机构": null}})";

// Every pass: the first two text tokens are an answer for the first label, the rest is not.
class InstantEngine final : public engine::Engine {
 public:
  [[nodiscard]] const engine::EngineInfo& info() const override { return info_; }
  [[nodiscard]] const engine::MemoryPlan& plan() const override { return plan_; }
  Result<void> run(const engine::PackedBatch& batch, engine::LinkLists& out) override {
    out.clear();
    for (const engine::PassInfo& pass : batch.passes) {
      const int32_t first = pass.text_begin;
      out.push_span({first, first + 1, 4.0F});
      if (pass.type_count > 0) {
        out.push_head({first, 0, 4.0F});
        out.push_tail({0, first + 1, 4.0F});
      }
      out.close_pass();
    }
    return {};
  }

 private:
  engine::EngineInfo info_{"none", "none", "", 1, {}};
  engine::MemoryPlan plan_;
};

}  // namespace

// Outside the unnamed namespace, so that callgrind finds it by name.
size_t one_request(rex::pipeline::Pipeline& pipeline) {
  const auto body = rex::parse_json(kBody);
  const auto request = rex::tasks::read_request(*body);
  const auto answers = rex::tasks::run_requests(pipeline, {&*request, 1});
  if (!answers[0]) std::abort();
  return rex::tasks::to_json(*answers[0]).dump().size();
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : "models/mini";
  const int count = argc > 2 ? std::atoi(argv[2]) : 2000;
  auto tokenizer = rex::text::Tokenizer::load(folder);
  if (!tokenizer) {
    std::fprintf(stderr, "%s\n", tokenizer.error().to_string().c_str());
    return 1;
  }
  rex::pipeline::Pipeline pipeline(*std::move(tokenizer), std::make_unique<InstantEngine>());
  size_t bytes = one_request(pipeline);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) bytes += one_request(pipeline);
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  std::printf("%d requests, %.1f us each, %zu bytes of answers\n", count, all.count() / count,
              bytes);
  return 0;
}

// For tests: an engine that needs no weights. It links what a list of facts says and remembers
// what it was asked, as readable strings.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "pipeline/analyze.h"
#include "text/tokenizer.h"

namespace rex::pipeline {

// Wherever `span` stands in the text of a pass, it is an answer for `label` below `prefix`.
// Strings are tokens one after the other: prefixes as 组织机构:北大, markers as [CLASSIFY]. A cell
// that several facts speak of has the greatest of their logits.
struct Fact {
  std::string prefix;
  std::string label;
  std::string span;
  float logit = 4.0F;        // of all three links, except where set
  float head_logit = logit;  // span → label
};

struct StandInPass {
  std::string hint;  // "[CLS][PREFIX][TYPE]人物[SEP]"
  std::string text;  // "张三在北京[SEP]"
  bool operator==(const StandInPass&) const = default;
};

// What the engine saw; shared with the test, since the pipeline owns the engine.
struct StandInLog {
  std::vector<StandInPass> passes;
  std::vector<size_t> batch_passes;  // passes of each batch
  std::function<Result<void>()> before_batch = [] { return Result<void>(); };

  [[nodiscard]] std::vector<std::string> hints() const;
};

class StandInEngine final : public engine::Engine {
 public:
  StandInEngine(std::shared_ptr<const text::Tokenizer> tokenizer, std::vector<Fact> facts,
                std::shared_ptr<StandInLog> log, engine::BatchLimits limits, bool brief);

  [[nodiscard]] const engine::EngineInfo& info() const override { return info_; }
  [[nodiscard]] const engine::MemoryPlan& plan() const override { return plan_; }
  Result<void> run(const engine::PackedBatch& batch, engine::LinkLists& out) override;

 private:
  using Cells = std::map<std::pair<int32_t, int32_t>, float>;  // logits that are not kNoLink
  static constexpr float kNoLink = -5.0F;

  [[nodiscard]] std::string shown(std::span<const int32_t> ids) const;
  void apply(const Fact& fact, std::span<const int32_t> ids, const engine::PassInfo& pass,
             std::span<const int32_t> types, Cells& cells) const;

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  std::vector<Fact> facts_;
  std::shared_ptr<StandInLog> log_;
  engine::EngineInfo info_;
  engine::MemoryPlan plan_;
};

// A pipeline on a stand-in whose vocabulary has every char of the facts and of `more`.
struct StandIn {
  StandIn(std::vector<Fact> facts, const std::string& more, engine::BatchLimits limits = {},
          bool brief = false);

  std::shared_ptr<StandInLog> log = std::make_shared<StandInLog>();
  std::unique_ptr<Pipeline> pipeline;

  Result<Answer> ask(const Query& query) { return std::move(pipeline->analyze({&query, 1})[0]); }
};

// A query from JSON; REX test failure when the schema is not accepted.
Query query_of(std::string text, const std::string& schema_json,
               TextKind kind = TextKind::kExtraction);

// "人物 张三 0-2 | 人物 李四 3-5"; steps of one chain joined by →, class steps without a place.
std::string shown(const std::vector<Chain>& chains);

}  // namespace rex::pipeline

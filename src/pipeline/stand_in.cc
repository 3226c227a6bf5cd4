#include "pipeline/stand_in.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/collect_links.h"
#include "prompt/prompt_test_support.h"

namespace rex::pipeline {

std::vector<std::string> StandInLog::hints() const {
  std::vector<std::string> hints;
  for (const StandInPass& pass : passes) hints.push_back(pass.hint);
  return hints;
}

StandInEngine::StandInEngine(std::shared_ptr<const text::Tokenizer> tokenizer,
                             std::vector<Fact> facts, std::shared_ptr<StandInLog> log,
                             engine::BatchLimits limits, bool brief)
    : tokenizer_(std::move(tokenizer)), facts_(std::move(facts)), log_(std::move(log)) {
  info_.limits = limits;
  info_.brief = brief;
}

std::string StandInEngine::shown(std::span<const int32_t> ids) const {
  return prompt::shown(*tokenizer_, ids);
}

// Prefix and label of each type are read back from the ids, so that packing is tested too.
void StandInEngine::apply(const Fact& fact, std::span<const int32_t> ids,
                          const engine::PassInfo& pass, std::span<const int32_t> types,
                          Cells& cells) const {
  const text::SpecialIds& special = tokenizer_->special();
  const auto is_opener = [&](int32_t id) {
    return id == special.prefix || id == special.type || id == special.sep;
  };
  const auto part_from = [&](int32_t opener) {
    int32_t end = opener + 1;
    while (!is_opener(ids[static_cast<size_t>(end)])) ++end;
    return shown(
        ids.subspan(static_cast<size_t>(opener) + 1, static_cast<size_t>(end - opener - 1)));
  };
  const auto raise = [&](int32_t row, int32_t col, float logit) {
    const auto [cell, is_new] = cells.emplace(std::pair{row, col}, logit);
    if (!is_new) cell->second = std::max(cell->second, logit);
  };
  for (const int32_t type : types) {
    int32_t prefix = type;
    while (ids[static_cast<size_t>(prefix)] != special.prefix) --prefix;
    if (part_from(type) != fact.label || part_from(prefix) != fact.prefix) continue;
    for (int32_t head = pass.text_begin; head < pass.token_count; ++head) {
      std::string text;
      for (int32_t tail = head; tail < pass.token_count && text.size() < fact.span.size(); ++tail) {
        text += shown(ids.subspan(static_cast<size_t>(tail), 1));
        if (text != fact.span) continue;
        raise(head, tail, fact.logit);
        raise(head, type, fact.head_logit);
        raise(type, tail, fact.logit);
      }
    }
  }
}

Result<void> StandInEngine::run(const engine::PackedBatch& batch, engine::LinkLists& out) {
  REX_TRY_VOID(log_->before_batch());
  REX_TRY_VOID(engine::check_batch(batch, info_.limits));
  out.clear();
  log_->batch_passes.push_back(batch.passes.size());
  for (const engine::PassInfo& pass : batch.passes) {
    const auto ids = batch.token_ids.subspan(static_cast<size_t>(pass.token_begin),
                                             static_cast<size_t>(pass.token_count));
    const auto types = batch.type_tokens.subspan(static_cast<size_t>(pass.type_begin),
                                                 static_cast<size_t>(pass.type_count));
    const auto hint_tokens = static_cast<size_t>(pass.text_begin);
    log_->passes.push_back({shown(ids.first(hint_tokens)), shown(ids.subspan(hint_tokens))});
    Cells cells;
    for (const Fact& fact : facts_) apply(fact, ids, pass, types, cells);
    engine::collect_links(
        batch, pass,
        [&](int32_t row, int32_t col) {
          const auto found = cells.find({row, col});
          return found == cells.end() ? kNoLink : found->second;
        },
        out);
  }
  return {};
}

StandIn::StandIn(std::vector<Fact> facts, const std::string& more, engine::BatchLimits limits,
                 bool brief) {
  std::string uses = more;
  for (const Fact& fact : facts) uses += fact.prefix + fact.label + fact.span;
  const auto tokenizer = prompt::tokenizer_of({uses});
  pipeline = std::make_unique<Pipeline>(
      tokenizer, std::make_unique<StandInEngine>(tokenizer, std::move(facts), log, limits, brief));
}

Query query_of(std::string text, const std::string& schema_json, TextKind kind) {
  auto schema = schema::parse_schema_text(schema_json);
  EXPECT_TRUE(schema) << schema.error().to_string();
  return {std::move(text), std::make_shared<const schema::Schema>(*std::move(schema)), kind, {}};
}

std::string shown(const std::vector<Chain>& chains) {
  std::string text;
  for (const Chain& chain : chains) {
    if (!text.empty()) text += " | ";
    for (size_t i = 0; i < chain.size(); ++i) {
      if (i > 0) text += " → ";
      text += chain[i].label;
      if (chain[i].start < 0) continue;
      text += " " + chain[i].span + " " + std::to_string(chain[i].start) + "-" +
              std::to_string(chain[i].end);
    }
  }
  return text;
}

}  // namespace rex::pipeline

// Coreference: is a pronoun the candidate? One yes/no class question for each pair, over the text
// with （候选词） after the candidate and (代词) after the pronoun, as the model was trained.
// {"links": [{"pronoun", "antecedent", "confidence", "accepted", "scores"}], "resolved_text"}.
#include <algorithm>
#include <map>
#include <numeric>

#include "tasks/class_reading.h"
#include "tasks/mentions.h"
#include "text/utf8.h"

namespace rex::tasks {
namespace {

using pipeline::Answer;
using pipeline::TextKind;

constexpr std::u32string_view kCandidateMark = U"（候选词）";
constexpr std::u32string_view kPronounMark = U"(代词)";

// A pronoun with one candidate; `pronoun` indexes the list of pronouns.
struct Pair {
  size_t pronoun = 0;
  Mention candidate;
};

struct Case {
  TaskRequest request;
  std::u32string text;
  std::vector<Mention> pronouns;
  std::vector<Pair> pairs;

  [[nodiscard]] std::string slice(const Mention& m) const {
    return text::encode_utf8(std::u32string_view(text).substr(
        static_cast<size_t>(m.start), static_cast<size_t>(m.end - m.start)));
  }
  [[nodiscard]] Json mention_json(const Mention& m) const {
    return {{"text", slice(m)}, {"start", m.start}, {"end", m.end}};
  }
};

std::string marked_text(const Case& c, const Mention& pronoun, const Mention& candidate) {
  std::u32string text = c.text;
  std::pair<int32_t, std::u32string_view> marks[] = {{pronoun.end, kPronounMark},
                                                     {candidate.end, kCandidateMark}};
  if (marks[0].first < marks[1].first) std::swap(marks[0], marks[1]);
  for (const auto& [at, mark] : marks) text.insert(static_cast<size_t>(at), mark);
  return text::encode_utf8(text);
}

SchemaPtr pair_schema(const std::string& pronoun, const std::string& candidate) {
  std::string question("下面的句子中，代词“");
  question += pronoun;
  question += "”指代的是“";
  question += candidate;
  question += "”吗？";
  auto tree = std::make_shared<schema::Schema>();
  for (const char* reply : {"是的", "不是"}) tree->roots.push_back({question + reply, {}});
  return tree;
}

// Every pronoun with every candidate near enough; the nearest when there are too many.
void make_pairs(const std::vector<Mention>& candidates, Case& c, std::vector<Warning>& warnings) {
  std::vector<Pair> pairs;
  std::vector<int32_t> distances;
  for (size_t p = 0; p < c.pronouns.size(); ++p) {
    for (const Mention& candidate : candidates) {
      const int32_t apart = distance(c.pronouns[p], candidate);
      if (overlaps(c.pronouns[p], candidate) || apart > c.request.options.coref_max_distance)
        continue;
      pairs.push_back({p, candidate});
      distances.push_back(apart);
    }
  }
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto limit = static_cast<size_t>(c.request.limits.max_coref_pairs);
  if (pairs.size() > limit) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return distances[a] < distances[b]; });
    order.resize(limit);
    std::sort(order.begin(), order.end());
    warnings.push_back({"CANDIDATES_CAPPED",
                        "more than " + std::to_string(limit) +
                            " pairs of pronoun and candidate; the nearest were judged",
                        ""});
  }
  for (const size_t index : order) c.pairs.push_back(pairs[index]);
}

// How the model judged a pair: confidences of 是的 and 不是.
struct Verdict {
  double yes = 0.0;
  double no = 0.0;
  bool accepted = false;
};

Verdict verdict_of(const Answer& answer) {
  Verdict verdict;
  const auto is_yes = [](const std::string& label) { return label.ends_with("是的"); };
  for (const pipeline::LabelScore& score : answer.scores) {
    (is_yes(score.path.back()) ? verdict.yes : verdict.no) = score.confidence;
  }
  if (!answer.chains.empty()) {
    const pipeline::Step& chosen = answer.chains[0].back();
    verdict.accepted = is_yes(chosen.label);
    if (answer.scores.empty()) (verdict.accepted ? verdict.yes : verdict.no) = chosen.confidence;
  }
  return verdict;
}

Json link_json(const Case& c, size_t pronoun, const std::vector<Verdict>& verdicts,
               std::map<int32_t, std::pair<Mention, Mention>>& replacements) {
  Json scores = Json::array();
  const Pair* best = nullptr;
  Verdict best_verdict;
  for (size_t i = 0; i < c.pairs.size(); ++i) {
    if (c.pairs[i].pronoun != pronoun) continue;
    const Mention& m = c.pairs[i].candidate;
    const Verdict& v = verdicts[i];
    scores.push_back({{"candidate", c.slice(m)},
                      {"start", m.start},
                      {"end", m.end},
                      {"yes", v.yes},
                      {"no", v.no}});
    const bool better = v.accepted != best_verdict.accepted
                            ? v.accepted
                            : v.yes - v.no > best_verdict.yes - best_verdict.no;
    if (best == nullptr || better) best = &c.pairs[i], best_verdict = v;
  }
  Json link = {{"pronoun", c.mention_json(c.pronouns[pronoun])}};
  link["antecedent"] = best == nullptr ? Json(nullptr) : c.mention_json(best->candidate);
  link["confidence"] = best_verdict.yes;
  link["accepted"] = best_verdict.accepted;
  link["scores"] = std::move(scores);
  if (best_verdict.accepted)
    replacements[c.pronouns[pronoun].start] = {c.pronouns[pronoun], best->candidate};
  return link;
}

std::string resolved_text(const Case& c,
                          const std::map<int32_t, std::pair<Mention, Mention>>& replacements) {
  std::string resolved;
  int32_t at = 0;
  for (const auto& [start, change] : replacements) {
    if (start < at) continue;
    resolved += c.slice({at, start});
    resolved += c.slice(change.second);
    at = change.first.end;
  }
  return resolved + c.slice({at, static_cast<int32_t>(c.text.size())});
}

Result<Reply> read_judgements(const Case& c, const std::vector<Answer>& answers) {
  TaskAnswer out = begin_answer(c.request, TextKind::kSingleLabel);
  std::vector<Verdict> verdicts;
  for (const Answer& answer : answers) {
    verdicts.push_back(verdict_of(answer));
    for (const pipeline::Chain& chain : answer.chains) out.chains.push_back(chain);
  }
  std::map<int32_t, std::pair<Mention, Mention>> replacements;
  Json links = Json::array();
  for (size_t p = 0; p < c.pronouns.size(); ++p)
    links.push_back(link_json(c, p, verdicts, replacements));
  out.result = {{"links", std::move(links)}, {"resolved_text", resolved_text(c, replacements)}};
  warn_if_empty(out);
  return Reply(std::move(out));
}

Work judge(Case c, const std::vector<Mention>& candidates, std::vector<Warning> warnings) {
  Work work;
  make_pairs(candidates, c, warnings);
  work.warnings = std::move(warnings);
  for (const Pair& pair : c.pairs) {
    const Mention& pronoun = c.pronouns[pair.pronoun];
    work.queries.push_back(make_query(marked_text(c, pronoun, pair.candidate),
                                      pair_schema(c.slice(pronoun), c.slice(pair.candidate)),
                                      TextKind::kSingleLabel, c.request));
  }
  work.read = [c = std::move(c)](const std::vector<Answer>& answers) {
    return read_judgements(c, answers);
  };
  return work;
}

// First round when no candidates are given: entities of the candidate schema.
Result<Work> find_candidates(Case c) {
  Work work;
  TaskRequest request = c.request;
  if (const auto field = request.fields.find("candidate_schema"); field != request.fields.end()) {
    request.schema = *field;
  } else {
    request.schema.reset();
  }
  request.labels.clear();
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, work.warnings));
  work.queries.push_back(make_query(text::encode_utf8(c.text),
                                    std::make_shared<const schema::Schema>(std::move(tree)),
                                    TextKind::kExtraction, request));
  work.read = [c = std::move(c)](const std::vector<Answer>& answers) -> Result<Reply> {
    std::vector<Mention> candidates;
    for (const pipeline::Chain& chain : answers.at(0).chains) {
      const Mention mention{chain.back().start, chain.back().end};
      if (std::find(candidates.begin(), candidates.end(), mention) == candidates.end())
        candidates.push_back(mention);
    }
    return Reply(std::make_unique<Work>(judge(c, candidates, {})));
  };
  return work;
}

// {"代词": {"指代对象": null}} asks for the automatic mode in the words of a schema.
bool is_automatic_form(const Json& schema) {
  return schema.is_object() && schema.size() == 1 && schema.contains("代词");
}

// The original's own form: two labels, and a text that already carries the marks.
Result<Work> ask_original_form(const TaskRequest& request) {
  std::vector<Warning> warnings;
  REX_TRY(text, require_text(request));
  REX_TRY(value, schema_value(request));
  REX_TRY(labels, labels_of_request(request, value, warnings));
  return ask_single_label(std::move(text), std::move(labels), request, std::move(warnings),
                          [](const Answer& answer, TaskAnswer& out) {
                            out.result["accepted"] = verdict_of(answer).accepted;
                          });
}

}  // namespace

Result<Work> start_coref(const TaskRequest& request) {
  const bool has_labels = !request.labels.empty() || request.schema.has_value();
  if (has_labels && !request.fields.contains("pronoun") && !request.fields.contains("candidates")) {
    REX_TRY(schema, schema_value(request));
    if (!is_automatic_form(schema)) return ask_original_form(request);
  }
  REX_TRY(text, require_text(request));
  REX_TRY(chars, text::decode_utf8(text));
  Case c{request, std::move(chars), {}, {}};
  if (const auto field = request.fields.find("pronoun"); field != request.fields.end()) {
    REX_TRY(pronouns, read_mentions(*field, c.text, "/pronoun"));
    c.pronouns = std::move(pronouns);
  } else {
    c.pronouns = find_pronouns(c.text);
  }
  const auto field = request.fields.find("candidates");
  if (field == request.fields.end() && !c.pronouns.empty()) return find_candidates(std::move(c));
  std::vector<Mention> candidates;
  if (field != request.fields.end()) {
    REX_TRY(given, read_mentions(*field, c.text, "/candidates"));
    candidates = std::move(given);
  }
  return judge(std::move(c), candidates, {});
}

}  // namespace rex::tasks

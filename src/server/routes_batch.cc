// POST /api/batch: one task, many texts; answers as one object or as a stream of JSON lines.
#include <algorithm>

#include "server/error_body.h"
#include "server/model_call.h"
#include "server/route.h"

namespace rex::server {
namespace {

constexpr size_t kTogether = 16;  // texts of one step; a stream shows them as soon as it is over

Result<const Json*> find_texts(const Json& body) {
  const auto texts = body.find("texts"), inputs = body.find("inputs");
  if (texts != body.end() && inputs != body.end()) {
    return fail(ErrorCode::kFieldConflict, "\"texts\" and \"inputs\" mean the same", "/inputs");
  }
  const auto found = texts != body.end() ? texts : inputs;
  if (found == body.end()) return fail(ErrorCode::kTextMissing, "give \"texts\"", "/texts");
  if (!found->is_array()) {
    return fail(ErrorCode::kOptionType, "expected a list, found " + std::string(json_kind(*found)),
                "/texts");
  }
  if (found->empty()) return fail(ErrorCode::kBatchEmpty, "the list of texts is empty", "/texts");
  return &*found;
}

struct Batch {
  std::vector<Json> items;  // bodies of single requests
};

Result<Batch> read_batch(const Call& call, Json body) {
  REX_TRY(texts, find_texts(body));
  const auto most = static_cast<size_t>(call.state.settings.limits.max_batch_texts);
  if (texts->size() > most) {
    return fail(
        ErrorCode::kBatchTooLarge,
        "has " + std::to_string(texts->size()) + " texts; allowed are " + std::to_string(most),
        "/texts");
  }
  if (body.contains("text") || body.contains("input")) {
    return fail(ErrorCode::kFieldConflict, "give either \"text\" or \"texts\"", "/texts");
  }
  const Json list = *texts;
  body.erase("texts");
  body.erase("inputs");
  Batch batch;
  for (const Json& item : list) {
    Json one = body;
    if (item.is_object()) {
      // What an item brings stands instead of what the batch says.
      if (item.contains("schema") || item.contains("labels")) {
        one.erase("schema");
        one.erase("labels");
      }
      for (const auto& [name, value] : item.items()) one[name] = value;
    } else {
      one["text"] = item;
    }
    batch.items.push_back(std::move(one));
  }
  return batch;
}

struct ItemResult {
  Json json;
  std::optional<Error> error;
};

// Items [first, last) in common batches of the engine.
std::vector<ItemResult> run_items(Call& call, std::span<const Json> items) {
  std::vector<ItemResult> results(items.size());
  std::vector<Prepared> prepared;
  std::vector<size_t> places;
  const auto set_error = [&](size_t place, Error error) {
    Json json = error_json(error, call.request_id);
    json.erase("request_id");
    if (items[place].contains("id")) json["id"] = items[place]["id"];
    results[place] = {std::move(json), std::move(error)};
  };
  for (size_t i = 0; i < items.size(); ++i) {
    auto one = prepare(call, items[i], call.route->task);
    if (one) {
      prepared.push_back(*std::move(one));
      places.push_back(i);
    } else {
      set_error(i, std::move(one).error());
    }
  }
  const auto computed = compute(call, prepared);
  for (size_t i = 0; i < computed.size(); ++i) {
    if (computed[i]) {
      Json json = answer_json(call, prepared[i], *computed[i]);
      json.erase("request_id");
      json.erase("model");
      results[places[i]].json = std::move(json);
    } else {
      set_error(places[i], computed[i].error());
    }
  }
  return results;
}

Json summary_json(size_t good, size_t bad) {
  return {{"ok", good}, {"failed", bad}};
}

template <class Take>
void run_all(Call& call, const Batch& batch, Take take) {
  const std::span<const Json> items(batch.items);
  const std::stop_token gone = call.exchange->gone();
  for (size_t first = 0; first < items.size() && !gone.stop_requested(); first += kTogether) {
    auto results = run_items(call, items.subspan(first, std::min(kTogether, items.size() - first)));
    for (size_t i = 0; i < results.size(); ++i) {
      if (!take(first + i, std::move(results[i]))) return;
    }
  }
}

void stream(Call& call, const Batch& batch) {
  http::Response head;
  head.content_type = "application/x-ndjson; charset=utf-8";
  head.headers = {{"X-Request-Id", call.request_id}, {"X-Accel-Buffering", "no"}};
  call.exchange->begin(std::move(head));
  size_t good = 0, bad = 0;
  run_all(call, batch, [&](size_t index, ItemResult result) {
    (result.error ? bad : good) += 1;
    Json line = {{"index", index}};
    line.update(result.json);
    return call.exchange->write(dump(line) + "\n");
  });
  call.exchange->write(dump(Json{{"done", true}, {"summary", summary_json(good, bad)}}) + "\n");
  call.exchange->end();
}

// A body of JSON lines: the items; task and schema stand in the query.
Result<Json> lines_body(const Call& call) {
  Json body = {{"texts", Json::array()}};
  for (const char* name : {"task", "preset"}) {
    if (const auto value = call.request.parameter(name)) body[name] = *value;
  }
  if (const auto schema = call.request.parameter("schema")) {
    auto json = parse_json(*schema);
    body["schema"] = json ? *std::move(json) : Json(*schema);
  }
  std::string_view rest = call.request.body;
  size_t number = 0;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto item = parse_json(line);
    if (!item) return fail(std::move(item).error().in("line " + std::to_string(number) + " "));
    body["texts"].push_back(*std::move(item));
  }
  return body;
}

}  // namespace

Outcome answer_batch(Call& call) {
  if (call.debug) {
    return fail(ErrorCode::kFieldConflict,
                "debug mode looks at one text; send it to /api/analyze or to its task's route",
                "mode");
  }
  const auto type = call.request.header("Content-Type");
  const bool lines = type && type->starts_with("application/x-ndjson");
  REX_TRY(body, lines ? lines_body(call) : call.body_json());
  REX_TRY(batch, read_batch(call, std::move(body)));
  const auto accept = call.request.header("Accept");
  if (accept && accept->find("application/x-ndjson") != std::string_view::npos) {
    stream(call, batch);
    return std::nullopt;
  }
  Json results = Json::array();
  std::optional<Error> first;
  size_t good = 0, bad = 0;
  run_all(call, batch, [&](size_t, ItemResult result) {
    (result.error ? bad : good) += 1;
    if (result.error && !first) first = result.error;
    results.push_back(std::move(result.json));
    return true;
  });
  if (good == 0)
    return fail(first ? *first : Error{ErrorCode::kCancelled, "the client is gone", ""});
  return json_response(call, {{"request_id", call.request_id},
                              {"results", std::move(results)},
                              {"summary", summary_json(good, bad)}});
}

}  // namespace rex::server

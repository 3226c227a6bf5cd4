// POST /api/<task> and POST /api/analyze.
#include <algorithm>

#include "server/debug_mode.h"
#include "server/error_body.h"
#include "server/model_call.h"
#include "server/route.h"

namespace rex::server {
namespace {

Result<Json> answer_prepared(Call& call, const Prepared& prepared) {
  call.trace.clear();
  REX_TRY(computed, compute(call, prepared));
  Json answer = answer_json(call, prepared, computed);
  if (call.debug) {
    REX_TRY(debug, debug_json(call, prepared, computed));
    answer["debug"] = std::move(debug);
  }
  return answer;
}

Result<Json> answer_one(Call& call, Json body, const tasks::TaskRow* row) {
  REX_TRY(prepared, prepare(call, std::move(body), row));
  return answer_prepared(call, prepared);
}

// All in common batches; in debug mode one after the other, so that each has its own trace.
std::vector<Result<Json>> answer_all(Call& call, const std::vector<Prepared>& prepared) {
  std::vector<Result<Json>> answers;
  if (call.debug) {
    for (const Prepared& one : prepared) answers.push_back(answer_prepared(call, one));
    return answers;
  }
  auto computed = compute(call, prepared);
  for (size_t i = 0; i < computed.size(); ++i) {
    answers.push_back(std::move(computed[i]).map([&](Computed&& good) {
      return answer_json(call, prepared[i], good);
    }));
  }
  return answers;
}

// "tasks" as a list of objects with their names; "all" stands for every task with its example.
struct NamedTask {
  std::string name;
  Json body;
};

Result<std::vector<NamedTask>> read_tasks(const Json& list, const Json& body) {
  Json all = list;
  if (list == "all") {
    all = Json::array();
    for (const tasks::TaskRow& row : tasks::kTasks) {
      if (row.id == tasks::TaskId::kMatching || row.id == tasks::TaskId::kCoref) continue;
      Json one = {{"task", row.name}};
      if (!row.example_schema.empty()) one["schema"] = Json::parse(row.example_schema);
      all.push_back(std::move(one));
    }
  }
  if (!all.is_array())
    return fail(ErrorCode::kOptionType, "expected a list of tasks or \"all\"", "/tasks");
  if (all.empty()) return fail(ErrorCode::kBatchEmpty, "the list of tasks is empty", "/tasks");
  std::vector<NamedTask> named;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string place = "/tasks/" + std::to_string(i);
    Json one = all[i].is_string() ? Json{{"task", all[i]}} : all[i];
    if (!one.is_object() || !one.contains("task") || !one["task"].is_string()) {
      return fail(ErrorCode::kTaskUnknown, "expected the name of a task", place);
    }
    std::string name = one["task"].get<std::string>();
    if (const auto own = one.find("name"); own != one.end()) {
      if (!own->is_string())
        return fail(ErrorCode::kOptionType, "expected a string", place + "/name");
      name = own->get<std::string>();
      one.erase("name");
    }
    const auto same = [&](const NamedTask& other) { return other.name == name; };
    if (std::any_of(named.begin(), named.end(), same)) {
      return fail(ErrorCode::kFieldConflict,
                  "there are two \"" + name + "\"; give each its own name", place);
    }
    for (const char* shared : {"text", "input", "options", "strict"}) {
      if (body.contains(shared) && !one.contains(shared)) one[shared] = body[shared];
    }
    named.push_back({std::move(name), std::move(one)});
  }
  return named;
}

}  // namespace

Outcome answer_task(Call& call) {
  REX_TRY(body, call.body_json());
  if (body.contains("texts") || body.contains("inputs")) return answer_batch(call);
  REX_TRY(answer, answer_one(call, std::move(body), call.route->task));
  return json_response(call, answer);
}

Outcome answer_analyze(Call& call) {
  REX_TRY(body, call.body_json());
  const auto list = body.find("tasks");
  if (list == body.end()) {
    REX_TRY(answer, answer_one(call, std::move(body), nullptr));
    return json_response(call, answer);
  }
  if (body.contains("task")) {
    return fail(ErrorCode::kFieldConflict, "give either \"task\" or \"tasks\"", "/tasks");
  }
  REX_TRY(named, read_tasks(*list, body));
  Json results = Json::object();
  std::optional<Error> first;
  std::vector<Prepared> prepared;
  std::vector<std::string> names;
  size_t good = 0;
  const auto add_error = [&](const std::string& name, const Error& error) {
    if (!first) first = error;
    results[name] = error_json(error, call.request_id);
  };
  for (NamedTask& task : named) {
    results[task.name] = nullptr;  // keeps the order asked
    auto one = prepare(call, std::move(task.body), nullptr);
    if (one) {
      prepared.push_back(*std::move(one));
      names.push_back(task.name);
    } else {
      add_error(task.name, one.error());
    }
  }
  auto answers = answer_all(call, prepared);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]) {
      ++good;
      results[names[i]] = *std::move(answers[i]);
    } else {
      add_error(names[i], answers[i].error());
    }
  }
  if (good == 0) return fail(*first);
  const pipeline::Usage& usage = call.facts.usage;
  return json_response(call, {{"request_id", call.request_id},
                              {"results", std::move(results)},
                              {"usage", {{"tokens", usage.tokens}, {"passes", usage.passes}}}});
}

}  // namespace rex::server

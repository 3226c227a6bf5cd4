// Every task as a client asks for it: the answer is the library's own, with the service's frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "http/service_under_test.h"
#include "tasks/task_table.h"

namespace rex::http_test {
namespace {

using testing::HasSubstr;

void expect_equal(const Json& answer, const Json& expected, const std::string& name) {
  for (const char* member : {"task", "output", "result", "usage", "warnings"}) {
    EXPECT_EQ(answer[member].dump(), expected[member].dump()) << name << " " << member;
  }
}

TEST(TaskRoutes, EveryGoldenRequestGetsTheLibrarysAnswer) {
  const ServiceUnderTest& service = shared_service();
  std::set<std::string> seen;
  for (const GoldenRequest& golden : golden_requests()) {
    Json body = golden.body;
    const std::string task = tasks::find_task(body["task"].get<std::string>()).value()->name.data();
    const Json expected = library_answer(body);
    body["id"] = golden.name;
    const Answer answer = service.post("/api/" + task, body);
    ASSERT_EQ(answer.status, 200) << golden.name << answer.body;
    expect_equal(answer.json, expected, golden.name);
    EXPECT_EQ(answer.json["id"], golden.name);
    EXPECT_EQ(answer.header("X-Request-Id"), answer.json["request_id"].get<std::string>());
    seen.insert(task);
  }
  EXPECT_EQ(seen.size(), tasks::kTasks.size());
}

TEST(TaskRoutes, AliasesAndChineseNamesAreTheSameRoutes) {
  const ServiceUnderTest& service = shared_service();
  const Json ner = {{"text", "周慧敏在武汉工作。"}, {"labels", {"人物", "地理位置"}}};
  const std::string expected = service.post("/api/ner", ner).json["output"].dump();
  EXPECT_THAT(expected, HasSubstr("周慧敏"));
  EXPECT_EQ(service.post("/api/%E5%91%BD%E5%90%8D%E5%AE%9E%E4%BD%93%E8%AF%86%E5%88%AB", ner)
                .json["output"]
                .dump(),
            expected);
  EXPECT_EQ(service
                .post("/api/analyze",
                      [&] {
                        Json b = ner;
                        b["task"] = "ner";
                        return b;
                      }())
                .json["output"]
                .dump(),
            expected);
  for (const auto& [alias, task] : {std::pair{"re", "relation"},
                                    {"ee", "event"},
                                    {"tc", "classification"},
                                    {"mrc", "reading"},
                                    {"nli", "matching"}}) {
    const Answer answer = service.post(std::string("/api/") + alias, Json{{"nonsense", 1}});
    EXPECT_EQ(answer.status, 422) << alias << answer.body;
    EXPECT_EQ(answer.json, [&] {
      Json same = service.post(std::string("/api/") + task, Json{{"nonsense", 1}}).json;
      same["request_id"] = answer.json["request_id"];
      return same;
    }());
  }
}

TEST(TaskRoutes, HeadersSayWhatTheModelDid) {
  const Answer answer =
      shared_service().post("/api/ner", Json{{"text", "周慧敏在武汉工作。"}, {"labels", {"人物"}}},
                            {{"X-Request-Id", "my-id.1"}});
  EXPECT_EQ(answer.header("X-GPU-Optimized"), "false");
  EXPECT_GT(std::stoi(answer.header("X-Memory-Peak-MB")), 10);
  EXPECT_EQ(answer.header("X-Precision"), "f32");
  EXPECT_EQ(answer.header("X-Device"), "cpu");
  EXPECT_EQ(answer.header("X-Batch-Size"), "1");
  EXPECT_EQ(answer.header("X-Windows"), "1");
  EXPECT_EQ(std::stoi(answer.header("X-Tokens")), answer.json["usage"]["tokens"].get<int>());
  EXPECT_GT(std::stod(answer.header("X-Inference-Time-Ms")), 0.0);
  EXPECT_GE(std::stod(answer.header("X-Total-Time-Ms")),
            std::stod(answer.header("X-Inference-Time-Ms")));
  EXPECT_THAT(answer.header("Server-Timing"), HasSubstr("infer;dur="));
  EXPECT_EQ(answer.header("X-Request-Id"), "my-id.1");
  const Json memory = shared_service().get("/api/memory").json;
  EXPECT_EQ(std::stoi(answer.header("X-Memory-Peak-MB")), memory["peak_mb"].get<int>());
}

TEST(TaskRoutes, DebugShowsPromptsLinksPlanAndTheDifference) {
  const Json body = {{"text", "周慧敏在武汉工作。"}, {"labels", {"人物"}}};
  const Answer answer = shared_service().post("/api/ner?mode=debug", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& debug = answer.json["debug"];
  EXPECT_THAT(debug["passes"][0]["prompt"].get<std::string>(), HasSubstr("[TYPE]人物"));
  EXPECT_FALSE(debug["passes"][0]["links"]["head_tail"].empty());
  EXPECT_EQ(debug["passes"][0]["window"].dump(), "[0,9]");
  EXPECT_FALSE(debug["memory_plan"].empty());
  EXPECT_EQ(debug["difference"]["changed_spans"], 0);
  EXPECT_EQ(debug["difference"]["result_equal"], true);
  EXPECT_EQ(answer.header("X-Batch-Size"), "1");
}

TEST(TaskRoutes, DebugOfABatchIsRefusedNotForgotten) {
  const Json body = {{"task", "ner"}, {"texts", {"周慧敏在武汉工作。"}}, {"labels", {"人物"}}};
  for (const char* path : {"/api/batch?mode=debug", "/api/ner?mode=debug"}) {
    Json sent = body;
    if (std::string_view(path).starts_with("/api/ner")) sent.erase("task");
    const Answer answer = shared_service().post(path, sent);
    EXPECT_EQ(answer.status, 422) << answer.body;
    EXPECT_EQ(answer.json["code"], "FIELD_CONFLICT");
    EXPECT_EQ(answer.json["param"], "mode");
  }
}

TEST(TaskRoutes, DebugOfSeveralTasksShowsEachAlone) {
  const Json body = {{"text", "周慧敏在武汉工作。"},
                     {"tasks",
                      {{{"task", "ner"}, {"schema", {"人物"}}},
                       {{"task", "classification"}, {"schema", {"体育", "财经"}}}}}};
  const Answer answer = shared_service().post("/api/analyze?mode=debug", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& results = answer.json["results"];
  const Json& ner = results["ner"]["debug"]["passes"];
  const Json& classes = results["classification"]["debug"]["passes"];
  ASSERT_EQ(ner.size(), 1U);
  ASSERT_EQ(classes.size(), 1U);
  EXPECT_THAT(ner[0]["prompt"].get<std::string>(), HasSubstr("[TYPE]人物"));
  EXPECT_THAT(classes[0]["prompt"].get<std::string>(), HasSubstr("[TYPE]体育"));
  // The run without debug, for the difference, is not counted.
  EXPECT_EQ(answer.json["usage"]["passes"], 2);
  const Answer plain = shared_service().post("/api/analyze", body);
  EXPECT_EQ(plain.json["results"]["ner"]["output"], results["ner"]["output"]);
  EXPECT_EQ(plain.header("X-Tokens"), answer.header("X-Tokens"));
}

TEST(TaskRoutes, TimingIsThereOnRequest) {
  const Json body = {
      {"text", "周慧敏"}, {"labels", {"人物"}}, {"options", {{"include", {"timing"}}}}};
  const Answer answer = shared_service().post("/api/ner", body);
  EXPECT_GT(answer.json["timing_ms"]["infer"].get<double>(), 0.0);
  EXPECT_TRUE(answer.json.contains("memory"));
  EXPECT_TRUE(answer.json["warnings"].empty());
}

TEST(Analyze, SeveralTasksOnOneTextEachUnderItsName) {
  const Json ner = {{"task", "ner"}, {"labels", {"人物"}}};
  const Json body = {{"text", "周慧敏很满意，音质很好。"},
                     {"tasks",
                      {ner,
                       "sentiment",
                       {{"task", "classification"}, {"name", "类"}, {"labels", {"体育", "财经"}}},
                       {{"task", "event"}}}}};
  const Answer answer = shared_service().post("/api/analyze", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& results = answer.json["results"];
  std::vector<std::string> names;
  for (const auto& [name, value] : results.items()) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("ner", "sentiment", "类", "event"));
  Json single = ner;
  single["text"] = body["text"];
  expect_equal(results["ner"], library_answer(single), "ner");
  EXPECT_EQ(results["event"]["code"], "SCHEMA_MISSING");
  const Answer all =
      shared_service().post("/api/analyze", Json{{"text", "周慧敏很满意。"}, {"tasks", "all"}});
  EXPECT_EQ(all.json["results"].size(), 9U);
  for (const auto& [name, value] : all.json["results"].items())
    EXPECT_TRUE(value.contains("output")) << name << value;
}

TEST(Batch, AnswersStandInTheOrderOfTheTextsAndABadOneFailsAlone) {
  Json texts = Json::array();
  for (int i = 0; i < 40; ++i) {
    texts.push_back(
        {{"id", std::to_string(i)},
         {"text", std::string("周慧敏在武汉工作。") + (i % 2 ? "张伟去了深圳。" : "")}});
  }
  texts[7] = 5;
  texts[9] = {{"id", "9"}, {"text", "2008年北京"}, {"schema", {{"时间", nullptr}}}};
  const Json body = {{"task", "ner"}, {"labels", {"人物", "地理位置"}}, {"texts", texts}};
  const Answer answer = shared_service().post("/api/batch", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& results = answer.json["results"];
  ASSERT_EQ(results.size(), 40U);
  EXPECT_EQ(answer.json["summary"].dump(), R"({"ok":39,"failed":1})");
  EXPECT_EQ(results[7]["code"], "TEXT_NOT_STRING");
  EXPECT_EQ(results[7]["status"], 422);
  for (int i = 0; i < 40; ++i) {
    if (i == 7) continue;
    EXPECT_EQ(results[i]["id"], std::to_string(i));
    Json single = {{"task", "ner"}, {"text", texts[i]["text"]}};
    if (i == 9) {
      single["schema"] = texts[9]["schema"];
    } else {
      single["labels"] = body["labels"];
    }
    expect_equal(results[i], library_answer(single), std::to_string(i));
  }
}

std::vector<Json> lines_of(const std::string& body) {
  std::vector<Json> lines;
  std::istringstream in(body);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(Batch, LinesAreStreamedAndTheLastSaysThatAllCame) {
  const Json body = {{"labels", {"人物"}}, {"texts", {"周慧敏", "张伟", ""}}};
  const Answer answer =
      shared_service().post("/api/ner", body.dump(), {{"Accept", "application/x-ndjson"}});
  EXPECT_EQ(answer.status, 200);
  const auto lines = lines_of(answer.body);
  ASSERT_EQ(lines.size(), 4U) << answer.body;
  EXPECT_EQ(lines[1]["index"], 1);
  EXPECT_EQ(lines[1]["output"][0][0]["span"], "张伟");
  EXPECT_EQ(lines[3].dump(), R"({"done":true,"summary":{"ok":2,"failed":1}})");
}

TEST(Batch, ABodyOfLinesTakesTaskAndSchemaFromTheQuery) {
  const Answer answer = shared_service().post(
      "/api/batch?task=ner&schema=%5B%22%E4%BA%BA%E7%89%A9%22%5D",
      "\"周慧敏\"\n\n{\"id\": \"b\", \"text\": \"张伟\"}\n", {}, "application/x-ndjson");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["results"][0]["output"][0][0]["span"], "周慧敏");
  EXPECT_EQ(answer.json["results"][1]["id"], "b");
}

TEST(Helpers, InfoTasksMemoryAndVersionDescribeTheService) {
  const ServiceUnderTest& service = shared_service();
  EXPECT_EQ(service.get("/api/info").json["device"], "cpu");
  const Json tasks = service.get("/api/tasks").json["tasks"];
  EXPECT_EQ(tasks.size(), 11U);
  EXPECT_EQ(tasks[0]["route"], "/api/ner");
  EXPECT_GT(service.get("/api/memory").json["planned_bytes"].get<int64_t>(), 10'000'000);
  EXPECT_EQ(service.get("/version").json["version"], "test");
  EXPECT_EQ(service.get("/healthz").status, 200);
  EXPECT_EQ(service.get("/readyz").json["ready"], true);
  EXPECT_EQ(service.get("/health").json["status"], "ok");
  EXPECT_THAT(service.get("/metrics").body, HasSubstr("rex_ready 1"));
  EXPECT_THAT(service.get("/docs").body, HasSubstr("/api/ner"));
}

TEST(Helpers, ASchemaIsCheckedAndPriced) {
  const Answer answer = shared_service().post(
      "/api/schema/validate", Json{{"schema", {{"竞赛名称", {"主办方", "承办方"}}}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["schema"].dump(), R"({"竞赛名称":{"主办方":null,"承办方":null}})");
  EXPECT_EQ(answer.json["labels"], 3);
  EXPECT_EQ(answer.json["levels"].size(), 2U);
  EXPECT_EQ(answer.json["memory"]["legacy_mb"], 144);
}

TEST(Helpers, ASchemaIsCheckedForItsTask) {
  const auto check = [](const char* task, const Json& schema) {
    return shared_service().post("/api/schema/validate", Json{{"task", task}, {"schema", schema}});
  };
  EXPECT_EQ(check("reading", {"青石渠位于哪里？"}).status, 200);
  const Answer deep = check("reading", {{"青石渠", {"长度"}}});
  EXPECT_EQ(deep.code(), "SCHEMA_TASK_MISMATCH") << deep.body;
  EXPECT_EQ(deep.json["param"], "/schema");
  EXPECT_EQ(check("nothing", {"人物"}).code(), "TASK_UNKNOWN");
  EXPECT_EQ(check("ner", {"人物"}).json["warnings"].size(), 0U);
  const Json twice = check("ner", {"人物", "人物"}).json["warnings"];
  ASSERT_EQ(twice.size(), 1U) << twice;
  EXPECT_EQ(twice[0]["param"], "/schema/1");
  const Json flat = check("relation", {"人物"}).json["warnings"];
  ASSERT_EQ(flat.size(), 1U) << flat;
  EXPECT_EQ(flat[0]["code"], "RELATION_SCHEMA_FLAT");
}

TEST(Helpers, TokensHaveIdsAndOffsets) {
  const Answer answer = shared_service().post("/api/tokenize", Json{{"text", "北京2008年"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["chars"], 7);
  EXPECT_EQ(answer.json["tokens"][0]["token"], "北");
  EXPECT_EQ(answer.json["tokens"][0]["end"], 1);
}

TEST(Helpers, ThePageIsServedWithEtagAndPolicy) {
  const Answer page = shared_service().get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.header("Content-Type"), HasSubstr("text/html"));
  EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'self'"));
  EXPECT_EQ(shared_service().get("/", {{"If-None-Match", page.header("ETag")}}).status, 304);
  EXPECT_EQ(shared_service().get("/../config.yaml").status, 404);
  EXPECT_EQ(shared_service().get("/%2e%2e/config.yaml").status, 404);
}

}  // namespace
}  // namespace rex::http_test

// What a client does wrong, and what the service cannot do now: status, code, place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <fstream>
#include <future>
#include <set>

#include "core/check.h"
#include "core/error_codes.h"
#include "http/service_under_test.h"
#include "pipeline/stand_in.h"
#include "support/temp_dir.h"

namespace rex::http_test {
namespace {

using testing::HasSubstr;

void expect_error(const Answer& answer, int status, const std::string& code,
                  const std::string& param = "") {
  EXPECT_EQ(answer.status, status) << code << " " << answer.body;
  EXPECT_EQ(answer.code(), code) << answer.body;
  if (!answer.json.is_object() || answer.code() != code) return;
  for (const char* member :
       {"error", "error_zh", "error_type", "code", "param", "hint", "hint_zh", "request_id"}) {
    EXPECT_TRUE(answer.json[member].is_string()) << member << answer.body;
  }
  EXPECT_EQ(answer.json["status"], status);
  EXPECT_FALSE(answer.json["error"].get<std::string>().empty());
  EXPECT_FALSE(answer.json["error_zh"].get<std::string>().empty());
  EXPECT_EQ(answer.header("X-Request-Id"), answer.json["request_id"].get<std::string>());
  if (!param.empty()) {
    EXPECT_THAT(answer.json["param"].get<std::string>(), HasSubstr(param)) << answer.body;
  }
  if (status == 429 || status == 503) {
    EXPECT_NE(answer.header("Retry-After"), "");
  }
}

struct BadBody {
  const char* path;
  std::string body;
  int status;
  const char* code;
  const char* param;
};

// Bad forms of every task's request; each names its field.
const BadBody kBadBodies[] = {
    {"/api/ner", "", 400, "BODY_EMPTY", "body"},
    {"/api/ner", "{", 400, "JSON_INVALID", "byte"},
    {"/api/ner", "[]", 400, "JSON_INVALID", "body"},
    {"/api/ner", std::string(200, '['), 400, "JSON_INVALID", ""},
    {"/api/ner", "{\"text\": \"\xff\"}", 400, "ENCODING_INVALID", "byte"},
    {"/api/ner", R"({"labels": ["人物"]})", 422, "TEXT_MISSING", "/text"},
    {"/api/ner", R"({"text": "", "labels": ["人物"]})", 422, "TEXT_MISSING", "/text"},
    {"/api/ner", R"({"text": 5, "labels": ["人物"]})", 422, "TEXT_NOT_STRING", "/text"},
    {"/api/ner", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/ner", R"({"text": "a", "schema": {}})", 422, "SCHEMA_EMPTY", "/schema"},
    {"/api/ner", R"({"text": "a", "schema": {"人物": 5}})", 422, "SCHEMA_BAD_VALUE",
     "/schema/人物"},
    {"/api/ner", R"({"text": "a", "schema": {"": null}})", 422, "LABEL_EMPTY", "/schema"},
    {"/api/ner", R"({"text": "a", "schema": {"a": null, "a": null}})", 422, "SCHEMA_DUPLICATE_KEY",
     "/schema"},
    {"/api/ner", R"({"text": "a", "schema": {"a":{"b":{"c":{"d":{"e":{"f":{"g":null}}}}}}}})", 422,
     "SCHEMA_TOO_DEEP", "/schema"},
    {"/api/ner", R"({"text": "a", "schema": {"$ref": "#/nowhere"}})", 422, "SCHEMA_REF", "/schema"},
    {"/api/ner", R"({"text": "a", "labels": []})", 422, "SCHEMA_EMPTY", "/labels"},
    {"/api/ner", R"({"text": "a", "labels": [5]})", 422, "OPTION_TYPE", "/labels/0"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "schema": ["b"]})", 422, "FIELD_CONFLICT",
     "/labels"},
    {"/api/ner", R"({"text": "a", "input": "b", "labels": ["a"]})", 422, "FIELD_CONFLICT",
     "/input"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "strict": true, "nonsense": 1})", 422,
     "UNKNOWN_FIELD", "/nonsense"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"threshold": 2}})", 422,
     "OPTION_RANGE", "/options/threshold"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"threshold": "x"}})", 422,
     "OPTION_TYPE", "/options/threshold"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": 5})", 422, "OPTION_TYPE", "/options"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"priority": 3}})", 422,
     "OPTION_RANGE", "/options/priority"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"timeout_ms": "x"}})", 422,
     "OPTION_TYPE", "/options/timeout_ms"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"precision": "fp16"}})", 422,
     "OPTION_RANGE", "/options/precision"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"profile": "best"}})", 422,
     "OPTION_RANGE", "/options/profile"},
    {"/api/ner", R"({"text": "a", "labels": ["a"], "options": {"include": ["all"]}})", 422,
     "OPTION_RANGE", "/options/include/0"},
    {"/api/ner", R"({"text": "a", "preset": "none"})", 404, "PRESET_UNKNOWN", "/preset"},
    {"/api/ner", R"({"text": "a", "preset": 5})", 422, "OPTION_TYPE", "/preset"},
    {"/api/relation", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/event", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/absa", R"({"text": "a", "schema": 5})", 422, "SCHEMA_BAD_VALUE", "/schema"},
    {"/api/sentiment", R"({"text": "a", "level": "word"})", 422, "OPTION_RANGE", "/level"},
    {"/api/coref", R"({"text": "a", "pronoun": "它"})", 422, "OPTION_RANGE", "/pronoun"},
    {"/api/classification", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/classification", R"({"text": "a", "schema": {"a": {"b": {"c": null}}}})", 422,
     "SCHEMA_TASK_MISMATCH", "/schema"},
    {"/api/multi_label", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/hierarchical", R"({"text": "a", "schema": ["a"], "multi": "yes"})", 422, "OPTION_TYPE",
     "/multi"},
    {"/api/matching", R"({"text1": "a"})", 422, "TEXT_MISSING", "/text2"},
    {"/api/matching", R"({"text1": "a", "text2": "b", "mode": "other"})", 422, "OPTION_RANGE",
     "/mode"},
    {"/api/reading", R"({"text": "a"})", 422, "SCHEMA_MISSING", ""},
    {"/api/reading", R"({"text": "a", "question": 5})", 422, "OPTION_TYPE", "/question"},
    {"/api/analyze", R"({"text": "a"})", 400, "TASK_UNKNOWN", "/task"},
    {"/api/analyze", R"({"text": "a", "task": "poetry"})", 400, "TASK_UNKNOWN", "/task"},
    {"/api/analyze", R"({"text": "a", "tasks": []})", 400, "BATCH_EMPTY", "/tasks"},
    {"/api/analyze", R"({"text": "a", "tasks": 5})", 422, "OPTION_TYPE", "/tasks"},
    {"/api/analyze", R"({"text": "a", "tasks": [5]})", 400, "TASK_UNKNOWN", "/tasks/0"},
    {"/api/analyze", R"({"text": "a", "tasks": ["ner", "ner"]})", 422, "FIELD_CONFLICT",
     "/tasks/1"},
    {"/api/analyze", R"({"text": "a", "task": "ner", "tasks": ["ner"]})", 422, "FIELD_CONFLICT",
     "/tasks"},
    {"/api/batch", R"({"task": "ner"})", 422, "TEXT_MISSING", "/texts"},
    {"/api/batch", R"({"task": "ner", "texts": []})", 400, "BATCH_EMPTY", "/texts"},
    {"/api/batch", R"({"task": "ner", "texts": "a"})", 422, "OPTION_TYPE", "/texts"},
    {"/api/batch", R"({"task": "ner", "texts": ["a"], "text": "b"})", 422, "FIELD_CONFLICT",
     "/texts"},
    {"/api/batch", R"({"task": "ner", "texts": ["a"], "inputs": ["b"]})", 422, "FIELD_CONFLICT",
     "/inputs"},
    {"/api/schema/validate", "{}", 422, "SCHEMA_MISSING", "/schema"},
    {"/api/schema/validate", R"({"schema": 5})", 422, "SCHEMA_BAD_VALUE", "/schema"},
    {"/api/tokenize", "{}", 422, "TEXT_MISSING", "/text"},
    {"/nlu", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/labels"},
    {"/nlu", R"({"text": "a", "labels": "b"})", 422, "OPTION_TYPE", "/labels"},
    {"/predict", R"({"text": "a"})", 422, "SCHEMA_MISSING", "/schema"},
    {"/v2/models/rexuninlu/infer", "{}", 400, "REQUEST_INVALID", "/inputs"},
    {"/v2/models/other/infer", "{}", 404, "MODEL_UNKNOWN", "model"},
};

TEST(Errors, BadBodiesAreAnsweredWithCodeAndPlace) {
  for (const BadBody& bad : kBadBodies) {
    SCOPED_TRACE(std::string(bad.path) + " " + bad.body.substr(0, 80));
    expect_error(shared_service().post(bad.path, bad.body), bad.status, bad.code, bad.param);
  }
}

TEST(Errors, AboveALimitTheAnswerIs413) {
  const ServiceUnderTest service([](config::Settings& s) {
    s.server.max_body_bytes = 100'000;
    s.limits.max_batch_texts = 3;
    s.limits.max_text_chars = 100;
    s.limits.max_labels = 5;
    s.gpu.memory_budget_mb = 1;
    s.server.max_concurrent_requests = 2;
  });
  expect_error(service.post("/api/ner", std::string(100'001, ' ')), 413, "BODY_TOO_LARGE", "body");
  expect_error(
      service.post("/api/batch",
                   Json{{"task", "ner"}, {"labels", {"a"}}, {"texts", {"a", "b", "c", "d"}}}),
      413, "BATCH_TOO_LARGE", "/texts");
  expect_error(service.post("/api/ner", Json{{"text", std::string(101, 'a')}, {"labels", {"a"}}}),
               413, "TEXT_TOO_LONG", "/text");
  expect_error(service.post("/api/tokenize", Json{{"text", std::string(101, 'a')}}), 413,
               "TEXT_TOO_LONG", "/text");
  expect_error(
      service.post("/api/ner", Json{{"text", "a"}, {"labels", {"a", "b", "c", "d", "e", "f"}}}),
      413, "TOO_MANY_LABELS", "/labels");
  std::string long_label;
  for (int i = 0; i < 200; ++i) long_label += "签";
  expect_error(service.post("/api/ner", Json{{"text", "a"},
                                             {"schema", std::vector<std::string>(4, long_label)}}),
               422, "LABEL_TOO_LONG", "/schema/签");
}

TEST(Errors, WorkThatNeverFitsIsRefusedAndWorkThatDoesNotFitNowGets503) {
  const ServiceUnderTest service([](config::Settings& s) {
    s.gpu.estimate = "legacy";
    s.gpu.memory_budget_mb = 130;
    s.inference.queue_timeout_s = 0.05;
    s.single_flight = false;
    s.server.max_concurrent_requests = 4;
  });
  const Json large = {{"text", "周慧敏"}, {"labels", {"人物", "地理位置"}}};
  expect_error(service.post("/api/ner", large), 413, "WORK_TOO_LARGE");
  std::string text;
  for (int i = 0; i < 600; ++i) text += "周慧敏在武汉工作。";
  auto running = std::async(std::launch::async, [&] {
    return service.post("/api/ner", Json{{"text", text}, {"labels", {"人物"}}});
  });
  const std::string free = "rex_memory_bytes{kind=\"requests\"} 0\n";
  while (service.get("/metrics").body.find(free) != std::string::npos &&
         running.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
  }
  const Answer refused = service.post("/api/ner", Json{{"text", "张伟"}, {"labels", {"人物"}}});
  expect_error(refused, 503, "GPU_MEMORY_EXHAUSTED");
  EXPECT_EQ(refused.json["error"], "GPU memory exhausted");
  EXPECT_EQ(running.get().status, 200);
  EXPECT_EQ(service.post("/api/ner", Json{{"text", "张伟"}, {"labels", {"人物"}}}).status, 200);
}

TEST(Errors, ARequestWhoseAnswerOutgrowsTheMemoryGets503AndGivesAllBack) {
  const ServiceUnderTest service([](config::Settings& s) { s.gpu.memory_budget_mb = 3; });
  std::string text;
  for (int i = 0; i < 200; ++i) text += "周慧敏在武汉工作。";
  const Json body = {{"text", text},
                     {"labels", {"人物", "地理位置", "组织机构"}},
                     {"options", {{"threshold", 1e-9}}}};
  expect_error(service.post("/api/ner", body), 503, "GPU_MEMORY_EXHAUSTED");
  EXPECT_THAT(service.get("/metrics").body, HasSubstr("rex_memory_bytes{kind=\"requests\"} 0\n"));
  EXPECT_EQ(service.post("/api/ner", Json{{"text", "张伟"}, {"labels", {"人物"}}}).status, 200);
}

TEST(Errors, AFaultInsideGets500OrMemory503AndTheServiceGoesOn) {
  pipeline::StandIn stand_in({{"", "人物", "周慧敏"}}, "在武汉工作。");
  const ServiceUnderTest service({}, [&]() -> Result<std::unique_ptr<pipeline::Pipeline>> {
    return std::move(stand_in.pipeline);
  });
  auto& before_batch = stand_in.log->before_batch;
  const Json body = {{"text", "周慧敏在武汉工作。"}, {"labels", {"人物"}}};
  const std::string sound = service.post("/api/ner", body).json["output"].dump();
  EXPECT_THAT(sound, HasSubstr("周慧敏"));
  before_batch = []() -> Result<void> { throw InternalError("a test's fault"); };
  expect_error(service.post("/api/ner", body), 500, "INTERNAL");
  expect_error(service.post("/predict", body), 500, "INTERNAL");
  before_batch = []() -> Result<void> { throw std::bad_alloc(); };
  expect_error(service.post("/api/ner", body), 503, "MEMORY_EXHAUSTED");
  const Answer batch = service.post(
      "/api/batch", Json{{"task", "ner"}, {"labels", {"人物"}}, {"texts", {"周慧敏", "武汉"}}});
  EXPECT_THAT(batch.body, HasSubstr("MEMORY_EXHAUSTED"));
  before_batch = [] { return Result<void>(); };
  EXPECT_EQ(service.post("/api/ner", body).json["output"].dump(), sound);
  EXPECT_THAT(service.get("/metrics").body, HasSubstr("rex_memory_bytes{kind=\"requests\"} 0\n"));
}

TEST(Errors, PastItsTimeARequestGets503) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "周慧敏在武汉工作。";
  const Json body = {{"text", text}, {"labels", {"人物"}}, {"options", {{"timeout_ms", 20}}}};
  expect_error(shared_service().post("/api/ner", body), 503, "REQUEST_TIMEOUT");
  Json slow = body;
  slow.erase("options");
  expect_error(shared_service().post("/api/ner", slow, {{"X-Timeout-Ms", "20"}}), 503,
               "REQUEST_TIMEOUT");
  expect_error(shared_service().post("/api/ner", slow, {{"X-Timeout-Ms", "soon"}}), 422,
               "OPTION_RANGE", "X-Timeout-Ms");
}

TEST(Errors, AFullQueueGets429AndAnOldRequest503) {
  const ServiceUnderTest service([](config::Settings& s) {
    s.server.max_concurrent_requests = 1;
    s.server.queue_capacity = 2;
    s.inference.queue_timeout_s = 0.05;
  });
  std::string text;
  for (int i = 0; i < 600; ++i) text += "周慧敏在武汉工作。";
  auto running = std::async(std::launch::async, [&] {
    return service.post("/api/ner", Json{{"text", text}, {"labels", {"人物"}}}).status;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::vector<std::future<Answer>> waiting;
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(std::async(std::launch::async, [&service, i] {
      return service.post("/api/ner",
                          Json{{"text", "张伟" + std::to_string(i)}, {"labels", {"人物"}}});
    }));
  }
  int full = 0, late = 0;
  for (auto& one : waiting) {
    const Answer answer = one.get();
    if (answer.status == 429) ++full, expect_error(answer, 429, "QUEUE_FULL");
    if (answer.status == 503) ++late, expect_error(answer, 503, "QUEUE_TIMEOUT");
  }
  EXPECT_EQ(full, 4);
  EXPECT_EQ(late, 2);
  EXPECT_EQ(running.get(), 200);
}

TEST(Errors, RoutesMethodsTypesAndParameters) {
  const ServiceUnderTest& service = shared_service();
  const Json body = {{"text", "a"}, {"labels", {"a"}}};
  expect_error(service.get("/api/nothing"), 404, "ROUTE_UNKNOWN", "/api/nothing");
  const Answer method = service.get("/api/ner");
  expect_error(method, 405, "METHOD_NOT_ALLOWED");
  EXPECT_EQ(method.header("Allow"), "POST");
  expect_error(service.post("/healthz", body), 405, "METHOD_NOT_ALLOWED");
  expect_error(service.post("/api/ner", body.dump(), {}, "image/png"), 415, "CONTENT_TYPE");
  expect_error(service.post("/api/ner", body, {{"Accept", "text/html"}}), 406, "NOT_ACCEPTABLE",
               "Accept");
  expect_error(service.post("/api/ner?mode=fast", body), 400, "QUERY_INVALID", "mode");
  expect_error(service.get("/api/presets/none"), 404, "PRESET_UNKNOWN");
  expect_error(service.get("/v2/models/rexuninlu/versions/9"), 404, "MODEL_UNKNOWN", "version");
}

std::string hash_of(const std::string& key) {
  unsigned char bytes[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), bytes);
  std::string hex;
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return hex;
}

TEST(Keys, AreAskedForWithRolesAndRates) {
  const TempDir dir;
  const auto file = dir.write("keys", "# keys\nalice infer,debug " + hash_of("a-key") +
                                          "\nbob metrics " + hash_of("b-key") + "\n");
  const ServiceUnderTest service([&](config::Settings& s) {
    s.auth.keys_file = file.string();
    s.auth.requests_per_minute = 60;
    s.auth.burst = 3;
  });
  const Json body = {{"text", "周慧敏"}, {"labels", {"人物"}}};
  expect_error(service.post("/api/ner", body), 401, "KEY_MISSING");
  expect_error(service.post("/api/ner", body, {{"X-API-Key", "wrong"}}), 401, "KEY_INVALID");
  expect_error(service.post("/api/ner", body, {{"X-API-Key", "b-key"}}), 403, "FORBIDDEN");
  expect_error(service.get("/metrics", {{"X-API-Key", "a-key"}}), 403, "FORBIDDEN");
  EXPECT_EQ(service.get("/metrics", {{"X-API-Key", "b-key"}}).status, 200);
  EXPECT_EQ(service.get("/healthz").status, 200);
  EXPECT_EQ(service.post("/api/ner?mode=debug", body, {{"Authorization", "Bearer a-key"}}).status,
            200);
  const Answer second = service.post("/api/ner", body, {{"Authorization", "Bearer a-key"}});
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.header("X-RateLimit-Limit"), "60");
  EXPECT_EQ(second.header("X-RateLimit-Remaining"), "1");
  EXPECT_EQ(service.post("/api/ner", body, {{"X-API-Key", "a-key"}}).status, 200);
  expect_error(service.post("/api/ner", body, {{"X-API-Key", "a-key"}}), 429, "RATE_LIMIT");
}

TEST(Keys, DebugModeCanBeOff) {
  const ServiceUnderTest service([](config::Settings& s) { s.debug_enabled = false; });
  expect_error(service.post("/api/ner?mode=debug", Json{{"text", "a"}, {"labels", {"a"}}}), 403,
               "DEBUG_DISABLED");
}

TEST(Keys, OriginsAreOffByDefaultAndListedOnesAreAllowed) {
  const httplib::Headers origin = {{"Origin", "https://example.org"}};
  EXPECT_EQ(shared_service().get("/version", origin).header("Access-Control-Allow-Origin"), "");
  const ServiceUnderTest service(
      [](config::Settings& s) { s.server.cors_origins = {"https://example.org"}; });
  EXPECT_EQ(service.get("/version", origin).header("Access-Control-Allow-Origin"),
            "https://example.org");
  EXPECT_EQ(service.get("/version", {{"Origin", "https://other.org"}})
                .header("Access-Control-Allow-Origin"),
            "");
}

TEST(Presets, GiveSchemaAndOptionsThatTheBodyCanReplace) {
  const TempDir dir;
  dir.write("people.json", R"({"task": "ner", "schema": ["人物"], "description": "names"})");
  const ServiceUnderTest service([&](config::Settings& s) { s.presets_dir = dir.path().string(); });
  EXPECT_EQ(service.get("/api/presets").json["presets"][0]["name"], "people");
  EXPECT_EQ(service.get("/api/presets/people").json["schema"].dump(), R"(["人物"])");
  const Answer answer =
      service.post("/api/ner", Json{{"text", "周慧敏在武汉"}, {"preset", "people"}});
  EXPECT_EQ(answer.json["output"][0][0]["span"], "周慧敏") << answer.body;
  EXPECT_EQ(
      service
          .post("/api/ner",
                Json{{"text", "周慧敏在武汉"}, {"preset", "people"}, {"labels", {"地理位置"}}})
          .json["output"][0][0]["span"],
      "武汉");
}

TEST(Profiles, TheArticlesValuesAreAProfileOfSettingsAndRequests) {
  const ServiceUnderTest service(
      [](config::Settings& s) { s.task_options["ner"] = {{"max_span_num", 1}}; });
  const Json body = {{"text", "周慧敏和张伟在武汉"}, {"labels", {"人物"}}};
  EXPECT_EQ(service.post("/api/ner", body).json["output"].size(), 1U);
  EXPECT_EQ(shared_service().post("/api/ner", body).json["output"].size(), 2U);
  Json articles = body;
  articles["options"] = {{"profile", "articles"}};
  EXPECT_EQ(shared_service().post("/api/ner", articles).status, 200);
}

}  // namespace
}  // namespace rex::http_test

// Clients of other services: the original's form, /nlu, Open Inference Protocol; the description
// of the interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "http/service_under_test.h"
#include "server/route.h"

namespace rex::http_test {
namespace {

TEST(Compat, PredictTakesTheOriginalsFormAndMarkers) {
  const Json body = {{"text", "周慧敏在武汉工作。"}, {"schema", R"({"人物": null})"}};
  const Answer answer = shared_service().post("/predict", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json.size(), 1U);
  EXPECT_EQ(answer.json["output"][0][0]["type"], "人物");
  EXPECT_EQ(answer.json["output"][0][0]["offset"].dump(), "[0,3]");
  EXPECT_EQ(shared_service()
                .post("/api/predict",
                      Json{{"input", "周慧敏"}, {"extraction_schema", {{"人物", nullptr}}}})
                .json["output"]
                .size(),
            1U);

  const Json labels = {{"体育", nullptr}, {"财经", nullptr}};
  const Answer one = shared_service().post(
      "/predict", Json{{"text", "[CLASSIFY]股市今日大涨"}, {"schema", labels}});
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(one.json["output"].size(), 1U);
  EXPECT_EQ(one.json["output"][0][0]["type"], "财经");
  EXPECT_EQ(shared_service()
                .post("/predict", Json{{"text", "[MULTICLASSIFY]股市今日大涨"}, {"schema", labels}})
                .status,
            200);
}

TEST(Compat, NluGivesIntentAndSlots) {
  const Answer answer = shared_service().post(
      "/nlu",
      Json{{"text", "帮我订一张去武汉的票"}, {"labels", {"订票意图", "退票意图", "地理位置"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["text"], "帮我订一张去武汉的票");
  EXPECT_TRUE(answer.json["intent"]["name"].is_string());
  ASSERT_FALSE(answer.json["slots"].empty());
  EXPECT_EQ(answer.json["slots"][0]["value"], "武汉");
  const Json only =
      shared_service().post("/nlu", Json{{"text", "周慧敏"}, {"slots", {"人物"}}}).json;
  EXPECT_TRUE(only["intent"].is_null());
  EXPECT_EQ(only["slots"][0]["name"], "人物");
}

TEST(V2, MetadataAndReadiness) {
  const ServiceUnderTest& service = shared_service();
  EXPECT_EQ(service.get("/v2").json["name"], "rexuninlu");
  EXPECT_EQ(service.get("/v2/health/live").json["live"], true);
  EXPECT_EQ(service.get("/v2/health/ready").json["ready"], true);
  const Json model = service.get("/v2/models/rexuninlu").json;
  EXPECT_EQ(model["platform"], "rexuninlu_cpu");
  EXPECT_EQ(model["inputs"].size(), 4U);
  EXPECT_EQ(model["outputs"][0].dump(), R"({"name":"result","datatype":"BYTES","shape":[-1]})");
  EXPECT_EQ(service.get("/v2/models/rexuninlu-ner/versions/1").json["inputs"].size(), 3U);
  EXPECT_EQ(service.get("/v2/models/rexuninlu-ner/ready").json["ready"], true);
}

Json tensor(const std::string& name, const Json& data) {
  return {{"name", name}, {"shape", {data.size()}}, {"datatype", "BYTES"}, {"data", data}};
}

TEST(V2, InferAnswersEachElement) {
  const Json body = {
      {"id", "7"},
      {"inputs",
       {tensor("text", {"周慧敏在武汉", "张伟", ""}), tensor("task", Json::array({"ner"})),
        tensor("schema", Json::array({R"({"人物":null})"}))}}};
  const Answer answer = shared_service().post("/v2/models/rexuninlu/infer", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["model_name"], "rexuninlu");
  EXPECT_EQ(answer.json["id"], "7");
  const Json& output = answer.json["outputs"][0];
  EXPECT_EQ(output["shape"].dump(), "[3]");
  EXPECT_EQ(Json::parse(output["data"][0].get<std::string>())["output"][0][0]["span"], "周慧敏");
  EXPECT_EQ(Json::parse(output["data"][1].get<std::string>())["output"][0][0]["span"], "张伟");
  EXPECT_EQ(Json::parse(output["data"][2].get<std::string>())["code"], "TEXT_MISSING");
  const Json one = {{"inputs", {tensor("text", Json::array({"很满意，音质很好"}))}}};
  EXPECT_EQ(shared_service().post("/v2/models/rexuninlu-sentiment/infer", one).status, 200);
}

TEST(V2, MalformedTensorsAre400WithTheirPlace) {
  const auto code = [](const Json& inputs) {
    const Answer answer =
        shared_service().post("/v2/models/rexuninlu-ner/infer", Json{{"inputs", inputs}});
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_TRUE(answer.json["error"].is_string());
    return answer.json.value("param", "");
  };
  Json text = tensor("text", Json::array({"a"}));
  Json wrong = text;
  wrong["shape"] = {2};
  EXPECT_EQ(code(Json::array({wrong})), "/inputs/0/data");
  wrong = text;
  wrong["datatype"] = "FP32";
  EXPECT_EQ(code(Json::array({wrong})), "/inputs/0/datatype");
  wrong = text;
  wrong["data"] = {5};
  EXPECT_EQ(code(Json::array({wrong})), "/inputs/0/data/0");
  wrong = text;
  wrong["shape"] = "1";
  EXPECT_EQ(code(Json::array({wrong})), "/inputs/0/shape");
  EXPECT_EQ(code(Json::array({text, tensor("colour", Json::array({"a"}))})), "/inputs/1/name");
  EXPECT_EQ(code(Json::array({text, text})), "/inputs/1");
  EXPECT_EQ(code(5), "/inputs");
}

// Every $ref of a document points to something.
void check_references(const Json& node, const Json& root) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string target = node["$ref"].get<std::string>();
    ASSERT_EQ(target.substr(0, 2), "#/");
    EXPECT_TRUE(root.contains(Json::json_pointer(target.substr(1)))) << target;
  }
  if (node.is_structured()) {
    for (const Json& child : node) check_references(child, root);
  }
}

TEST(OpenApi, DescribesEveryRouteAndNothingElse) {
  const Json api = shared_service().get("/openapi.json").json;
  EXPECT_EQ(api["openapi"], "3.0.3");
  size_t operations = 0;
  std::set<std::string> ids;
  for (const auto& [path, item] : api["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      ++operations;
      EXPECT_TRUE(ids.insert(operation["operationId"]).second) << path;
      EXPECT_TRUE(operation["responses"].contains("200")) << path;
      EXPECT_FALSE(operation["summary"].get<std::string>().empty()) << path;
    }
  }
  EXPECT_EQ(operations, server::routes().size());
  for (const server::Route& route : server::routes()) {
    EXPECT_TRUE(
        api["paths"][std::string(route.pattern)].contains(route.method == "GET" ? "get" : "post"));
  }
  check_references(api, api);
}

}  // namespace
}  // namespace rex::http_test

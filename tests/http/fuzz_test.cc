// Requests made from /openapi.json, right ones and broken ones: no input gives a 500, every error
// has the one shape, every answer has the fields that its schema demands.
//
// REX_TEST_FUZZ sets the number of requests.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "http/service_under_test.h"

namespace rex::http_test {
namespace {

class Maker {
 public:
  Maker(const Json& api, uint32_t seed) : api_(api), random_(seed) {}

  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  bool one_in(size_t n) { return below(n) == 0; }

  // A value for a schema; now and then one that does not fit.
  Json value(const Json& schema, int depth = 0) {
    if (schema.contains("$ref")) {
      return value(api_[Json::json_pointer(schema["$ref"].get<std::string>().substr(1))], depth);
    }
    if (one_in(30)) return anything(depth);
    if (schema.contains("oneOf"))
      return value(schema["oneOf"][below(schema["oneOf"].size())], depth);
    if (schema.contains("enum")) return schema["enum"][below(schema["enum"].size())];
    const std::string type = schema.value("type", "");
    if (type == "string") return text();
    if (type == "boolean") return one_in(2);
    if (type == "integer") return static_cast<int64_t>(below(600)) - 20;
    if (type == "number") return static_cast<double>(below(130)) / 100.0 - 0.1;
    if (type == "array") return list(schema, depth);
    if (type == "object") return object(schema, depth);
    return anything(depth);
  }

 private:
  std::string text() {
    static const std::vector<std::string> kTexts = {"周慧敏在武汉工作。",
                                                    "很满意，音质很好，发货速度快",
                                                    "",
                                                    " ",
                                                    "人物",
                                                    "ner",
                                                    "sentiment",
                                                    "它",
                                                    "👩‍👩‍👧‍👦🌅",
                                                    "[CLASSIFY]",
                                                    "a/b~c",
                                                    "similar",
                                                    "\u0000",
                                                    "段落1：甲；段落2：乙"};
    return kTexts[below(kTexts.size())];
  }
  Json anything(int depth) {
    switch (below(depth > 4 ? 5 : 7)) {
      case 0: return nullptr;
      case 1: return one_in(2);
      case 2: return static_cast<int64_t>(below(1000)) - 500;
      case 3: return 1e300;
      case 4: return text();
      case 5: {
        Json all = Json::array();
        for (size_t i = below(3); i > 0; --i) all.push_back(anything(depth + 1));
        return all;
      }
      default: {
        Json all = Json::object();
        for (size_t i = below(3); i > 0; --i) all[text()] = anything(depth + 1);
        return all;
      }
    }
  }
  Json list(const Json& schema, int depth) {
    Json all = Json::array();
    for (size_t i = below(4); i > 0; --i) {
      all.push_back(schema.contains("items") ? value(schema["items"], depth + 1)
                                             : anything(depth + 1));
    }
    return all;
  }
  Json object(const Json& schema, int depth) {
    Json all = Json::object();
    if (schema.contains("properties")) {
      for (const auto& [name, property] : schema["properties"].items()) {
        if (one_in(name == "text" ? 1 : 4)) all[name] = value(property, depth + 1);
      }
      if (schema.contains("required")) {
        for (const Json& name : schema["required"]) {
          if (!one_in(20))
            all[name.get<std::string>()] =
                value(schema["properties"][name.get<std::string>()], depth + 1);
        }
      }
    } else {
      for (size_t i = below(3); i > 0; --i) all[text()] = one_in(2) ? Json() : anything(depth + 1);
    }
    return all;
  }

  const Json& api_;
  std::mt19937 random_;
};

std::string encoded(const std::string& path) {
  std::string text;
  for (const char c : path) {
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
    text += static_cast<signed char>(c) < 0 ? std::string(escape) : std::string(1, c);
  }
  return text;
}

// The first member that a schema requires and that is not there; of several forms, of the best.
std::string missing_member(const Json& api, const Json& schema, const Json& value) {
  if (schema.contains("$ref")) {
    const std::string target = schema["$ref"].get<std::string>();
    return missing_member(api, api[Json::json_pointer(target.substr(1))], value);
  }
  std::string missing;
  for (const Json& form : schema.value("oneOf", Json::array())) {
    missing = missing_member(api, form, value);
    if (missing.empty()) return {};
  }
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return name.get<std::string>();
  }
  return missing;
}

void expect_members(const Json& api, const Json& schema, const Json& value,
                    const std::string& where) {
  EXPECT_EQ(missing_member(api, schema, value), "") << where << ": " << value.dump().substr(0, 500);
}

TEST(Fuzz, NoRequestGives500AndEveryErrorHasTheOneShape) {
  const ServiceUnderTest service([](config::Settings& s) { s.inference.request_timeout_s = 20; });
  const Json api = service.get("/openapi.json").json;
  const char* given = std::getenv("REX_TEST_FUZZ");
  const int count = given == nullptr ? 400 : std::atoi(given);
  std::vector<std::pair<std::string, Json>> operations;
  for (const auto& [path, item] : api["paths"].items()) {
    if (item.contains("post")) operations.emplace_back(path, item["post"]);
  }
  Maker maker(api, 20240501);
  httplib::Client client("127.0.0.1", service.port());
  client.set_keep_alive(true);
  client.set_read_timeout(60);
  int good = 0;
  for (int i = 0; i < count; ++i) {
    auto [path, operation] = operations[maker.below(operations.size())];
    if (const size_t brace = path.find("{model}"); brace != std::string::npos)
      path.replace(brace, 7, "rexuninlu");
    if (const size_t brace = path.find("{version}"); brace != std::string::npos)
      path.replace(brace, 9, "1");
    const Json schema = operation["requestBody"]["content"]["application/json"]["schema"];
    std::string body = maker.value(schema).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (maker.one_in(15)) body.resize(maker.below(body.size() + 1));
    if (maker.one_in(15) && !body.empty())
      body[maker.below(body.size())] = static_cast<char>(maker.below(256));
    const auto answer = client.Post(encoded(path), body, "application/json");
    ASSERT_TRUE(answer) << path << " " << body;
    ASSERT_NE(answer->status, 500) << path << " " << body << " " << answer->body;
    const Json json = Json::parse(answer->body, nullptr, false);
    ASSERT_TRUE(json.is_object()) << path << " " << body << " " << answer->body;
    const std::string status = std::to_string(answer->status);
    EXPECT_TRUE(operation["responses"].contains(status) || answer->status == 404)
        << path << " " << status << " " << body;
    if (answer->status == 200) {
      ++good;
      expect_members(api, operation["responses"]["200"]["content"]["application/json"]["schema"],
                     json, path);
    } else {
      expect_members(api, api["components"]["schemas"]["Error"], json, path);
    }
  }
  EXPECT_GT(good, count / 40);
  EXPECT_EQ(service.get("/readyz").status, 200);
}

}  // namespace
}  // namespace rex::http_test

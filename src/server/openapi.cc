// GET /openapi.json, made from the table of routes, and GET /docs, the same for people.
#include <set>

#include "server/error_body.h"
#include "server/openapi_schemas.h"
#include "server/route.h"
#include "server/state.h"

namespace rex::server {
namespace {

Json reference(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

Json content(std::string_view schema, std::string_view type = "application/json") {
  return {{type, {{"schema", reference(schema)}}}};
}

// Statuses that a route can answer beside 200.
std::vector<int> error_statuses(const Route& route) {
  if (route.role == Role::kOpen) return {503};
  std::vector<int> all = {401, 403, 429, 503};
  if (!route.body.empty()) all.insert(all.begin(), {400, 406, 408, 413, 415, 422, 500});
  if (route.pattern.find('{') != std::string_view::npos) all.push_back(404);
  return all;
}

std::string operation_id(const Route& route) {
  std::string id(route.method == "GET" ? "get" : "post");
  for (const char c : route.pattern) {
    if (c == '{' || c == '}') continue;
    id += c == '/' || c == '.' || c == '-' ? '_' : c;
  }
  return id;
}

Json operation(const Route& route) {
  Json json = {{"operationId", operation_id(route)},
               {"summary", route.summary},
               {"responses", Json::object()}};
  Json parameters = Json::array();
  std::string_view rest = route.pattern;
  while ((rest = rest.substr(std::min(rest.size(), rest.find('{')))).size() > 0) {
    const std::string_view name = rest.substr(1, rest.find('}') - 1);
    rest.remove_prefix(name.size());
    parameters.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  if (route.task != nullptr || route.pattern == "/api/analyze") {
    parameters.push_back({{"name", "mode"},
                          {"in", "query"},
                          {"description", "debug: prompts, links, memory plan in the answer"},
                          {"schema", {{"type", "string"}, {"enum", {"debug"}}}}});
  }
  if (!parameters.empty()) json["parameters"] = std::move(parameters);
  if (!route.body.empty()) {
    json["requestBody"] = {{"required", true}, {"content", content(route.body)}};
  }
  Json good = {{"description", "good"}};
  if (!route.answer.empty()) {
    good["content"] = content(route.answer);
    if (route.pattern == "/api/batch") {
      good["content"]["application/x-ndjson"] = {{"schema", {{"type", "string"}}}};
    }
  } else {
    good["content"] = {{route.pattern == "/docs" ? "text/html" : "text/plain",
                        {{"schema", {{"type", "string"}}}}}};
  }
  json["responses"]["200"] = std::move(good);
  for (const int status : error_statuses(route)) {
    json["responses"][std::to_string(status)] = {{"description", error_type(status)},
                                                 {"content", content("Error")}};
  }
  if (route.role == Role::kOpen) json["security"] = Json::array();
  return json;
}

Json document(const State& state) {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    paths[std::string(route.pattern)][route.method == "GET" ? "get" : "post"] = operation(route);
  }
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "RexUniNLU"},
            {"version", state.version},
            {"description", "Chinese text understanding by schemas: eleven tasks, one model."}}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", openapi_schemas()},
            {"securitySchemes",
             {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}},
              {"key", {{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}}}}}},
          {"security", Json::array({Json::object(), Json{{"bearer", Json::array()}},
                                    Json{{"key", Json::array()}}})}};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Outcome answer_openapi(Call& call) {
  return json_response(call, document(call.state));
}

Outcome answer_docs(Call& /*call*/) {
  std::string page =
      "<!doctype html>\n<html lang=\"zh\"><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>RexUniNLU API</title>\n"
      "<style>body{font-family:sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
      "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;"
      "border-bottom:1px solid #ccc;vertical-align:top}code,pre{font-family:monospace}"
      "pre{background:#f4f4f4;padding:.6rem;overflow-x:auto}</style>\n"
      "<h1>RexUniNLU API</h1>\n<p>机器可读的说明 / for programs: <a href=\"openapi.json\">"
      "openapi.json</a></p>\n<table><tr><th>method<th>path<th>what</tr>\n";
  for (const Route& route : routes()) {
    page += "<tr><td>" + std::string(route.method) + "<td><code>" + escaped(route.pattern) +
            "</code><td>" + escaped(route.summary) +
            (route.task != nullptr ? " · " + escaped(route.task->name_zh) : std::string()) +
            "</tr>\n";
  }
  page += "</table>\n<h2>例 / Examples</h2>\n";
  for (const tasks::TaskRow& row : tasks::kTasks) {
    Json body = {{"text", row.example_text}};
    if (!row.example_schema.empty()) body["schema"] = Json::parse(row.example_schema);
    page += "<h3>" + escaped(row.name_zh) + " · " + escaped(row.name_en) +
            "</h3>\n<pre>POST /api/" + std::string(row.name) + "\n" + escaped(body.dump()) +
            "</pre>\n";
  }
  page += "</html>\n";
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(page);
  response.headers = {{"X-Content-Type-Options", "nosniff"},
                      {"Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}};
  return response;
}

}  // namespace rex::server

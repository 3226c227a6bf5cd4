#include "server/static_files.h"

#include <zlib.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace rex::server {
namespace {

constexpr uintmax_t kMostBytes = uintmax_t{16} << 20;

constexpr const char* kBuiltIn =
    R"html(<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>RexUniNLU</title>
<h1>RexUniNLU</h1>
<p>服务正在运行。接口说明见 <a href="docs">/docs</a>，机器可读的说明见 <a href="openapi.json">/openapi.json</a>。</p>
<p>The service is running. Its routes: <a href="docs">/docs</a>; for programs: <a href="openapi.json">/openapi.json</a>.</p>
<pre>curl http://localhost:7860/api/ner -H 'Content-Type: application/json' \
  -d '{"text": "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。", "labels": ["地理位置", "组织机构"]}'</pre>
</html>
)html";

std::string type_of(const std::string& path) {
  static const std::map<std::string, std::string> kTypes = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json; charset=utf-8"},
      {".map", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".txt", "text/plain; charset=utf-8"},
      {".webmanifest", "application/manifest+json"},
      {".woff2", "font/woff2"}};
  const auto found = kTypes.find(std::filesystem::path(path).extension().string());
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

bool is_text(const std::string& type) {
  return type.find("charset") != std::string::npos || type.find("json") != std::string::npos ||
         type.find("svg") != std::string::npos;
}

std::string gzip(const std::string& content) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (::deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int state = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return state == Z_STREAM_END ? packed : std::string();
}

}  // namespace

StaticFiles StaticFiles::load(const std::filesystem::path& folder) {
  StaticFiles files;
  std::error_code error;
  if (!folder.empty()) {
    for (std::filesystem::recursive_directory_iterator entry(folder, error), end; entry != end;
         entry.increment(error)) {
      if (error || !entry->is_regular_file(error) || entry->is_symlink(error)) continue;
      if (entry->file_size(error) > kMostBytes) continue;
      std::ifstream in(entry->path(), std::ios::binary);
      std::stringstream content;
      content << in.rdbuf();
      files.add("/" + std::filesystem::relative(entry->path(), folder, error).generic_string(),
                content.str());
    }
  }
  if (!files.files_.contains("/index.html")) files.add("/index.html", kBuiltIn);
  return files;
}

void StaticFiles::add(const std::string& path, std::string content) {
  File file;
  file.type = type_of(path);
  std::array<char, 40> tag{};
  std::snprintf(tag.data(), tag.size(), "\"%zx-%016zx\"", content.size(),
                std::hash<std::string>{}(content));
  file.etag = tag.data();
  if (is_text(file.type) && content.size() > 512) file.gzip = gzip(content);
  file.plain = std::move(content);
  file.lasting = path.starts_with("/assets/");
  files_[path] = std::move(file);
}

const StaticFiles::File* StaticFiles::find(const std::string& path) const {
  const auto found = files_.find(path == "/" ? "/index.html" : path);
  return found == files_.end() ? nullptr : &found->second;
}

http::Response StaticFiles::answer(const http::Request& request) const {
  const File& file = *find(request.path);
  http::Response response;
  response.content_type = file.type;
  response.headers = {
      {"ETag", file.etag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", file.lasting ? "public, max-age=31536000, immutable" : "no-cache"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Content-Security-Policy",
       "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
       "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"}};
  if (const auto known = request.header("If-None-Match"); known && *known == file.etag) {
    response.status = 304;
    return response;
  }
  const auto encodings = request.header("Accept-Encoding");
  if (!file.gzip.empty() && encodings && encodings->find("gzip") != std::string_view::npos) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = file.gzip;
  } else {
    response.body = file.plain;
  }
  return response;
}

}  // namespace rex::server

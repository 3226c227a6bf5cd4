#include "model/files/foreign_file.h"

#include <algorithm>

#include "model/files/bytes.h"

namespace rex::model {
namespace {

// PROTO 2, LONG1 of ten bytes: the magic number of torch.save before version 1.6.
constexpr std::string_view kOldTorch("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19",
                                     14);

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool printed = byte >= 0x20 && byte != 0x7F && byte < 0xF8;  // UTF-8 has none above
    return printed || byte == '\n' || byte == '\r' || byte == '\t';
  });
}

}  // namespace

std::string_view describe_foreign_file(std::span<const std::byte> file) {
  const std::string_view head = as_text(file.first(std::min<size_t>(file.size(), 64)));
  if (head.empty()) return "the file is empty";
  if (head.starts_with("version https://git-lfs")) {
    return "this is a Git LFS pointer, not the checkpoint; fetch the real file with git lfs pull";
  }
  if (head.starts_with(kOldTorch)) {
    return "this is torch's format before version 1.6, which is not read; load it with torch and "
           "save it again, or convert it to safetensors";
  }
  if (head.starts_with("PK\x03\x04")) {
    return "this is a zip archive; if it is a torch checkpoint, name it pytorch_model.bin";
  }
  if (head.starts_with("\x1f\x8b")) return "this is a gzip archive; unpack it first";
  if (head.size() > 8 && head[8] == '{' && head.substr(3, 5) == std::string_view("\0\0\0\0\0", 5)) {
    return "this is a safetensors file; name it model.safetensors";
  }
  if (head.front() == '\x80')
    return "this is a bare pickle, not a checkpoint that torch.save wrote";
  if (!is_text(head)) return {};
  const size_t first = head.find_first_not_of(" \r\n\t");
  if (first != std::string_view::npos && head[first] == '<') {
    return "this is a web page, not the checkpoint; the download went wrong";
  }
  if (first != std::string_view::npos && head[first] == '{') {
    return "this is JSON text, not the checkpoint";
  }
  return "this is text, not the checkpoint";
}

}  // namespace rex::model

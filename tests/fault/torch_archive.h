// Makes torch checkpoints, right and wrong ones, byte by byte: a zip archive of stored entries
// around a pickle. For tests of the readers; knows nothing of their code.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rex {

template <class Number>
std::string little_endian(Number value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::span<const std::byte> raw_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

struct ArchiveEntry {
  std::string name;
  std::string bytes;
  uint16_t method = 0;  // 8: claims to be deflated
  uint16_t flags = 0;   // 1: claims to be encrypted
};

// A zip archive of these entries; with zip64 records that carry all sizes when `zip64`.
inline std::string make_zip(const std::vector<ArchiveEntry>& entries, bool zip64 = false) {
  const auto u16 = [](size_t value) { return little_endian(static_cast<uint16_t>(value)); };
  const auto u32 = [](size_t value) { return little_endian(static_cast<uint32_t>(value)); };
  const auto u64 = [](size_t value) { return little_endian(static_cast<uint64_t>(value)); };
  std::string file, directory;
  for (const ArchiveEntry& entry : entries) {
    const size_t offset = file.size(), size = entry.bytes.size();
    file += "PK\x03\x04" + u16(45) + u16(entry.flags) + u16(entry.method) + u32(0) + u32(0) +
            u32(size) + u32(size) + u16(entry.name.size()) + u16(0) + entry.name + entry.bytes;
    const std::string extra =
        zip64 ? u16(1) + u16(24) + u64(size) + u64(size) + u64(offset) : std::string();
    const uint32_t wide = 0xFFFFFFFF;
    directory += "PK\x01\x02" + u16(45) + u16(45) + u16(entry.flags) + u16(entry.method) + u32(0) +
                 u32(0) + u32(zip64 ? wide : size) + u32(zip64 ? wide : size) +
                 u16(entry.name.size()) + u16(extra.size()) + u16(0) + u16(0) + u16(0) + u32(0) +
                 u32(zip64 ? wide : offset) + entry.name + extra;
  }
  const size_t start = file.size(), count = entries.size();
  file += directory;
  if (zip64) {
    const size_t end64 = file.size();
    file += "PK\x06\x06" + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(count) + u64(count) +
            u64(directory.size()) + u64(start);
    file += "PK\x06\x07" + u32(0) + u64(end64) + u32(1);
    return file + "PK\x05\x06" + u16(0) + u16(0) + u16(0xFFFF) + u16(0xFFFF) + u32(0xFFFFFFFF) +
           u32(0xFFFFFFFF) + u16(0);
  }
  return file + "PK\x05\x06" + u16(0) + u16(0) + u16(count) + u16(count) + u32(directory.size()) +
         u32(start) + u16(0);
}

// Pieces of a pickle of protocol 2.
namespace pickled {

inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string text(std::string_view value) {
  return "X" + little_endian(static_cast<uint32_t>(value.size())) + std::string(value);
}
inline std::string number(int64_t value) {
  return "\x8a\x08" + little_endian(value);
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
inline std::string numbers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(number(value));
  return tuple(items);
}
inline std::string ordered_dict() {
  return global("collections", "OrderedDict") + ")R";
}
inline std::string whole(std::string_view body) {
  return "\x80\x02" + std::string(body) + ".";
}

struct Tensor {
  std::string name;
  std::vector<int64_t> shape = {};
  std::vector<int64_t> strides = {};
  std::string storage = "FloatStorage";
  std::string key = "0";
  int64_t storage_items = 0;
  int64_t offset = 0;
};

inline std::string tensor(const Tensor& t) {
  const std::string storage = tuple({text("storage"), global("torch", t.storage), text(t.key),
                                     text("cpu"), number(t.storage_items)}) +
                              "Q";
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple({storage, number(t.offset), numbers(t.shape), numbers(t.strides), "\x89",
                ordered_dict()}) +
         "R";
}

inline std::string state_dict(const std::vector<Tensor>& tensors) {
  std::string body = ordered_dict() + "(";
  for (const Tensor& t : tensors) body += text(t.name) + tensor(t);
  return whole(body + "u");
}

}  // namespace pickled

// The archive that torch.save would write for this pickle and these storages ("0", "1", …).
inline std::string make_torch_file(const std::string& pickle,
                                   const std::vector<std::string>& storages, bool zip64 = false) {
  std::vector<ArchiveEntry> entries = {{"archive/data.pkl", pickle}};
  entries.push_back({"archive/byteorder", "little"});
  for (size_t i = 0; i < storages.size(); ++i) {
    entries.push_back({"archive/data/" + std::to_string(i), storages[i]});
  }
  entries.push_back({"archive/version", "3\n"});
  return make_zip(entries, zip64);
}

}  // namespace rex

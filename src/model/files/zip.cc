#include "model/files/zip.h"

#include <cstdint>
#include <optional>
#include <set>

#include "model/files/bytes.h"

namespace rex::model {
namespace {

// Sizes and signatures of the records, from PKWARE's APPNOTE sections 4.3.7 to 4.3.16.
constexpr size_t kLocalBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocator64Bytes = 20;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kSizesFollowData = 8;
constexpr uint16_t kIn64 = 0xFFFF;  // "see the zip64 field"
constexpr uint32_t kIn64Wide = 0xFFFFFFFF;

using Bytes = std::span<const std::byte>;

Failure damaged(const std::string& what, size_t byte) {
  return fail(ErrorCode::kCheckpointInvalid, what + ": the archive is truncated or damaged",
              "byte " + std::to_string(byte));
}

bool lies_inside(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

struct Directory {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t entries = 0;
};

// The end record is the last thing in the file, before a comment of up to 64 KiB.
std::optional<size_t> find_end(Bytes archive) {
  if (archive.size() < kEndBytes) return std::nullopt;
  const size_t last = archive.size() - kEndBytes;
  const size_t first = last > 0xFFFF ? last - 0xFFFF : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (load_number<uint32_t>(archive, at) == kEndSignature &&
        load_number<uint16_t>(archive, at + 20) == last - at) {
      return at;
    }
  }
  return std::nullopt;
}

// The zip64 end record, where a locator before the plain one points to it.
Result<std::optional<size_t>> find_end64(Bytes archive, size_t end) {
  if (end < kLocator64Bytes) return std::nullopt;
  const size_t locator = end - kLocator64Bytes;
  if (load_number<uint32_t>(archive, locator) != kLocator64Signature) return std::nullopt;
  const auto at = load_number<uint64_t>(archive, locator + 8);
  if (!lies_inside(at, kEnd64Bytes, locator) ||
      load_number<uint32_t>(archive, at) != kEnd64Signature) {
    return damaged("the zip64 end record is not where its locator says", locator);
  }
  return at;
}

Result<Directory> find_directory(Bytes archive) {
  const std::optional<size_t> end = find_end(archive);
  if (!end) return damaged("no end of a zip archive was found", archive.size());
  REX_TRY(end64, find_end64(archive, *end));
  const auto disk = load_number<uint16_t>(archive, *end + 4);
  const auto first_disk = load_number<uint16_t>(archive, *end + 6);
  Directory directory = {.offset = load_number<uint32_t>(archive, *end + 16),
                         .bytes = load_number<uint32_t>(archive, *end + 12),
                         .entries = load_number<uint16_t>(archive, *end + 10)};
  if ((disk != 0 && disk != kIn64) || (first_disk != 0 && first_disk != kIn64)) {
    return damaged("it claims to span several disks", *end);
  }
  size_t limit = *end;
  if (end64) {
    limit = *end64;
    if (directory.entries == kIn64) directory.entries = load_number<uint64_t>(archive, limit + 32);
    if (directory.bytes == kIn64Wide) directory.bytes = load_number<uint64_t>(archive, limit + 40);
    if (directory.offset == kIn64Wide)
      directory.offset = load_number<uint64_t>(archive, limit + 48);
  }
  if (!lies_inside(directory.offset, directory.bytes, limit)) {
    return damaged("the directory lies outside the file", *end);
  }
  return directory;
}

// What the directory says about an entry.
struct Listed {
  std::string_view name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint64_t stored_bytes = 0;
  uint64_t plain_bytes = 0;
  uint64_t local_offset = 0;
};

// Field 1 of the extra block holds, in this order, the 64-bit forms of those that are maximal.
Result<void> apply_zip64(Bytes extra, Listed& entry, size_t at) {
  while (extra.size() >= 4) {
    const auto id = load_number<uint16_t>(extra, 0);
    const auto size = load_number<uint16_t>(extra, 2);
    if (size > extra.size() - 4) return damaged("an extra field is too long", at);
    Bytes field = extra.subspan(4, size);
    extra = extra.subspan(4 + size_t{size});
    if (id != 1) continue;
    for (uint64_t* value : {&entry.plain_bytes, &entry.stored_bytes, &entry.local_offset}) {
      if (*value != kIn64Wide) continue;
      if (field.size() < 8) return damaged("a zip64 field is too short", at);
      *value = load_number<uint64_t>(field, 0);
      field = field.subspan(8);
    }
    return {};
  }
  return {};
}

// Reads the record at `at` of the archive and moves `at` behind it.
Result<Listed> read_listed(Bytes archive, const Directory& directory, size_t& at) {
  const size_t end = directory.offset + directory.bytes;
  if (!lies_inside(at, kEntryBytes, end) || load_number<uint32_t>(archive, at) != kEntrySignature) {
    return damaged("the directory has fewer entries than it claims", at);
  }
  const size_t name_bytes = load_number<uint16_t>(archive, at + 28);
  const size_t extra_bytes = load_number<uint16_t>(archive, at + 30);
  const size_t comment_bytes = load_number<uint16_t>(archive, at + 32);
  const size_t name_at = at + kEntryBytes;
  if (!lies_inside(name_at, name_bytes + extra_bytes + comment_bytes, end)) {
    return damaged("an entry of the directory is too long", at);
  }
  Listed entry = {.name = as_text(archive.subspan(name_at, name_bytes)),
                  .flags = load_number<uint16_t>(archive, at + 8),
                  .method = load_number<uint16_t>(archive, at + 10),
                  .stored_bytes = load_number<uint32_t>(archive, at + 20),
                  .plain_bytes = load_number<uint32_t>(archive, at + 24),
                  .local_offset = load_number<uint32_t>(archive, at + 42)};
  REX_TRY_VOID(apply_zip64(archive.subspan(name_at + name_bytes, extra_bytes), entry, at));
  at = name_at + name_bytes + extra_bytes + comment_bytes;
  return entry;
}

Result<void> check_stored(const Listed& entry) {
  if ((entry.flags & kEncrypted) != 0) {
    return fail(ErrorCode::kCheckpointInvalid, "entry " + printable(entry.name) + " is encrypted");
  }
  if (entry.method != 0) {
    return fail(ErrorCode::kCheckpointInvalid,
                "entry " + printable(entry.name) +
                    " is compressed; torch.save stores without compression, so the archive was "
                    "packed again by another program");
  }
  return {};
}

// The entry's bytes, once its local header agrees with the directory.
Result<Bytes> find_bytes(Bytes archive, uint64_t limit, const Listed& entry) {
  const uint64_t at = entry.local_offset;
  if (entry.stored_bytes != entry.plain_bytes || !lies_inside(at, kLocalBytes, limit) ||
      load_number<uint32_t>(archive, at) != kLocalSignature) {
    return damaged("entry " + printable(entry.name) + " is not where the directory says", at);
  }
  const auto flags = load_number<uint16_t>(archive, at + 6);
  const auto local_bytes = load_number<uint32_t>(archive, at + 22);
  const size_t name_bytes = load_number<uint16_t>(archive, at + 26);
  const size_t extra_bytes = load_number<uint16_t>(archive, at + 28);
  const uint64_t data_at = at + kLocalBytes + name_bytes + extra_bytes;
  if (!lies_inside(data_at, entry.plain_bytes, limit)) {
    return damaged("entry " + printable(entry.name) + " reaches beyond the file", at);
  }
  const bool same_size = (flags & kSizesFollowData) != 0 || local_bytes == kIn64Wide ||
                         local_bytes == entry.plain_bytes;
  if (!same_size || as_text(archive.subspan(at + kLocalBytes, name_bytes)) != entry.name) {
    return damaged("entry " + printable(entry.name) + " differs from its directory record", at);
  }
  return archive.subspan(data_at, entry.plain_bytes);
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip(std::span<const std::byte> archive) {
  REX_TRY(directory, find_directory(archive));
  std::vector<ZipEntry> entries;
  std::set<std::string_view> names;
  size_t at = directory.offset;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    REX_TRY(listed, read_listed(archive, directory, at));
    REX_TRY_VOID(check_stored(listed));
    REX_TRY(bytes, find_bytes(archive, directory.offset, listed));
    if (!names.insert(listed.name).second) {
      return damaged("entry " + printable(listed.name) + " stands twice", at);
    }
    entries.push_back({listed.name, bytes});
  }
  if (at != directory.offset + directory.bytes) {
    return damaged("the directory has more entries than it claims", at);
  }
  return entries;
}

}  // namespace rex::model

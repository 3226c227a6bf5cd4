#include "model/packed_model.h"

#include <array>
#include <bit>
#include <cstring>
#include <set>

#include "core/check.h"
#include "core/mapped_file.h"
#include "model/checked_json.h"
#include "model/files/bytes.h"
#include "model/files/foreign_file.h"
#include "model/files/partial_file.h"
#include "model/places.h"

namespace rex::model {
namespace {

constexpr std::string_view kMagic = "REXPACK\n";
constexpr uint32_t kVersion = 1;
constexpr size_t kBodyAlignment = 4096;
constexpr size_t kMaxSections = 4096;

struct Head {
  char magic[8];
  uint32_t version;
  uint32_t directory_bytes;
  uint64_t body_bytes;
  uint64_t body_sum;
  uint64_t directory_sum;
};
static_assert(sizeof(Head) == 40);

size_t rounded(size_t value, size_t step) {
  return (value + step - 1) / step * step;
}

size_t body_begin(size_t directory_bytes) {
  return rounded(sizeof(Head) + directory_bytes, kBodyAlignment);
}

// Four independent chains of multiply and rotate, so that the processor's multiplier is kept busy;
// finds damage, not malice.
class Sum {
 public:
  void add(std::span<const std::byte> bytes) {  // all but the last piece: multiples of 32 bytes
    size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) {
      std::array<uint64_t, 4> words;
      std::memcpy(words.data(), bytes.data() + at, 32);
      for (size_t i = 0; i < 4; ++i) step(i, words[i]);
    }
    for (; at < bytes.size(); ++at) step(0, static_cast<uint64_t>(bytes[at]) + 1);
    length_ += bytes.size();
  }
  [[nodiscard]] uint64_t value() const {
    uint64_t all = length_ * kOdd;
    for (const uint64_t lane : lanes_) all = (std::rotl(all, 29) ^ lane) * kOdd;
    return all ^ all >> 32U;
  }

 private:
  static constexpr uint64_t kOdd = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
  void step(size_t lane, uint64_t word) {
    lanes_[lane] = std::rotl((lanes_[lane] ^ word) * kOdd, 31);
  }
  std::array<uint64_t, 4> lanes_ = {1, 2, 3, 4};
  uint64_t length_ = 0;
};

uint64_t sum_of(std::span<const std::byte> bytes) {
  Sum sum;
  sum.add(bytes);
  return sum.value();
}

Failure invalid(std::string message, std::string place = {}) {
  return fail(ErrorCode::kCheckpointInvalid, std::move(message), std::move(place));
}

Result<std::string> text_of(const Json& directory, const char* key) {
  const auto found = directory.find(key);
  if (found == directory.end() || !found->is_string())
    return invalid("expected a string", std::string("/") + key);
  return found->get<std::string>();
}

Result<PackedSection> read_section(const Json& entry, std::span<const std::byte> body,
                                   const std::string& place) {
  const auto whole = [](const Json& value) { return value.is_number_unsigned(); };
  if (!entry.is_array() || entry.size() != 3 || !entry[0].is_string() || !whole(entry[1]) ||
      !whole(entry[2])) {
    return invalid("expected [name, offset, bytes]", place);
  }
  const auto offset = entry[1].get<uint64_t>(), bytes = entry[2].get<uint64_t>();
  if (offset % kSectionAlignment != 0 || offset > body.size() || bytes > body.size() - offset) {
    return invalid("bytes " + std::to_string(offset) + " and " + std::to_string(bytes) +
                       " more lie outside the body or off its grid",
                   place);
  }
  return PackedSection{entry[0].get<std::string>(), body.subspan(offset, bytes)};
}

Result<PackedModel> read_directory(const Json& directory, std::span<const std::byte> body) {
  PackedModel packed;
  REX_TRY(format, text_of(directory, "format"));
  REX_TRY(precision, text_of(directory, "precision"));
  REX_TRY(config_text, text_of(directory, "config"));
  REX_TRY(config, parse_config(config_text));
  packed.format = std::move(format);
  packed.precision = std::move(precision);
  packed.config = config;
  const auto list = directory.find("sections");
  if (list == directory.end() || !list->is_array() || list->size() > kMaxSections)
    return invalid("expected a list of at most 4096 sections", "/sections");
  std::set<std::string_view> names;
  packed.sections.reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string place = "/sections/" + std::to_string(i);
    REX_TRY(section, read_section((*list)[i], body, place));
    packed.sections.push_back(std::move(section));
    if (!names.insert(packed.sections.back().name).second)
      return invalid("the name is there twice", place);
  }
  return packed;
}

Json directory_of(const PackedModel& packed) {
  Json list = Json::array();
  size_t offset = 0;
  for (const PackedSection& section : packed.sections) {
    list.push_back({section.name, offset, section.bytes.size()});
    offset += rounded(section.bytes.size(), kSectionAlignment);
  }
  return {{"format", packed.format},
          {"precision", packed.precision},
          {"config", config_json(packed.config)},
          {"sections", std::move(list)}};
}

}  // namespace

std::span<const std::byte> PackedModel::find(std::string_view name) const {
  for (const PackedSection& section : sections) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

int64_t PackedModel::bytes() const {
  int64_t total = 0;
  for (const PackedSection& section : sections) total += static_cast<int64_t>(section.bytes.size());
  return total;
}

Result<PackedModel> parse_packed(std::span<const std::byte> file) {
  if (!as_text(file).starts_with(kMagic)) {
    const std::string_view what = describe_foreign_file(file);
    return invalid(what.empty() ? "this is not a packed model; make one with rexuninlu convert"
                                : std::string(what));
  }
  if (file.size() < sizeof(Head)) return invalid("the file is cut short inside its head");
  Head head;
  std::memcpy(&head, file.data(), sizeof head);
  if (head.version != kVersion) {
    return invalid("the file has version " + std::to_string(head.version) +
                   ", this program reads version " + std::to_string(kVersion) +
                   "; convert the model again");
  }
  if (head.directory_bytes > kMaxJsonBytes)
    return invalid("the directory claims " + std::to_string(head.directory_bytes) + " bytes");
  const size_t begin = body_begin(head.directory_bytes);
  if (file.size() < begin || file.size() - begin != head.body_bytes) {
    return invalid("the file has " + std::to_string(file.size()) + " bytes, its head says " +
                   std::to_string(begin) + " + " + std::to_string(head.body_bytes));
  }
  const auto directory_bytes = file.subspan(sizeof head, head.directory_bytes);
  if (sum_of(directory_bytes) != head.directory_sum) return invalid("the directory is damaged");
  const auto body = file.subspan(begin);
  if (sum_of(body) != head.body_sum) {
    return invalid("the weights are damaged: their sum is not the stored one; convert again");
  }
  REX_TRY(directory, parse_object(as_text(directory_bytes), ErrorCode::kCheckpointInvalid));
  return read_directory(directory, body);
}

Result<std::shared_ptr<const PackedModel>> open_packed(const std::filesystem::path& path) {
  REX_TRY(opened, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(opened));
  auto packed = parse_packed(file->bytes());
  if (!packed) return fail(at_file(std::move(packed).error(), path));
  packed->owner = std::move(file);
  return std::make_shared<const PackedModel>(*std::move(packed));
}

Result<void> write_packed(const std::filesystem::path& path, const PackedModel& packed) {
  const std::string directory = directory_of(packed).dump();
  REX_CHECK(directory.size() <= kMaxJsonBytes, "a directory that the reader accepts");
  constexpr std::array<std::byte, kBodyAlignment> kZeros{};
  const auto padding = [&](size_t bytes, size_t step) {
    return std::span(kZeros).first(rounded(bytes, step) - bytes);
  };
  // The sum is over the body as it will lie in the file; sections are padded to whole steps.
  Head head{{}, kVersion, static_cast<uint32_t>(directory.size()),
            0,  0,        sum_of(std::as_bytes(std::span(directory)))};
  std::memcpy(head.magic, kMagic.data(), sizeof head.magic);
  Sum sum;
  std::array<std::byte, kSectionAlignment> last{};
  for (const PackedSection& section : packed.sections) {
    const size_t whole = section.bytes.size() / kSectionAlignment * kSectionAlignment;
    sum.add(section.bytes.first(whole));
    if (const auto rest = section.bytes.subspan(whole); !rest.empty()) {
      last.fill(std::byte{0});
      std::memcpy(last.data(), rest.data(), rest.size());
      sum.add(last);
    }
    head.body_bytes += rounded(section.bytes.size(), kSectionAlignment);
  }
  head.body_sum = sum.value();
  PartialFile file(path);
  REX_TRY_VOID(file.create());
  REX_TRY_VOID(file.write(std::as_bytes(std::span(&head, 1))));
  REX_TRY_VOID(file.write(std::as_bytes(std::span(directory))));
  REX_TRY_VOID(file.write(padding(sizeof head + directory.size(), kBodyAlignment)));
  for (const PackedSection& section : packed.sections) {
    REX_TRY_VOID(file.write(section.bytes));
    REX_TRY_VOID(file.write(padding(section.bytes.size(), kSectionAlignment)));
  }
  return file.commit();
}

}  // namespace rex::model

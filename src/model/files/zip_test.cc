#include "model/files/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fault/torch_archive.h"
#include "model/files/bytes.h"

namespace rex::model {
namespace {

using testing::HasSubstr;

Error error_of(const std::string& archive) {
  const auto entries = read_zip(raw_bytes(archive));
  EXPECT_FALSE(entries);
  return entries ? Error{} : entries.error();
}

// Sets `size` bytes at `offset` to 0xFF.
std::string blotted(std::string archive, size_t offset, size_t size) {
  return archive.replace(offset, size, std::string(size, '\xff'));
}

TEST(Zip, StoredEntriesAreViewsIntoTheArchive) {
  for (const bool zip64 : {false, true}) {
    const std::string archive = make_zip({{"a/x", "hello"}, {"a/y", ""}}, zip64);
    const auto entries = read_zip(raw_bytes(archive));
    ASSERT_TRUE(entries) << entries.error().to_string();
    ASSERT_EQ(entries->size(), 2U);
    EXPECT_EQ((*entries)[0].name, "a/x");
    EXPECT_EQ(as_text((*entries)[0].bytes), "hello");
    EXPECT_EQ(as_text((*entries)[0].bytes).data(), archive.data() + archive.find("hello"));
    EXPECT_TRUE((*entries)[1].bytes.empty());
  }
}

TEST(Zip, ArchiveMayHaveNoEntriesAndAComment) {
  std::string archive = make_zip({});
  EXPECT_TRUE(read_zip(raw_bytes(archive))->empty());
  archive.replace(archive.size() - 2, 2, little_endian(uint16_t{3}));
  archive += "abc";
  EXPECT_TRUE(read_zip(raw_bytes(archive)));
}

TEST(Zip, CompressedAndEncryptedEntriesAreNamed) {
  const Error compressed = error_of(make_zip({{"a/data.pkl", "x", 8}}));
  EXPECT_EQ(compressed.code, ErrorCode::kCheckpointInvalid);
  EXPECT_THAT(compressed.message, HasSubstr("entry a/data.pkl is compressed"));
  EXPECT_THAT(error_of(make_zip({{"b", "x", 0, 1}})).message, HasSubstr("entry b is encrypted"));
}

TEST(Zip, RepeatedNameIsRefused) {
  EXPECT_THAT(error_of(make_zip({{"a", "1"}, {"a", "2"}})).message, HasSubstr("stands twice"));
}

TEST(Zip, EveryTruncationIsAnError) {
  for (const bool zip64 : {false, true}) {
    const std::string archive = make_zip({{"a", "hello"}, {"b", "world"}}, zip64);
    for (size_t size = 0; size < archive.size(); ++size) {
      EXPECT_FALSE(read_zip(raw_bytes(archive.substr(0, size)))) << size;
    }
  }
}

TEST(Zip, OffsetsAndSizesBeyondTheFileAreErrors) {
  const std::string archive = make_zip({{"a", "hello"}});
  const size_t entry = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
  for (const auto& [offset, size] : std::vector<std::pair<size_t, size_t>>{{entry + 20, 4},
                                                                           {entry + 24, 4},
                                                                           {entry + 28, 2},
                                                                           {entry + 30, 2},
                                                                           {entry + 32, 2},
                                                                           {entry + 42, 4},
                                                                           {end + 8, 4},
                                                                           {end + 12, 4},
                                                                           {end + 16, 4},
                                                                           {26, 2},
                                                                           {28, 2},
                                                                           {0, 4}}) {
    EXPECT_EQ(error_of(blotted(archive, offset, size)).code, ErrorCode::kCheckpointInvalid)
        << offset;
  }
}

TEST(Zip, ClaimOf2To60EntriesCostsNothing) {
  std::string archive = make_zip({{"a", "hello"}}, true);
  const size_t end64 = archive.find("PK\x06\x06");
  archive.replace(end64 + 32, 8, little_endian(uint64_t{1} << 60U));
  EXPECT_THAT(error_of(archive).message, HasSubstr("fewer entries than it claims"));
  archive.replace(end64 + 32, 8, little_endian(uint64_t{0}));
  EXPECT_THAT(error_of(archive).message, HasSubstr("more entries than it claims"));
}

TEST(Zip, LocalHeaderMustAgreeWithTheDirectory) {
  std::string archive = make_zip({{"a", "hello"}});
  archive[30] = 'b';
  EXPECT_THAT(error_of(archive).message, HasSubstr("differs from its directory record"));
}

}  // namespace
}  // namespace rex::model

#include "model/packed_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "core/mapped_file.h"
#include "support/temp_dir.h"

namespace rex::model {
namespace {

using testing::HasSubstr;

class Packed : public testing::Test {
 protected:
  Packed() {
    std::mt19937 random(1);
    for (auto* bytes : {&first_, &second_}) {
      for (std::byte& b : *bytes) b = static_cast<std::byte>(random());
    }
    model_.config = base_config();
    model_.format = "cpu-1";
    model_.precision = "bf16";
    model_.sections = {{"a", first_}, {"b", second_}, {"empty", {}}};
    EXPECT_TRUE(write_packed(path_, model_));
  }
  std::string file() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Error error_of(const std::string& bytes) {
    const auto parsed = parse_packed(std::as_bytes(std::span(bytes)));
    EXPECT_FALSE(parsed);
    return parsed ? Error{} : parsed.error();
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_.path() / kPackedFileName;
  std::vector<std::byte> first_ = std::vector<std::byte>(1000),
                         second_ = std::vector<std::byte>(64);
  PackedModel model_;
};

TEST_F(Packed, WhatIsWrittenIsReadBack) {
  const auto read = open_packed(path_);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ((*read)->config, model_.config);
  EXPECT_EQ((*read)->format, "cpu-1");
  EXPECT_EQ((*read)->precision, "bf16");
  ASSERT_EQ((*read)->sections.size(), 3U);
  const auto a = (*read)->find("a");
  EXPECT_TRUE(std::equal(a.begin(), a.end(), first_.begin(), first_.end()));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data()) % kSectionAlignment, 0U);
  EXPECT_EQ((*read)->find("b").size(), 64U);
  EXPECT_TRUE((*read)->find("none").empty());
  EXPECT_EQ((*read)->bytes(), 1064);
}

// Cut at every length: an error, never a read beyond the end.
TEST_F(Packed, EveryCutIsRefused) {
  const std::string whole = file();
  for (size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 97)
    EXPECT_EQ(error_of(whole.substr(0, size)).code, ErrorCode::kCheckpointInvalid) << size;
  EXPECT_THAT(error_of(whole + "x").message, HasSubstr("its head says"));
}

// One flipped bit anywhere but in the padding is noticed.
TEST_F(Packed, EveryFlippedBitIsNoticed) {
  const std::string whole = file();
  const size_t head_and_directory = 40 + [&] {
    uint32_t bytes = 0;
    std::memcpy(&bytes, whole.data() + 12, sizeof bytes);
    return bytes;
  }();
  for (size_t at = 0; at < whole.size(); ++at) {
    if (at >= head_and_directory && at < 4096) continue;  // zeros between directory and body
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_FALSE(parse_packed(std::as_bytes(std::span(damaged)))) << "byte " << at;
  }
}

TEST_F(Packed, OtherFilesAreNamed) {
  EXPECT_THAT(error_of("<html>").message, HasSubstr("web page"));
  EXPECT_THAT(error_of("\x01\x02\x03\x04").message, HasSubstr("rexuninlu convert"));
  std::string later = file();
  later[8] = 9;
  EXPECT_THAT(error_of(later).message, HasSubstr("version 9, this program reads version 1"));
}

TEST_F(Packed, MissingFilesAndFoldersAreErrors) {
  EXPECT_EQ(open_packed(dir_.path() / "none").error().code, ErrorCode::kFileNotFound);
  EXPECT_EQ(open_packed(dir_.path()).error().code, ErrorCode::kFileUnreadable);
  EXPECT_EQ(write_packed(dir_.path() / "none" / "x", model_).error().code,
            ErrorCode::kFileUnwritable);
}

}  // namespace
}  // namespace rex::model

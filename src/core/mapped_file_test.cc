#include "core/mapped_file.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace rex {
namespace {

TEST(MappedFile, GivesTheBytesOfTheFile) {
  const TempDir dir;
  const auto path = dir.write("a.txt", "hello");
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes().size(), 5U);
  EXPECT_EQ(std::to_integer<char>(file->bytes()[1]), 'e');
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TempDir dir;
  const auto file = MappedFile::open(dir.write("empty", ""));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, MissingFileAndFolderAreNamed) {
  const TempDir dir;
  const auto missing = MappedFile::open(dir.path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kFileNotFound);
  EXPECT_NE(missing.error().place.find("none"), std::string::npos);
  EXPECT_EQ(MappedFile::open(dir.path()).error().code, ErrorCode::kFileUnreadable);
}

TEST(ReadTextFile, RefusesAFileAboveTheLimit) {
  const TempDir dir;
  EXPECT_EQ(*read_text_file(dir.write("a", "12345"), 5), "12345");
  EXPECT_EQ(read_text_file(dir.write("b", "123456"), 5).error().code, ErrorCode::kFileUnreadable);
}

TEST(WriteTextFile, ReplacesTheFileAndNamesOneThatCannotBe) {
  const TempDir dir;
  const auto path = dir.write("a", "a longer text");
  ASSERT_TRUE(write_text_file(path, "short"));
  EXPECT_EQ(*read_text_file(path, 5), "short");
  const auto failed = write_text_file(dir.path() / "none" / "a", "x");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kFileUnwritable);
  EXPECT_EQ(failed.error().place, (dir.path() / "none" / "a").string());
}

}  // namespace
}  // namespace rex

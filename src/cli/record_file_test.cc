#include "cli/record_file.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace rex::cli {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RecordWriter, EveryRecordBeginsWithItsNumber) {
  TempDir dir;
  const std::string path = (dir.path() / "out").string();
  {
    auto writer = RecordWriter::open(path, false).value();
    writer.write(3, {{"a", 1}});
    ASSERT_TRUE(writer.flush());
  }
  EXPECT_EQ(content(path), "{\"line\":3,\"a\":1}\n");
}

TEST(RecordWriter, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  auto writer = RecordWriter::open("/dev/full", false).value();
  writer.write(1, {{"a", 1}});
  EXPECT_EQ(writer.flush().error().code, ErrorCode::kFileUnwritable);
}

TEST(RecordCursor, WalksRecordsAndStopsAtAHalfWrittenOne) {
  TempDir dir;
  const auto path =
      dir.write("out", "{\"line\":1,\"a\":1}\n{\"line\":4,\"a\":2}\n{\"line\":5,\"a\":");
  auto cursor = RecordCursor::open(path.string()).value();
  EXPECT_EQ(cursor.number(), 1);
  ASSERT_TRUE(cursor.advance());
  EXPECT_EQ(cursor.number(), 4);
  ASSERT_TRUE(cursor.advance());
  EXPECT_EQ(cursor.number(), std::nullopt);
  ASSERT_TRUE(cursor.cut());
  EXPECT_EQ(content(path), "{\"line\":1,\"a\":1}\n{\"line\":4,\"a\":2}\n");
}

TEST(RecordCursor, AMissingFileHasNoRecords) {
  TempDir dir;
  const auto cursor = RecordCursor::open((dir.path() / "none").string()).value();
  EXPECT_EQ(cursor.number(), std::nullopt);
  EXPECT_TRUE(cursor.cut());
}

TEST(RecordCursor, AForeignFileIsRefused) {
  TempDir dir;
  for (const char* text :
       {"my thesis\nchapter one\n", "my thesis\n", "my thesis", "{\"lines\": 3}\n"}) {
    const auto path = dir.write("out", text);
    EXPECT_EQ(RecordCursor::open(path.string()).error().code, ErrorCode::kFieldConflict) << text;
  }
}

TEST(RecordCursor, AHalfWrittenFirstRecordIsCutAway) {
  TempDir dir;
  for (const char* text : {"{\"li", "{\"line\":1,\"task"}) {
    const auto path = dir.write("out", text);
    const auto cursor = RecordCursor::open(path.string()).value();
    EXPECT_EQ(cursor.number(), std::nullopt);
    ASSERT_TRUE(cursor.cut());
    EXPECT_EQ(content(path), "");
  }
}

TEST(LineReader, GivesLinesWithTheirOffsets) {
  TempDir dir;
  auto reader = LineReader::open(dir.write("in", "a\r\n\nlast").string()).value();
  Line line;
  ASSERT_TRUE(reader.next(line).value());
  EXPECT_EQ(line.text, "a");
  ASSERT_TRUE(reader.next(line).value());
  EXPECT_EQ(line.text, "");
  EXPECT_EQ(line.begin, 3);
  ASSERT_TRUE(reader.next(line).value());
  EXPECT_EQ(line.text, "last");
  EXPECT_FALSE(line.complete);
  EXPECT_FALSE(reader.next(line).value());
  EXPECT_EQ(LineReader::open("/no/such/file").error().code, ErrorCode::kFileNotFound);
}

}  // namespace
}  // namespace rex::cli

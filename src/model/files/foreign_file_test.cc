#include "model/files/foreign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fault/torch_archive.h"
#include "model/files/safetensors.h"
#include "model/files/torch_checkpoint.h"

namespace rex::model {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

struct ForeignCase {
  std::string content;
  std::string named;
};

const ForeignCase kCases[] = {
    {"", "empty"},
    {"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 393038241\n", "Git LFS"},
    {"<!DOCTYPE html><html><body>404</body></html>", "web page"},
    {"\n  <html>", "web page"},
    {"{\"error\": \"not found\", \"code\": 404}", "JSON"},
    {"Access denied. Please log in first.", "text"},
    {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02", "before version 1.6"},
    {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"s, "gzip"},
};

// Both readers say what the file is, not merely that it is not theirs.
TEST(ForeignFile, IsNamedByBothReaders) {
  for (const ForeignCase& c : kCases) {
    const auto safetensors = parse_safetensors(raw_bytes(c.content));
    ASSERT_FALSE(safetensors) << c.named;
    EXPECT_EQ(safetensors.error().code, ErrorCode::kCheckpointInvalid);
    EXPECT_THAT(safetensors.error().message, HasSubstr(c.named));
    const auto torch = parse_torch_checkpoint(raw_bytes(c.content));
    ASSERT_FALSE(torch) << c.named;
    EXPECT_EQ(torch.error().code, ErrorCode::kCheckpointInvalid);
    EXPECT_THAT(torch.error().message, HasSubstr(c.named));
  }
}

TEST(ForeignFile, CheckpointUnderTheOthersNameIsNamed) {
  const std::string zip = make_torch_file(pickled::state_dict({}), {});
  EXPECT_THAT(parse_safetensors(raw_bytes(zip)).error().message, HasSubstr("pytorch_model.bin"));
  const std::string safetensors = little_endian(uint64_t{2}) + "{}";
  EXPECT_THAT(parse_torch_checkpoint(raw_bytes(safetensors)).error().message,
              HasSubstr("model.safetensors"));
}

TEST(ForeignFile, OtherBytesTellNothing) {
  EXPECT_EQ(describe_foreign_file(raw_bytes("\x01\x02\x03\x04\x05\x06\x07\x08\x09")), "");
}

}  // namespace
}  // namespace rex::model

#include "model/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "core/mapped_file.h"
#include "fault/torch_archive.h"
#include "model/checked_json.h"
#include "support/temp_dir.h"

namespace rex::model {
namespace {

using testing::HasSubstr;

std::string file_of(const std::string& header, size_t data_bytes = 0) {
  return little_endian(static_cast<uint64_t>(header.size())) + header +
         std::string(data_bytes, '\0');
}

Error error_of(const std::string& file) {
  const auto list = parse_safetensors(raw_bytes(file));
  EXPECT_FALSE(list) << file.substr(8, 80);
  return list ? Error{} : list.error();
}

// The header of one tensor "w".
std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

TEST(Safetensors, TensorsAreViewsIntoTheFile) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,1],"data_offsets":[4,8]},)"
      R"("a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},)"
      R"("plm.embeddings.position_ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}   )";
  const std::string file = file_of(header, 8);
  const auto list = parse_safetensors(raw_bytes(file));
  ASSERT_TRUE(list) << list.error().to_string();
  ASSERT_EQ(list->tensors.size(), 2U);
  EXPECT_EQ(list->tensors[0].name, "b");
  EXPECT_EQ(list->tensors[0].tensor.dtype, DType::kF16);
  EXPECT_EQ(list->tensors[0].tensor.shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(reinterpret_cast<const char*>(list->tensors[0].tensor.bytes.data()),
            file.data() + 8 + header.size() + 4);
  EXPECT_EQ(list->tensors[1].tensor.count(), 1);
  EXPECT_EQ(list->ignored, (std::vector<std::string>{"plm.embeddings.position_ids"}));
}

TEST(Safetensors, HeaderThatClaims2To60BytesIsRefusedBeforeAnythingIsRead) {
  const Error error = error_of(little_endian(uint64_t{1} << 60U) + "{\"w\":{}}");
  EXPECT_EQ(error.code, ErrorCode::kCheckpointInvalid);
  EXPECT_THAT(error.message, HasSubstr("claims 1152921504606846976 bytes"));
  EXPECT_THAT(error_of(little_endian(UINT64_MAX) + "{}").message, HasSubstr("claims"));
}

TEST(Safetensors, HeaderAboveTheLimitIsRefused) {
  const std::string header = "{" + std::string(kMaxJsonBytes, ' ') + "}";
  EXPECT_THAT(error_of(file_of(header)).message, HasSubstr("at most"));
}

TEST(Safetensors, RangesAreComparedWithTheFileAndTheShape) {
  const std::vector<std::string> wrong = {
      entry("F32", "[2]", "[0,4]"),
      entry("F32", "[2]", "[4,12]"),
      entry("F32", "[2]", "[8,0]"),
      entry("F32", "[2]", "[0,18446744073709551615]"),
      entry("F32", "[-2]", "[0,8]"),
      entry("F32", "[4611686018427387904,4]", "[0,8]"),
      entry("F32", "[9223372036854775807,9223372036854775807]", "[0,8]"),
      entry("F32", "[2]", "[0]"),
      entry("F32", "[2]", "[0,8,8]"),
      entry("F32", "[2]", "[-8,0]"),
      entry("F32", "[2.0]", "[0,8]"),
      entry("F32", "\"2\"", "[0,8]"),
      entry("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"),
      entry("F32", "[2]", "{}"),
      entry("F32", "[[2]]", "[0,8]"),
  };
  for (const std::string& header : wrong) {
    const Error error = error_of(file_of(header, 8));
    EXPECT_EQ(error.code, ErrorCode::kCheckpointInvalid) << header;
    EXPECT_EQ(error.place, "tensor w") << header;
  }
}

TEST(Safetensors, TensorsMayShareBytes) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
  EXPECT_TRUE(parse_safetensors(raw_bytes(file_of(header, 8))));
}

TEST(Safetensors, OtherTypesAreNamed) {
  const Error error = error_of(file_of(entry("F64", "[1]", "[0,8]"), 8));
  EXPECT_EQ(error.code, ErrorCode::kCheckpointMismatch);
  EXPECT_EQ(error.message, "dtype is F64; accepted: F32, F16, BF16");
}

TEST(Safetensors, HeaderOfAnotherFormIsInvalid) {
  for (const std::string& header : std::vector<std::string>{
           "[]", "{", "", R"({"w":3})", R"({"w":{}})",
           R"({"w":{"dtype":"F32","shape":[1],"offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})",
           R"({"w":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
           R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
           "{\"" + std::string(1000, 'n') + "\":{}}", std::string(1000, '[')}) {
    EXPECT_EQ(error_of(file_of(header, 4)).code, ErrorCode::kCheckpointInvalid) << header;
  }
}

TEST(ShardIndex, ListsTheTensorsOfEachFile) {
  const auto index = parse_shard_index(
      R"({"metadata":{"total_size":8},"weight_map":{"a":"x.safetensors","b":"y.safetensors",)"
      R"("c":"x.safetensors"}})");
  ASSERT_TRUE(index) << index.error().to_string();
  EXPECT_EQ(*index, (ShardIndex{{"x.safetensors", {"a", "c"}}, {"y.safetensors", {"b"}}}));
}

TEST(ShardIndex, FileNamesWithFoldersAreRefused) {
  for (const char* file : {"../x.safetensors", "/etc/x.safetensors", "a/b.safetensors",
                           "a\\\\b.safetensors", "x\\u0000.safetensors", "..", "", "x.bin"}) {
    const auto index = parse_shard_index(R"({"weight_map":{"a":")" + std::string(file) + "\"}}");
    ASSERT_FALSE(index) << file;
    EXPECT_EQ(index.error().code, ErrorCode::kCheckpointInvalid);
    EXPECT_EQ(index.error().place, "/weight_map/a");
  }
  EXPECT_FALSE(parse_shard_index(R"({"weight_map":{"a":3}})"));
  EXPECT_FALSE(parse_shard_index(R"({"weight_map":[]})"));
  EXPECT_FALSE(parse_shard_index("{}"));
}

class SafetensorsWriter : public testing::Test {
 protected:
  std::vector<float> values_ = {1.0F, -2.5F, 65504.0F, 1e-6F};
  TensorView view_{DType::kF32, {2, 2}, std::as_bytes(std::span(values_))};
  TempDir dir_;
};

TEST_F(SafetensorsWriter, WhatIsWrittenIsReadBackRoundedToTheFilesType) {
  const auto path = dir_.path() / "model.safetensors";
  const std::vector<TensorToWrite> tensors = {
      {"b", view_, DType::kF16}, {"a", view_, DType::kF16}, {"c", view_, DType::kF32}};
  ASSERT_TRUE(write_safetensors(path, tensors));
  const auto file = MappedFile::open(path);
  const auto list = parse_safetensors(file->bytes());
  ASSERT_TRUE(list) << list.error().to_string();
  ASSERT_EQ(list->tensors.size(), 3U);
  EXPECT_EQ(list->tensors[0].name, "c");
  EXPECT_EQ(list->tensors[1].name, "a");
  EXPECT_EQ(as_floats(list->tensors[0].tensor), values_);
  const std::vector<float> halves = as_floats(list->tensors[1].tensor);
  EXPECT_EQ(halves[2], 65504.0F);
  EXPECT_EQ(halves[3], 17.0F / 16777216.0F);  // 1e-6 as a subnormal half
  EXPECT_EQ((list->tensors[0].tensor.bytes.data() - file->bytes().data()) % 64, 0);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
}

TEST_F(SafetensorsWriter, LongTensorsAreConvertedInPieces) {
  const std::vector<float> many(200'001, 0.5F);
  const TensorView view{DType::kF32, {200'001}, std::as_bytes(std::span(many))};
  const std::vector<TensorToWrite> tensors = {{"w", view, DType::kBF16}};
  const auto path = dir_.path() / "w.safetensors";
  ASSERT_TRUE(write_safetensors(path, tensors));
  const auto file = MappedFile::open(path);
  EXPECT_EQ(as_floats(parse_safetensors(file->bytes())->tensors[0].tensor), many);
}

// A full disk, by the limit on the size of a file.
TEST_F(SafetensorsWriter, FullDiskIsAnErrorAndLeavesNothing) {
  const auto path = dir_.path() / "model.safetensors";
  const std::vector<float> many(100'000, 1.0F);
  const TensorView view{DType::kF32, {100'000}, std::as_bytes(std::span(many))};
  const std::vector<TensorToWrite> tensors = {{"w", view, DType::kF32}};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 65536, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_safetensors(path, tensors);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kFileUnwritable);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(SafetensorsWriter, MissingFolderIsAnError) {
  const auto written = write_safetensors(dir_.path() / "none" / "model.safetensors", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kFileUnwritable);
}

}  // namespace
}  // namespace rex::model

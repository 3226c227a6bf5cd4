#include "model/files/torch_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fault/torch_archive.h"

namespace rex::model {
namespace {

using pickled::state_dict;
using pickled::Tensor;
using testing::HasSubstr;

std::string floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += little_endian(value);
  return bytes;
}

// A file with one tensor on a storage of six floats.
std::string file_with(const Tensor& tensor) {
  return make_torch_file(state_dict({tensor}), {floats({0, 1, 2, 3, 4, 5})});
}

Error error_of(const std::string& file) {
  const auto list = parse_torch_checkpoint(raw_bytes(file));
  EXPECT_FALSE(list);
  return list ? Error{} : list.error();
}

const Tensor kGood = {.name = "w", .shape = {2, 3}, .strides = {3, 1}, .storage_items = 6};

TEST(TorchCheckpoint, TensorsAreViewsIntoTheFile) {  // M28
  for (const bool zip64 : {false, true}) {
    const Tensor tail = {
        .name = "tail", .shape = {1, 2}, .strides = {77, 1}, .storage_items = 6, .offset = 4};
    const std::string file =
        make_torch_file(state_dict({kGood, tail}), {floats({0, 1, 2, 3, 4, 5})}, zip64);
    const auto list = parse_torch_checkpoint(raw_bytes(file));
    ASSERT_TRUE(list) << list.error().to_string();
    ASSERT_EQ(list->tensors.size(), 2U);
    EXPECT_EQ(list->tensors[0].name, "w");
    EXPECT_EQ(as_floats(list->tensors[0].tensor), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(as_floats(list->tensors[1].tensor), (std::vector<float>{4, 5}));
    const auto* data = reinterpret_cast<const char*>(list->tensors[0].tensor.bytes.data());
    EXPECT_TRUE(data >= file.data() && data < file.data() + file.size());
  }
}

TEST(TorchCheckpoint, PositionIdsAreIgnoredWhateverTheirType) {
  const Tensor ids = {.name = "plm.embeddings.position_ids",
                      .shape = {1, 3},
                      .strides = {3, 1},
                      .storage = "LongStorage",
                      .key = "9",
                      .storage_items = 3};
  const std::string file = make_torch_file(state_dict({kGood, ids}), {floats({0, 1, 2, 3, 4, 5})});
  const auto list = parse_torch_checkpoint(raw_bytes(file));
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(list->tensors.size(), 1U);
  EXPECT_EQ(list->ignored, (std::vector<std::string>{"plm.embeddings.position_ids"}));
}

TEST(TorchCheckpoint, OtherElementTypesAreNamed) {
  Tensor tensor = kGood;
  tensor.storage = "DoubleStorage";
  const Error error = error_of(file_with(tensor));
  EXPECT_EQ(error.code, ErrorCode::kCheckpointMismatch);
  EXPECT_EQ(error.place, "tensor w");
  EXPECT_EQ(error.message, "its values are f64; accepted: f32, f16, bf16");
}

TEST(TorchCheckpoint, TransposedTensorIsNamed) {
  Tensor tensor = kGood;
  tensor.strides = {1, 2};
  const Error error = error_of(file_with(tensor));
  EXPECT_EQ(error.code, ErrorCode::kCheckpointMismatch);
  EXPECT_THAT(error.message, HasSubstr("strides [1, 2]"));
  tensor.strides = {-3, 1};
  EXPECT_EQ(error_of(file_with(tensor)).code, ErrorCode::kCheckpointMismatch);
}

TEST(TorchCheckpoint, RangesOutsideTheStorageAreErrors) {
  std::vector<Tensor> wrong(7, kGood);
  wrong[0].offset = 1;
  wrong[1].offset = -1;
  wrong[2].offset = INT64_MAX;
  wrong[3].shape = {-2, 3};
  wrong[4].shape = {int64_t{1} << 62, 8};
  wrong[5].storage_items = 7;
  wrong[6].key = "5";
  for (const Tensor& tensor : wrong) {
    const Error error = error_of(file_with(tensor));
    EXPECT_EQ(error.code, ErrorCode::kCheckpointInvalid) << error.message;
    EXPECT_EQ(error.place, "tensor w");
  }
}

TEST(TorchCheckpoint, ArchiveThatIsNoCheckpointIsNamed) {
  EXPECT_THAT(error_of(make_zip({{"word/document.xml", "<x/>"}})).message,
              HasSubstr("no data.pkl"));
  EXPECT_THAT(error_of(make_zip({{"a/data.pkl", state_dict({})}, {"a/byteorder", "big"}})).message,
              HasSubstr("byte order is big"));
}

TEST(TorchCheckpoint, HostilePickleIsPlacedInItsEntry) {
  const std::string file =
      make_torch_file(pickled::whole(pickled::global("posix", "system") +
                                     pickled::tuple({pickled::text("touch /tmp/owned")}) + "R"),
                      {});
  const Error error = error_of(file);
  EXPECT_EQ(error.code, ErrorCode::kCheckpointUnsafe);
  EXPECT_EQ(error.message, "global posix.system at byte 2 is not allowed");
  EXPECT_EQ(error.place, "data.pkl byte 2");
}

}  // namespace
}  // namespace rex::model

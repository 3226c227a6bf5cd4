#include "model/files/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fault/torch_archive.h"

namespace rex::model {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;
using namespace pickled;  // NOLINT: the vocabulary of this file

Error error_of(const std::string& pickle) {
  const auto result = read_state_dict(raw_bytes(pickle));
  EXPECT_FALSE(result) << "accepted";
  return result ? Error{} : result.error();
}

void expect_unsafe(const std::string& pickle, const std::string& message) {
  const Error error = error_of(pickle);
  EXPECT_EQ(error.code, ErrorCode::kCheckpointUnsafe) << error.message;
  EXPECT_EQ(error.message, message + " is not allowed");
}

void expect_damaged(const std::string& pickle, const std::string& part) {
  const Error error = error_of(pickle);
  EXPECT_EQ(error.code, ErrorCode::kCheckpointInvalid) << error.message;
  EXPECT_THAT(error.message, HasSubstr(part));
}

TEST(Pickle, StateDictGivesNamesShapesAndStorages) {
  const std::string pickle = state_dict({
      {.name = "a", .shape = {2, 3}, .strides = {3, 1}, .storage_items = 10, .offset = 4},
      {.name = "b", .shape = {}, .strides = {}, .storage = "HalfStorage", .key = "7"},
  });
  const auto tensors = read_state_dict(raw_bytes(pickle));
  ASSERT_TRUE(tensors) << tensors.error().to_string();
  ASSERT_EQ(tensors->size(), 2U);
  const PickledTensor& a = (*tensors)[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(a.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(a.storage_items, 10);
  EXPECT_EQ(a.offset, 4);
  EXPECT_EQ(a.storage_class.dtype, DType::kF32);
  EXPECT_EQ((*tensors)[1].storage_class.dtype, DType::kF16);
  EXPECT_EQ((*tensors)[1].storage_key, "7");
}

TEST(Pickle, ParametersPlainDictsMetadataAndProtocol4AreRead) {
  const std::string parameter =
      global("torch._utils", "_rebuild_parameter") +
      tuple({tensor({.name = "", .shape = {1}, .strides = {1}}), "\x88", ordered_dict()}) + "R";
  EXPECT_TRUE(read_state_dict(raw_bytes(whole("}" + text("p") + parameter + "s"))));
  // the state: {"_metadata": OrderedDict({"": {"version": 1}})}
  const std::string state =
      "}" + text("_metadata") + ordered_dict() + text("") + "}" + text("version") + "K\x01" + "sss";
  EXPECT_TRUE(read_state_dict(raw_bytes(whole(ordered_dict() + state + "b"))));
  const std::string short_text =
      "\x8c\x0b"
      "collections"s +
      "\x94" +
      "\x8c\x0b"
      "OrderedDict"s;
  EXPECT_TRUE(read_state_dict(
      raw_bytes("\x80\x04\x95"s + little_endian(uint64_t{3}) + short_text + "\x93)R.")));
}

TEST(Pickle, CallOfOsSystemIsRefusedByNameAndByte) {
  const std::string call = global("posix", "system") + tuple({text("touch /tmp/owned")}) + "R";
  expect_unsafe(whole(call), "global posix.system at byte 2");
  expect_unsafe(whole(ordered_dict() + text("x") + call + "s"), "global posix.system at byte 35");
  expect_unsafe("\x80\x04\x8c\x02os\x8c\x06system\x93."s, "global os.system at byte 14");
}

TEST(Pickle, GlobalsBesideTheListAreRefused) {
  expect_unsafe(whole(global("builtins", "eval")), "global builtins.eval at byte 2");
  expect_unsafe(whole(global("torch", "load")), "global torch.load at byte 2");
  expect_unsafe(whole(global("collections.OrderedDict", "")),
                "global collections.OrderedDict. at byte 2");
  expect_unsafe(whole(global("torch.FloatStorage", "x")), "global torch.FloatStorage.x at byte 2");
  expect_unsafe(whole(global("a\x01\xff", "b")), "global a\\x01\\xff.b at byte 2");
}

TEST(Pickle, OpcodesBesideTheListAreRefused) {
  expect_unsafe(whole("(iposix\nsystem\n"), "opcode INST at byte 3");
  expect_unsafe(whole("(o"), "opcode OBJ at byte 3");
  expect_unsafe(whole(global("collections", "OrderedDict") + ")\x81"), "opcode NEWOBJ at byte 28");
  expect_unsafe(whole("\x82\x01"), "opcode EXT1 at byte 2");
  expect_unsafe(whole("Pabc\n"), "opcode PERSID at byte 2");
  expect_damaged(whole("\xff"), "byte value 255 is no opcode");
}

// The allowed globals are no levers: only the calls that torch.save writes are known.
TEST(Pickle, AllowedGlobalsTakeOnlyTheirOwnArguments) {
  expect_unsafe(whole(global("torch", "FloatStorage") + ")R"),
                "a call of torch.FloatStorage at byte 23");
  expect_unsafe(whole(global("collections", "OrderedDict") + tuple({"]"}) + "R"),
                "OrderedDict with arguments at byte 30");
  expect_unsafe(whole("K\x01)R"), "a call of a whole number at byte 5");
  expect_unsafe(whole("]}b"), "opcode BUILD on a list at byte 4");
  const std::string hooks = "}" + text("h") + "K\x01" + "s";
  const std::string storage =
      tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), number(1)}) +
      "Q";
  const std::string hooked = global("torch._utils", "_rebuild_tensor_v2") +
                             tuple({storage, number(0), ")", ")", "\x89", hooks}) + "R";
  const Error error = error_of(whole(hooked));
  EXPECT_EQ(error.code, ErrorCode::kCheckpointUnsafe);
  EXPECT_THAT(error.message, HasSubstr("a tensor with hooks"));
}

TEST(Pickle, DamageIsAnErrorWithItsByte) {
  expect_damaged("", "ends in the middle");
  expect_damaged("\x80\x02", "ends in the middle");
  expect_damaged("\x80\x07.", "protocol 7");
  expect_damaged(whole(""), "more than one object");
  expect_damaged(whole("}}"), "more than one object");
  expect_damaged(whole("}") + "}", "goes on after its end");
  expect_damaged(whole("t"), "no mark");
  expect_damaged(whole("h\x05"), "unset memo index");
  expect_damaged(whole("}r\xff\xff\xff\xff"), "memo index above the limit");
  expect_damaged(whole("X\xff\xff\xff\xff"), "ends in the middle");
  expect_damaged(whole("\x8a\xff"), "more than 64 bits");
  expect_damaged(whole("]K\x01s"), "stack is empty");
  expect_damaged(whole("}(K\x01u"), "a key has no value");
  expect_damaged(whole("K\x01"
                       "a"),
                 "stack is empty");
  expect_damaged(whole("}K\x01"
                       "a"),
                 "expected a list, found a dictionary");
  expect_damaged(whole("\x95" + little_endian(uint64_t{1} << 60U)), "a frame reaches beyond");
  expect_damaged(whole("cposix"), "a line has no end");
  expect_damaged(whole(tuple({text("module"), "N", "N", "N", "N"}) + "Q"), "not a storage");
  // an operand below a mark is not there
  expect_damaged(whole("}(s"), "stack is empty");
}

TEST(Pickle, LimitsHoldForTimeAndMemory) {
  expect_damaged(whole(std::string(kMaxPickleBytes, 'N')), "bytes, at most");
  expect_damaged(whole(std::string(kMaxPickleStack + 1, 'N')), "more objects");
  expect_damaged(whole(std::string(kMaxPickleStack + 1, '(')), "too many marks");
  std::string nested = "N";
  for (size_t i = 0; i <= kMaxPickleObjects; ++i) nested += '\x85';
  expect_damaged(whole(nested), "more objects");
}

TEST(Pickle, RecursiveContainersEndInAnError) {
  const Error error = error_of(whole("}q\x01"s + text("a") + "h\x01s"));  // d["a"] = d
  EXPECT_EQ(error.code, ErrorCode::kCheckpointMismatch);
}

TEST(Pickle, WhatIsNoStateDictIsNamed) {
  EXPECT_EQ(error_of(whole("]")).message, "expected a dictionary of tensors, found a list");
  EXPECT_EQ(error_of(whole("}" + text("epoch") + "K\x03s")).message,
            "entry epoch is a whole number, not a tensor");
  EXPECT_THAT(error_of(whole("}" + text("state_dict") + ordered_dict() + "s")).message,
              HasSubstr("the weights lie inside it"));
  EXPECT_EQ(error_of(whole("}K\x01K\x02s")).message, "a name in the state dict is a whole number");
}

TEST(Pickle, RepeatedNameAndMissingStridesAreRefused) {
  const Tensor a = {.name = "a", .shape = {1}, .strides = {1}};
  EXPECT_EQ(error_of(state_dict({a, a})).place, "tensor a");
  EXPECT_THAT(error_of(state_dict({{.name = "a", .shape = {1, 2}, .strides = {1}}})).message,
              HasSubstr("2 dimensions and 1 strides"));
  EXPECT_EQ(error_of(state_dict({{.name = std::string(1000, 'n')}})).code,
            ErrorCode::kCheckpointInvalid);
}

}  // namespace
}  // namespace rex::model

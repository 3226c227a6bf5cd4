#include "eval/formats/brat.h"

#include <gmock/gmock.h>

#include "support/format_samples.h"
#include "support/temp_dir.h"

namespace rex::eval::formats {
namespace {

constexpr const char* kText = "😀甲乙\n丙丁";

// The error of an .ann file on kText.
Error error_of(const std::string& ann) {
  Batch batch;
  auto document = read_brat(kText, ann, "", batch);
  return document ? Error{ErrorCode::kInternal, "no error", ""} : document.error();
}

TEST(Brat, ReadsAFolder) {
  Batch batch = read_brat_folder((source_dir() / "tests/data/formats/brat").string()).value();
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_TRUE(batch.lost.empty());
  const auto samples = native_samples(write_native(batch, {}).value());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].id, "more/empty");
  EXPECT_TRUE(samples[0].gold.empty());
  EXPECT_EQ(samples[1].id, "news");
  const auto has = [&](const ItemList& list) {
    const auto& gold = samples[1].gold;
    return std::find(gold.begin(), gold.end(), list) != gold.end();
  };
  const Item bank{"组织机构", "青禾银行", 6, 10};
  EXPECT_TRUE(has({{"人物", "何雨柱", 1, 4}}));
  EXPECT_TRUE(has({bank, {"高管(人物)", "何雨柱", 1, 4}}));
  EXPECT_TRUE(has({bank, {"同一(组织机构)", "青禾银行", 15, 19}}));
  EXPECT_TRUE(has({bank, {"同一(组织机构)", "青禾\n银行", 33, 38}}));
  EXPECT_TRUE(has({{"组织机构", "青禾银行", 15, 19}}));
  EXPECT_TRUE(has({{"组织机构", "青禾\n银行", 33, 38}}));
  EXPECT_TRUE(has({{"降息", "降息", 21, 23}, {"机构", "青禾银行", 15, 19}}));
  EXPECT_TRUE(has({{"降息", "降息", 21, 23}, {"时间", "周一", 24, 26}}));
  EXPECT_TRUE(has({{"降息", "降息", 21, 23}, {"时间", "周二", 27, 29}}));
  EXPECT_TRUE(has({{"上涨", "上涨", 40, 42}, {"主体", "青禾\n银行", 33, 38}}));
  EXPECT_TRUE(has({{"关注", "关注", 45, 47}, {"原因", "上涨", 40, 42}}));
  EXPECT_TRUE(has({{"日期", "周一", 24, 26}}));
  EXPECT_TRUE(has({{"日期", "周二", 27, 29}}));
  EXPECT_EQ(samples[1].gold.size(), 13U);
}

TEST(Brat, SpansOverLinesAreOne) {
  Batch batch;
  const auto document = read_brat(kText, "T1\ta 2 3;4 5\t乙 丙\n", "", batch).value();
  EXPECT_EQ(document.entities[0], (Entity{"a", 2, 5}));
  EXPECT_EQ(write_brat(document).value(), "T1\ta 2 3;4 5\t乙 丙\n");
}

TEST(Brat, DiscontinuousSpansAndWhatRefersToThemAreLost) {
  Batch batch;
  const auto document = read_brat(kText,
                                  "T1\ta 0 1;2 3\t😀 乙\nT2\tb 4 5\t丙\nR1\tr Arg1:T2 Arg2:T1\n"
                                  "A1\tX T2\n#1\tAnnotatorNotes T2\t?\nN1\tReference T2 a:1\tx\n",
                                  "x.ann ", batch)
                            .value();
  EXPECT_EQ(document.entities.size(), 1U);
  ASSERT_EQ(batch.lost.size(), 5U);
  EXPECT_EQ(batch.lost[0].place, "x.ann line 1");
  EXPECT_EQ(batch.lost[0].message,
            "discontinuous spans are not supported; annotate one span, or each part alone");
  EXPECT_EQ(batch.lost[1].message, "\"r\" of a discontinuous span");
}

TEST(Brat, EqualEntitiesAndNestedEvents) {
  Batch batch;
  const auto document = read_brat(kText,
                                  "*\tEquiv T1 T2 T3\nE2\tf:T3 原因:E1\nE1\te:T2\n"
                                  "T1\ta 0 1\t😀\nT2\te 1 2\t甲\nT3\tf 2 3\t乙\n",
                                  "", batch);
  // E1 stands below its use, which brat allows.
  ASSERT_TRUE(document) << document.error().to_string();
  ASSERT_EQ(document->relations.size(), 3U);
  EXPECT_EQ(document->relations[0].type, "Equiv");
  EXPECT_TRUE(document->relations[2].argument);
  EXPECT_EQ(document->relations[2].to, 1U);
}

TEST(Brat, BadLinesAreNumbered) {
  EXPECT_EQ(error_of("\nT1\ta 1 2\t乙\n").place, "line 2");
  EXPECT_EQ(error_of("T1\ta 1 99\t乙\n").place, "line 1");
  EXPECT_EQ(error_of("T1\ta x\t乙\n").message, "expected TYPE START END");
  EXPECT_EQ(error_of("T1 a 1 2 甲\n").place, "line 1");
  EXPECT_EQ(error_of("R1\tr Arg1:T1 Arg2:T2\n").message, "there is no T1");
  EXPECT_EQ(error_of("E1\te:T1\n").message, "there is no T1");
  EXPECT_EQ(error_of("T1\ta 1 2\t甲\nE1\te:T1 r:T9\n").place, "line 2");
  EXPECT_EQ(error_of("T1\ta 1 2\t甲\nE1\tb:T1\n").message,
            "the trigger T1 is a \"a\", the event a \"b\"; give both the same type");
  EXPECT_EQ(error_of("?\n").message, "no kind of annotation begins like this");
  EXPECT_EQ(error_of("T1\ta 1 2\t甲\nT1\ta 1 2\t甲\n").place, "line 2");
}

TEST(Brat, WordsMayHoldTabs) {
  Batch batch;
  const auto document = read_brat("甲\t乙", "T1\ta 0 3\t甲\t乙\n", "", batch).value();
  EXPECT_EQ(document.entities.at(0), (Entity{"a", 0, 3}));
  EXPECT_EQ(write_brat(document).value(), "T1\ta 0 3\t甲\t乙\n");
}

// "place: message" of a document on 甲乙丙 that cannot be written.
std::string refusal(std::vector<Entity> entities, std::vector<Relation> relations,
                    const std::string& text = "甲乙丙") {
  Batch batch;
  Document document{"", text, std::move(entities), std::move(relations), {}, {}};
  document.place = "line 3 ";
  batch.documents.push_back(std::move(document));
  const size_t files = brat_files(batch).size();
  EXPECT_EQ(files, batch.bad.empty() ? 2U : 0U);
  return batch.bad.empty() ? "none" : batch.bad[0].place + ": " + batch.bad[0].message;
}

TEST(Brat, WhatWouldNotComeBackIsRefusedWithLineAndName) {
  using testing::HasSubstr;
  using testing::StartsWith;
  const std::vector<Entity> two = {{"a", 0, 1}, {"b", 1, 2}};
  EXPECT_EQ(refusal(two, {{0, 1, "r", true}, {0, 0, "r", true}}), "none");
  EXPECT_THAT(refusal({{"a b", 0, 1}}, {}), StartsWith("line 3 entity a b: "));
  EXPECT_THAT(refusal({{"", 0, 1}}, {}), StartsWith("line 3 entity: "));
  EXPECT_THAT(refusal({{"a", 0, 2}}, {}, "甲\n乙"), StartsWith("line 3 entity a: "));
  EXPECT_THAT(refusal(two, {{0, 1, "x y", false}}), StartsWith("line 3 relation x y: "));
  // A colon is no separator in the lines of entities and relations.
  EXPECT_EQ(refusal({{"a:x", 0, 1}, {"b", 1, 2}}, {{0, 1, "r:s", false}}), "none");
  EXPECT_THAT(refusal({{"a:x", 0, 1}, {"b", 1, 2}}, {{0, 1, "r", true}}),
              StartsWith("line 3 trigger a:x: "));
  EXPECT_THAT(refusal(two, {{0, 1, "r:s", true}}), StartsWith("line 3 role r:s: "));
}

TEST(Brat, RolesThatItsNumbersWouldChangeAreRefused) {
  using testing::HasSubstr;
  using testing::StartsWith;
  const std::vector<Entity> three = {{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 3}};
  const auto roles = [&](const std::vector<std::string>& names) {
    std::vector<Relation> relations;
    for (size_t i = 0; i < names.size(); ++i) relations.push_back({0, 1 + i % 2, names[i], true});
    return refusal(three, relations);
  };
  EXPECT_EQ(roles({"时间2"}), "none");
  EXPECT_EQ(roles({"时间2", "地点"}), "none");
  EXPECT_EQ(roles({"2", "时间"}), "none");
  EXPECT_THAT(roles({"时间", "时间2"}), StartsWith("line 3 role 时间2: "));
  EXPECT_THAT(roles({"时间2", "时间"}), HasSubstr("come back as \"时间\""));
  EXPECT_THAT(roles({"时间2", "时间2"}), HasSubstr("come back as \"时间22\""));
  EXPECT_THAT(roles({"2", "2"}), StartsWith("line 3 role 2: "));
}

TEST(Brat, ClassesHaveNoPlace) {
  EXPECT_FALSE(write_brat({"", "甲", {}, {}, {{"财经"}}, {}}));
  EXPECT_FALSE(write_brat({"", "甲", {}, {}, {}, pipeline::TextKind::kMultiLabel}));
}

TEST(Brat, RepeatedRolesComeBack) {
  const Document document{
      "", "甲乙丙", {{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 3}}, {{0, 1, "r", true}, {0, 2, "r", true}},
      {}, {}};
  const std::string ann = write_brat(document).value();
  EXPECT_THAT(ann, testing::HasSubstr("E1\ta:T1 r:T2 r2:T3\n"));
  Batch batch;
  const auto back = read_brat("甲乙丙", ann, "", batch).value();
  ASSERT_EQ(back.relations.size(), 2U);
  EXPECT_EQ(back.relations[1].type, "r");
  EXPECT_EQ(back.relations[1].to, 2U);
}

TEST(Brat, NativeLinesComeBack) {
  const TempDir dir;
  Batch batch = read_native(kSpans);
  ASSERT_TRUE(write_brat_folder(brat_files(batch), dir.path().string()));
  EXPECT_TRUE(batch.bad.empty());
  Batch back = read_brat_folder(dir.path().string()).value();
  EXPECT_TRUE(back.bad.empty());
  EXPECT_TRUE(back.lost.empty());
  expect_same_samples(write_native(back, {}).value(), kSpans);
}

TEST(Brat, ErrorsNameTheFileThatTheyAreIn) {
  const TempDir dir;
  dir.write("a.txt", "甲\xff");
  dir.write("a.ann", "");
  dir.write("b.txt", "甲");
  dir.write("b.ann", "T1\t\xff 0 1\t甲\n");
  dir.write("c.txt", "甲");
  dir.write("c.ann", "T1\ta 0 2\t甲\n");
  dir.write("d.ann", "");
  const Batch batch = read_brat_folder(dir.path().string()).value();
  EXPECT_TRUE(batch.documents.empty());
  ASSERT_EQ(batch.bad.size(), 4U);
  EXPECT_EQ(batch.bad[0].place, "a.txt byte 3");
  EXPECT_EQ(batch.bad[1].place, "b.ann byte 3");
  EXPECT_EQ(batch.bad[2].place, "c.ann line 1");
  EXPECT_EQ(batch.bad[3].place, (dir.path() / "d.txt").string());
}

TEST(Brat, IdsAreNamesOfFiles) {
  const TempDir dir;
  Batch batch;
  for (const char* id : {"a", "a", "../b", "/c", "d/e", ""})
    batch.documents.push_back({id, "甲", {}, {}, {}, {}});
  ASSERT_TRUE(write_brat_folder(brat_files(batch), dir.path().string()));
  EXPECT_EQ(batch.bad.size(), 3U);
  EXPECT_EQ(batch.documents.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "d/e.ann"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "6.txt"));  // the sixth has no id
  std::filesystem::remove(dir.path() / "a.ann");
  EXPECT_EQ(read_brat_folder(dir.path().string())->bad.at(0).code, ErrorCode::kFileNotFound);
  EXPECT_EQ(read_brat_folder("/no/such").error().code, ErrorCode::kFileNotFound);
}

}  // namespace
}  // namespace rex::eval::formats

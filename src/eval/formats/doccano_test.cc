#include "eval/formats/doccano.h"

#include "support/format_samples.h"

namespace rex::eval::formats {
namespace {

TEST(Doccano, ReadsBothFormsOfEntities) {
  Batch batch = read_doccano(sample_file("doccano.jsonl"));
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_TRUE(batch.lost.empty());
  const auto samples = native_samples(write_native(batch, {}).value());
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].gold,
            (std::vector<ItemList>{{{"人物", "何雨柱", 1, 4}}, {{"组织机构", "青禾银行", 6, 10}}}));
  EXPECT_TRUE(samples[1].gold.empty());
  EXPECT_EQ(
      samples[2].gold,
      (std::vector<ItemList>{{{"人物", "何雨柱", 1, 4}},
                             {{"组织机构", "青禾银行", 6, 10}, {"高管(人物)", "何雨柱", 1, 4}}}));
  EXPECT_EQ(samples[2].id, "3");
}

TEST(Doccano, ReadsClasses) {  // F3
  Batch batch = read_doccano(sample_file("doccano_classes.jsonl"));
  const auto samples = native_samples(write_native(batch, {}).value());
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].gold, (std::vector<ItemList>{{{"体育", "[MULTICLASSIFY]", 0, 15}}}));
  EXPECT_EQ(samples[1].gold.size(), 2U);
  EXPECT_EQ(samples[2].query.kind, pipeline::TextKind::kMultiLabel);
}

TEST(Doccano, ReadsSlotsBesideClasses) {
  Batch batch =
      read_doccano(R"({"data": "去青城", "entities": [[1, 3, "城市"]], "cats": ["订票"]})");
  ASSERT_EQ(batch.documents.size(), 1U);
  EXPECT_EQ(batch.documents[0].entities[0], (Entity{"城市", 1, 3}));
  EXPECT_EQ(batch.documents[0].classes[0][0], "订票");
}

TEST(Doccano, BadLinesAreNumbered) {
  const Batch batch = read_doccano(R"({"text": "甲乙", "label": [[0, 3, "a"]]}
{"text": "甲乙"}

{"text": "甲乙", "label": [[0, "a"]]}
{"text": "甲乙", "entities": [], "relations": [{"from_id": 1, "to_id": 2, "type": "r"}]}
{"label": []}
[
[]
{"text": "甲乙", "label": [], "Comments": ["?"]}
)");
  EXPECT_EQ(batch.documents.size(), 1U);
  std::vector<std::string> places;
  for (const Error& error : batch.bad) places.push_back(error.place);
  ASSERT_EQ(places.size(), 7U);
  EXPECT_EQ(places[0], "line 1 /label/0");
  EXPECT_EQ(places[1], "line 2 ");
  EXPECT_EQ(places[2], "line 4 /label/0");
  EXPECT_EQ(places[3], "line 5 /relations/0/from_id");
  EXPECT_EQ(places[4], "line 6 /data");
  ASSERT_EQ(batch.lost.size(), 1U);
  EXPECT_EQ(batch.lost[0].place, "line 9 /Comments");
}

TEST(Doccano, NativeLinesComeBack) {
  for (const std::string& lines : {std::string(kSpans), std::string(kClassLines)}) {
    Batch batch = read_native(lines);
    Batch back = read_doccano(write_doccano(batch));
    EXPECT_TRUE(batch.lost.empty());
    EXPECT_TRUE(back.bad.empty());
    expect_same_samples(write_native(back, {}).value(), lines);
  }
}

TEST(Doccano, FlatFilesAreSequenceLabelling) {
  Batch batch;
  batch.documents.push_back({"1", "甲乙", {{"a", 0, 1}}, {}, {}, {}});
  EXPECT_EQ(write_doccano(batch), "{\"id\":\"1\",\"text\":\"甲乙\",\"label\":[[0,1,\"a\"]]}\n");
}

TEST(Doccano, ClassesBelowClassesAreLost) {
  Batch batch;
  batch.documents.push_back({"1", "甲", {}, {}, {{"a", "b"}}, {}});
  (void)write_doccano(batch);
  EXPECT_EQ(batch.lost.size(), 1U);
}

}  // namespace
}  // namespace rex::eval::formats

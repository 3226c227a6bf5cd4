// Labelled lines and files for the tests of eval/formats/.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/mapped_file.h"
#include "eval/formats/lines.h"
#include "eval/formats/native.h"
#include "eval/sample.h"
#include "support/test_data.h"

namespace rex::eval::formats {

inline std::string sample_file(const std::string& name) {
  return read_text_file(source_dir() / "tests/data/formats" / name, 1 << 20).value();
}

// Lines of the native form, read with all its checks; lists sorted.
inline std::vector<Sample> native_samples(const std::string& jsonl) {
  std::vector<Sample> samples;
  for_each_line(jsonl, [&](Result<Json> json, const std::string& place) {
    auto sample = read_sample(json.value(), {});
    if (!sample) {
      ADD_FAILURE() << place << sample.error().to_string();
      return;
    }
    std::sort(sample->gold.begin(), sample->gold.end(), [](const ItemList& a, const ItemList& b) {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(), [](const Item& x, const Item& y) {
            return std::tie(x.start, x.type, x.end) < std::tie(y.start, y.type, y.end);
          });
    });
    samples.push_back(*std::move(sample));
  });
  return samples;
}

// Native lines that every tool but brat's class lines can hold: entities, relations whose object is
// an entity too and whose object is not, arguments, nothing at all.
inline constexpr const char* kSpans =
    R"json({"id": "a", "text": "😀何雨柱担任青禾银行总经理。", "schema": {"人物": null, "组织机构": {"高管(人物)": null}}, "info_list": [[{"type": "组织机构", "span": "青禾银行", "offset": [6, 10]}, {"type": "高管(人物)", "span": "何雨柱", "offset": [1, 4]}]]}
{"id": "b", "text": "😀何雨柱担任青禾银行总经理。", "schema": {"人物": null, "组织机构": {"高管(人物)": null}}, "info_list": [[{"type": "人物", "span": "何雨柱", "offset": [1, 4]}], [{"type": "组织机构", "span": "青禾银行", "offset": [6, 10]}, {"type": "高管(人物)", "span": "何雨柱", "offset": [1, 4]}]]}
{"id": "c", "text": "青禾银行周一降息，又降息。", "schema": {"降息(事件触发词)": {"机构": null, "时间": null}}, "info_list": [[{"type": "降息(事件触发词)", "span": "降息", "offset": [6, 8]}, {"type": "机构", "span": "青禾银行", "offset": [0, 4]}], [{"type": "降息(事件触发词)", "span": "降息", "offset": [6, 8]}, {"type": "时间", "span": "周一", "offset": [4, 6]}], [{"type": "降息(事件触发词)", "span": "降息", "offset": [10, 12]}]]}
{"id": "d", "text": "没有名字。", "schema": {"人物": null}, "info_list": []}
)json";

inline constexpr const char* kClassLines =
    R"json({"id": "e", "text": "[MULTICLASSIFY]股市大涨😀", "schema": {"财经": null, "民生": null}, "info_list": [[{"type": "财经", "span": "[MULTICLASSIFY]", "offset": [0, 15]}], [{"type": "民生", "span": "[MULTICLASSIFY]", "offset": [0, 15]}]]}
{"id": "f", "text": "[MULTICLASSIFY]嗯。", "schema": {"财经": null, "民生": null}, "info_list": []}
)json";

// Same ids, kinds, texts and lists in both files.
inline void expect_same_samples(const std::string& got, const std::string& wanted) {
  const std::vector<Sample> a = native_samples(got), b = native_samples(wanted);
  ASSERT_EQ(a.size(), b.size()) << got;
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].id, b[i].id);
    EXPECT_EQ(a[i].query.text, b[i].query.text);
    EXPECT_EQ(a[i].query.kind, b[i].query.kind);
    EXPECT_EQ(a[i].gold, b[i].gold) << a[i].id;
  }
}

}  // namespace rex::eval::formats

#include "prompt/prefix_ids.h"

#include <gtest/gtest.h>

#include "prompt/prompt_test_support.h"

namespace rex::prompt {
namespace {

// P7: `label: span,label: span`, tokenised whole and from its parts.
TEST(PrefixIds, P7_Q44_PartsGiveTheIdsOfTheWholeString) {
  const auto tokenizer = tokenizer_of({"组织机构北大校长林建华ab c"});
  const PrefixIds prefixes = *PrefixIds::make(*tokenizer);
  const auto first = prefixes.extend({}, ids_of(*tokenizer, "组织机构"), ids_of(*tokenizer, "ab"));
  EXPECT_EQ(first, ids_of(*tokenizer, "组织机构: ab"));
  const auto second =
      prefixes.extend(first, ids_of(*tokenizer, "c校长"), ids_of(*tokenizer, "b 林建华"));
  EXPECT_EQ(second, ids_of(*tokenizer, "组织机构: ab,c校长: b 林建华"));
}

TEST(PrefixIds, P7_AClassMarkerIsItsSpecialToken) {
  const auto tokenizer = tokenizer_of({"电器-附件"});
  const PrefixIds prefixes = *PrefixIds::make(*tokenizer);
  const int32_t marker = tokenizer->special().classify;
  EXPECT_EQ(prefixes.extend({}, ids_of(*tokenizer, "电器-附件"), {&marker, 1}),
            ids_of(*tokenizer, "电器-附件: [CLASSIFY]"));
}

TEST(PrefixIds, Q26_AnEmptyLabelLeavesColonAndSpan) {
  const auto tokenizer = tokenizer_of({"北"});
  const PrefixIds prefixes = *PrefixIds::make(*tokenizer);
  EXPECT_EQ(prefixes.extend({}, {}, ids_of(*tokenizer, "北")), ids_of(*tokenizer, ": 北"));
}

}  // namespace
}  // namespace rex::prompt

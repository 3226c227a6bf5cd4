// Every task kind on models/mini against answers from the reference engine
// (tests/golden/README.md).
#include <gtest/gtest.h>

#include "golden/golden_row.h"
#include "support/test_data.h"
#include "support/test_engine.h"

namespace rex::golden {
namespace {

// One unit of the fourth place, which is where both are rounded; the last term is what binary
// fractions add to the difference of two such numbers.
const double kConfidenceTolerance = confidence_tolerance(1e-4) + 1e-12;

// Equal in structure, keys, order, strings and integers; confidences within the tolerance.
void expect_same(const Json& got, const Json& want, const std::string& place) {
  ASSERT_EQ(
      got.type() == Json::value_t::number_float || want.type() == Json::value_t::number_float,
      got.is_number() && want.is_number() && (got.is_number_float() || want.is_number_float()))
      << place;
  if (got.is_number_float() || want.is_number_float()) {
    EXPECT_NEAR(got.get<double>(), want.get<double>(), kConfidenceTolerance) << place;
    return;
  }
  ASSERT_EQ(got.type_name(), std::string(want.type_name())) << place;
  if (got.is_object()) {
    ASSERT_EQ(got.size(), want.size()) << place << ": " << got.dump() << " / " << want.dump();
    for (auto a = got.begin(), b = want.begin(); a != got.end(); ++a, ++b) {
      ASSERT_EQ(a.key(), b.key()) << place;
      expect_same(a.value(), b.value(), place + "/" + a.key());
    }
  } else if (got.is_array()) {
    ASSERT_EQ(got.size(), want.size()) << place << ": " << got.dump() << " / " << want.dump();
    for (size_t i = 0; i < got.size(); ++i)
      expect_same(got[i], want[i], place + "/" + std::to_string(i));
  } else {
    EXPECT_EQ(got, want) << place;
  }
}

TEST(OwnGolden, EveryTaskKindGivesTheReferenceEnginesAnswer) {
  auto pipeline = pipeline_of(mini_model_dir(), [](auto weights) {
    return make_test_engine(std::move(weights), 2).value();
  });
  const auto rows = read_jsonl(own_golden_dir() / "mini.jsonl");
  ASSERT_EQ(rows.size(), read_jsonl(own_golden_dir() / "requests.jsonl").size());
  for (const Json& row : rows) {
    for (const auto behaviour : {"standard", "reference"}) {
      expect_same(answer(*pipeline, row.at("request"), behaviour), row.at(behaviour),
                  row.at("name").get<std::string>() + " " + behaviour);
    }
  }
}

}  // namespace
}  // namespace rex::golden

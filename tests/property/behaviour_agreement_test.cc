// On texts of one window the standard behaviour gives the original's answer: the same spans, and
// the same class labels with the same confidences.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "property/mini_pipeline.h"

namespace rex {
namespace {

using pipeline::Answer;
using pipeline::Query;
using pipeline::TextKind;

constexpr const char* kMarkers[] = {"", "[CLASSIFY]", "[MULTICLASSIFY]"};

Query as_reference(Query query) {
  query.text = kMarkers[static_cast<size_t>(query.kind)] + query.text;
  query.options.behaviour = pipeline::Behaviour::kReference;
  return query;
}

// Labels, spans and places of the chains; order and repetition left out.
std::set<std::string> spans_of(const Answer& answer) {
  std::set<std::string> chains;
  for (const pipeline::Chain& chain : answer.chains) {
    std::string text;
    for (const pipeline::Step& step : chain) {
      text += step.label + " " + step.span + " " + std::to_string(step.start) + "-" +
              std::to_string(step.end) + "; ";
    }
    chains.insert(text);
  }
  return chains;
}

std::vector<std::pair<std::string, double>> labels_of(const Answer& answer) {
  std::vector<std::pair<std::string, double>> labels;
  for (const pipeline::Chain& chain : answer.chains) {
    for (const pipeline::Step& step : chain) labels.emplace_back(step.label, step.confidence);
  }
  return labels;
}

TEST(BehaviourAgreement, Q14_OneWindowTextsHaveTheOriginalsAnswer) {
  size_t compared = 0;
  for (const Query& query : mixed_queries()) {
    const Query reference_query = as_reference(query);
    const auto standard = mini_pipeline().analyze({&query, 1})[0];
    const auto reference = mini_pipeline().analyze({&reference_query, 1})[0];
    if (!standard || standard->usage.windows != 1) continue;
    ASSERT_TRUE(reference) << reference.error().to_string();
    if (query.kind == TextKind::kExtraction) {
      EXPECT_EQ(spans_of(*standard), spans_of(*reference)) << query.text;
    } else {
      EXPECT_EQ(labels_of(*standard), labels_of(*reference)) << query.text;
    }
    ++compared;
  }
  EXPECT_GE(compared, 9U);
}

}  // namespace
}  // namespace rex

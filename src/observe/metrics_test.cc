#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rex::observe {
namespace {

using testing::HasSubstr;

TEST(Metrics, CountsRequestsBatchesAndMemory) {
  Metrics metrics;
  RequestSeen seen;
  seen.route = "/api/ner";
  seen.task = "ner";
  seen.seconds = 0.003;
  seen.tokens = 40;
  metrics.count(seen);
  metrics.count(seen);
  seen.status = 429;
  seen.code = "QUEUE_FULL";
  seen.task = "";
  metrics.count(seen);
  metrics.count(pipeline::BatchReport{.passes = 3, .tokens = 100});
  Now now;
  now.plan_weights = 5;
  now.ready = true;
  const std::string text = metrics.text(now);
  EXPECT_THAT(text, HasSubstr(R"(rex_requests_total{route="/api/ner",status="200",task="ner"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(rex_rejected_total{reason="QUEUE_FULL"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rex_tokens_total{task="ner"} 80)"));
  EXPECT_THAT(text, HasSubstr("rex_batch_size_count 1"));
  EXPECT_THAT(text, HasSubstr(R"(rex_memory_bytes{kind="weights"} 5)"));
  EXPECT_THAT(text, HasSubstr("rex_ready 1"));
}

TEST(Metrics, ResidentMemoryIsKnown) {
  EXPECT_GT(resident_bytes(), 1 << 20);
}

}  // namespace
}  // namespace rex::observe

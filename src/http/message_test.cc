#include "http/message.h"

#include <gtest/gtest.h>

namespace rex::http {
namespace {

TEST(Message, PercentEscapesAreDecodedAndBadOnesStay) {
  EXPECT_EQ(percent_decode("%E4%BA%BA+x"), "人+x");
  EXPECT_EQ(percent_decode("%E4%BA%BA+x", true), "人 x");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

TEST(Message, ParametersAreFoundByTheirDecodedName) {
  Request request;
  request.query = "mode=debug&pretty&lang=%7Ah&mode=other";
  EXPECT_EQ(request.parameter("mode"), "debug");
  EXPECT_EQ(request.parameter("pretty"), "");
  EXPECT_EQ(request.parameter("lang"), "zh");
  EXPECT_FALSE(request.parameter("mod"));
}

TEST(Message, HeadersHaveAnyLetterCase) {
  const Headers headers = {{"content-TYPE", "a"}, {"Content-Type", "b"}};
  EXPECT_EQ(find_header(headers, "Content-Type"), "a");
  EXPECT_FALSE(find_header(headers, "Content"));
}

TEST(Message, AcceptKnowsRangesAndWildcards) {
  Request request;
  EXPECT_TRUE(request.accepts("application/json"));
  request.headers = {{"Accept", "text/html, application/*;q=0.5"}};
  EXPECT_TRUE(request.accepts("application/json"));
  EXPECT_TRUE(request.accepts("text/html"));
  EXPECT_FALSE(request.accepts("image/png"));
  request.headers = {{"Accept", "text/html , */*"}};
  EXPECT_TRUE(request.accepts("image/png"));
}

}  // namespace
}  // namespace rex::http

// Entities of one sentence. Usage: 01_hello MODEL_DIR
#include <cstdio>

#include "rexuninlu/rexuninlu.h"

int main(int argc, char** argv) {
  const auto analyzer = rexuninlu::Analyzer::load(argc > 1 ? argv[1] : "models/mini");
  if (!analyzer) {
    std::fprintf(stderr, "%s\n", analyzer.error().to_string().c_str());
    return 1;
  }
  const auto answer = analyzer->analyze({.task = "ner",
                                         .text = "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。",
                                         .labels = {"人物", "地理位置", "组织机构"}});
  if (!answer) {
    std::fprintf(stderr, "%s\n", answer.error().to_string().c_str());
    return 1;
  }
  for (const rexuninlu::Chain& chain : answer->chains) {
    const rexuninlu::Span& span = chain[0];
    std::printf("%s: %s [%d, %d) %.2f\n", span.label.c_str(), span.text.c_str(), span.start,
                span.end, span.confidence);
  }
  return 0;
}

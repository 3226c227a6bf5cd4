// A long text that is given up after a while: a stop token ends the work between two batches.
// Usage: 03_stop MODEL_DIR
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "rexuninlu/rexuninlu.h"

int main(int argc, char** argv) {
  const auto analyzer = rexuninlu::Analyzer::load(argc > 1 ? argv[1] : "models/mini");
  if (!analyzer) {
    std::fprintf(stderr, "%s\n", analyzer.error().to_string().c_str());
    return 1;
  }
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "周慧敏在武汉工作。";
  std::stop_source stop;
  const std::jthread timer([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop.request_stop();
  });
  const auto outcome =
      analyzer->analyze({.task = "ner", .text = text, .labels = {"人物"}}, stop.get_token());
  std::printf("%s\n", outcome ? "finished in time" : outcome.error().code.c_str());
  return 0;
}

// Writes tests/golden/mini.jsonl: every row of requests.jsonl with the answers that the reference
// engine (double precision) leads to.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "engine/reference/reference_engine.h"
#include "golden/golden_row.h"
#include "support/test_data.h"

int main() {
  using namespace rex;
  auto pipeline = golden::pipeline_of(mini_model_dir(), [](auto weights) {
    return engine::make_reference_engine(std::move(weights), {});
  });
  std::ofstream out(own_golden_dir() / "mini.jsonl");
  int count = 0;
  for (const Json& row : read_jsonl(own_golden_dir() / "requests.jsonl")) {
    Json line = row;
    for (const auto behaviour : {"standard", "reference"}) {
      line[behaviour] = golden::answer(*pipeline, row.at("request"), behaviour);
    }
    out << line.dump() << '\n';
    std::fprintf(stderr, "%3d %s\n", ++count, row.at("name").get<std::string>().c_str());
  }
  return out.good() ? 0 : 1;
}

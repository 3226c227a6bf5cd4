#include "support/test_data.h"

#include <cstdlib>
#include <fstream>

namespace rex {

std::filesystem::path source_dir() {
  return REX_SOURCE_DIR;
}
std::filesystem::path mini_model_dir() {
  return source_dir() / "models" / "mini";
}
std::filesystem::path own_golden_dir() {
  return source_dir() / "tests" / "golden";
}

std::filesystem::path shared_golden_dir() {
  if (const char* set = std::getenv("REX_SHARED_GOLDEN")) return set;
  return source_dir().parent_path() / "shared" / "golden";
}

std::filesystem::path shared_mini_model_dir() {
  return shared_golden_dir().parent_path() / "models" / "mini";
}

bool has_shared_golden() {
  return std::filesystem::exists(shared_golden_dir() / "README.md");
}

std::vector<nlohmann::ordered_json> read_jsonl(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path;
  std::vector<nlohmann::ordered_json> lines;
  for (std::string line; std::getline(file, line);) {
    auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << path << " line " << lines.size() + 1;
    lines.push_back(std::move(json));
  }
  return lines;
}

}  // namespace rex

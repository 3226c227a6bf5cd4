// Where test data lies. The project's own data (models/mini, tests/golden) is always there; the
// reference implementation's vectors ("shared golden") lie beside the checkout and may be absent:
// such tests call REX_NEED_SHARED_GOLDEN(), which skips and says what is missing.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace rex {

std::filesystem::path source_dir();      // the repository
std::filesystem::path mini_model_dir();  // models/mini
std::filesystem::path own_golden_dir();  // tests/golden
// $REX_SHARED_GOLDEN, else ../shared/golden beside the repository; may not exist.
std::filesystem::path shared_golden_dir();
bool has_shared_golden();
// The small model that the vectors e2e/mini.jsonl were made with, beside that folder: it is the one
// that models/mini replaced. May not exist.
std::filesystem::path shared_mini_model_dir();

// Every line of a JSON lines file. Fails the test on a line that is not JSON.
std::vector<nlohmann::ordered_json> read_jsonl(const std::filesystem::path& path);

}  // namespace rex

#define REX_NEED_SHARED_GOLDEN()                                                  \
  if (!::rex::has_shared_golden())                                                \
  GTEST_SKIP() << "reference vectors not found at " << ::rex::shared_golden_dir() \
               << "; set REX_SHARED_GOLDEN to their folder to run this test"

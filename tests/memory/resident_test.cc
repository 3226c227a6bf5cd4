// The printed plan against what the system counts: an engine from a converted model, after a batch
// that fills it, in a process of its own.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "engine/cpu/cpu_engine.h"
#include "engine/cpu/pack_weights.h"
#include "engine/synthetic.h"
#include "model/weights.h"
#include "support/temp_dir.h"

namespace rex::engine {
namespace {

// A line of /proc/self/status, in bytes.
int64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

// Four layers of the official size: large against what a process has anyway.
void check(WeightType precision, int32_t threads) {
  model::ModelConfig config = model::base_config();
  config.layers = 4;
  TempDir dir;
  const auto path = dir.path() / model::kPackedFileName;
  {
    ThreadTeam team(2);
    const auto packed = pack_weights(*model::random_weights(config, 1), precision, team);
    ASSERT_TRUE(packed) << packed.error().to_string();
    ASSERT_TRUE(model::write_packed(path, **packed));
  }
  const int64_t before = status_bytes("VmRSS");
  reset_peak();
  const auto opened = model::open_packed(path);
  ASSERT_TRUE(opened) << opened.error().to_string();
  const auto engine =
      make_cpu_engine(*opened, {.threads = threads, .limits = {.tokens = 2048, .passes = 64}});
  ASSERT_TRUE(engine) << engine.error().to_string();
  const SyntheticBatch batch(std::vector<int32_t>(4, 512), config.vocab_rows, 3);
  LinkLists links;
  ASSERT_TRUE((*engine)->run(batch.view(), links));
  const auto measured = static_cast<double>(status_bytes("VmHWM") - before);
  const MemoryPlan& plan = (*engine)->plan();
  const auto planned = static_cast<double>(plan.total_bytes());
  std::printf("%s, %d threads: planned %.1f MiB, peak resident %.1f MiB; weights %.1f, file %.1f\n",
              std::string(name_of(precision)).c_str(), threads, planned / (1 << 20),
              measured / (1 << 20), static_cast<double>(plan.weight_bytes) / (1 << 20),
              static_cast<double>(std::filesystem::file_size(path)) / (1 << 20));
  EXPECT_NEAR(measured / planned, 1.0, 0.05) << name_of(precision);
  // At most 1.15 times the packed weights, and the arena.
  EXPECT_LE(measured, 1.15 * static_cast<double>(std::filesystem::file_size(path)) +
                          static_cast<double>(plan.arena_bytes));
}

TEST(Resident, Bf16PeakIsThePlansTotal) {
  check(WeightType::kBF16, 2);
}
TEST(Resident, Int8PeakIsThePlansTotal) {
  check(WeightType::kInt8, 2);
}
TEST(Resident, F32PeakIsThePlansTotal) {
  check(WeightType::kF32, 1);
}

}  // namespace
}  // namespace rex::engine

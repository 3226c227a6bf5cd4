#include "server/memory_budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace rex::server {
namespace {

int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  int64_t kb = 0;
  while (file >> name >> kb) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return kb << 10;
  }
  return std::numeric_limits<int64_t>::max() / 2;
}

// "max" or nothing: no limit.
int64_t control_group_bytes() {
  std::ifstream limit_file("/sys/fs/cgroup/memory.max"), used_file("/sys/fs/cgroup/memory.current");
  int64_t limit = 0, used = 0;
  if (!(limit_file >> limit) || !(used_file >> used))
    return std::numeric_limits<int64_t>::max() / 2;
  return std::max<int64_t>(0, limit - used);
}

}  // namespace

int64_t memory_budget(const config::GpuSettings& settings) {
  constexpr int64_t kLeast = 1 << 20;
  if (settings.memory_budget_mb > 0) return int64_t{settings.memory_budget_mb} << 20;
  const auto free = static_cast<double>(std::min(available_bytes(), control_group_bytes()));
  return std::max(kLeast, static_cast<int64_t>(free * settings.memory_fraction));
}

}  // namespace rex::server

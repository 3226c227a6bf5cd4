#include "engine/plan.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace rex::engine {
namespace {

bool live_together(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

int64_t rounded(int64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

// The lowest offset at which `buffer` meets none of `placed` while both live.
int64_t lowest_free(const PlannedBuffer& buffer, const std::vector<const PlannedBuffer*>& placed) {
  int64_t offset = 0;
  for (const PlannedBuffer* other : placed) {  // sorted by offset
    if (!live_together(buffer, *other)) continue;
    if (offset + rounded(buffer.bytes) <= other->offset) break;
    offset = std::max(offset, other->offset + rounded(other->bytes));
  }
  return offset;
}

std::string mebibytes(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

}  // namespace

void place_buffers(MemoryPlan& plan) {
  std::vector<PlannedBuffer*> by_size;
  for (PlannedBuffer& buffer : plan.buffers) by_size.push_back(&buffer);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  std::vector<const PlannedBuffer*> placed;
  plan.arena_bytes = 0;
  for (PlannedBuffer* buffer : by_size) {
    buffer->offset = lowest_free(*buffer, placed);
    const auto position =
        std::upper_bound(placed.begin(), placed.end(), buffer,
                         [](const auto* a, const auto* b) { return a->offset < b->offset; });
    placed.insert(position, buffer);
    plan.arena_bytes = std::max(plan.arena_bytes, buffer->offset + rounded(buffer->bytes));
  }
}

std::string check_plan(const MemoryPlan& plan) {
  const auto steps = static_cast<int32_t>(plan.steps.size());
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& a = plan.buffers[i];
    if (a.first_step < 0 || a.last_step < a.first_step || a.last_step >= steps) {
      return a.name + ": lifetime outside the steps";
    }
    if (a.offset % kBufferAlignment != 0) return a.name + ": not aligned";
    if (a.offset < 0 || a.offset + a.bytes > plan.arena_bytes)
      return a.name + ": outside the arena";
    for (size_t j = i + 1; j < plan.buffers.size(); ++j) {
      const PlannedBuffer& b = plan.buffers[j];
      const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
      if (live_together(a, b) && !apart) return a.name + " overlaps " + b.name;
    }
  }
  return {};
}

std::string to_text(const MemoryPlan& plan) {
  std::string text = "buffer             first step       last step        offset          bytes\n";
  char line[160];
  for (const PlannedBuffer& buffer : plan.buffers) {
    std::snprintf(line, sizeof line, "%-18s %-16s %-16s %-15lld %lld (%s)\n", buffer.name.c_str(),
                  plan.steps[static_cast<size_t>(buffer.first_step)].c_str(),
                  plan.steps[static_cast<size_t>(buffer.last_step)].c_str(),
                  static_cast<long long>(buffer.offset), static_cast<long long>(buffer.bytes),
                  mebibytes(buffer.bytes).c_str());
    text += line;
  }
  text += "arena              " + mebibytes(plan.arena_bytes) + "\n";
  text += "weights, tables    " + mebibytes(plan.weight_bytes) + "\n";
  text += "workspace          " + mebibytes(plan.workspace_bytes) + "\n";
  text += "total              " + mebibytes(plan.total_bytes()) + "\n";
  return text;
}

}  // namespace rex::engine

// The memory of an engine as a table: one arena whose buffers have a first and a last step, and a
// place that no other buffer shares while both live. Pure; planned once, printed on request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rex::engine {

struct PlannedBuffer {
  std::string name;
  int64_t bytes = 0;
  int32_t first_step = 0;  // inclusive
  int32_t last_step = 0;   // inclusive
  int64_t offset = 0;      // into the arena; set by place_buffers()
};

struct MemoryPlan {
  std::vector<std::string> steps;      // names, in order of execution
  std::vector<PlannedBuffer> buffers;  // of the arena
  int64_t arena_bytes = 0;
  int64_t weight_bytes = 0;     // packed weights and constant tables
  int64_t workspace_bytes = 0;  // per-thread scratch and library scratch

  [[nodiscard]] int64_t total_bytes() const { return arena_bytes + weight_bytes + workspace_bytes; }
};

inline constexpr int64_t kBufferAlignment = 256;

// Gives every buffer an offset, largest first, at the lowest free place among the buffers whose
// lifetimes meet (greedy by size), and sets arena_bytes. Sizes are rounded up to the alignment.
void place_buffers(MemoryPlan& plan);

// Empty when no two buffers that live at the same step overlap, all lie inside the arena and are
// aligned; otherwise the first fault in words.
std::string check_plan(const MemoryPlan& plan);

// The table for people (`--print-memory-plan`).
std::string to_text(const MemoryPlan& plan);

}  // namespace rex::engine

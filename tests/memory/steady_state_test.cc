// What the CPU engine allocates once it has met a batch: nothing that grows with the work. The
// matrix library makes small, short-lived objects of its own (about 40 bytes to 2 KB each); no
// buffer of activations is among them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/cpu/cpu_engine.h"
#include "engine/synthetic.h"
#include "model/weights.h"

namespace {

constexpr std::size_t kLarge = 4096;
std::atomic<long> allocations = 0, large = 0, living = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  ++living;
  if (bytes >= kLarge) ++large;
  void* place = nullptr;
  if (posix_memalign(&place, alignment < sizeof(void*) ? sizeof(void*) : alignment,
                     bytes == 0 ? 1 : bytes) != 0)
    throw std::bad_alloc();
  return place;
}
void discounted(void* place) {
  if (place == nullptr) return;
  --living;
  std::free(place);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return counted(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* place) noexcept {
  discounted(place);
}
void operator delete[](void* place) noexcept {
  discounted(place);
}
void operator delete(void* place, std::size_t) noexcept {
  discounted(place);
}
void operator delete[](void* place, std::size_t) noexcept {
  discounted(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  discounted(place);
}
void operator delete[](void* place, std::align_val_t) noexcept {
  discounted(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  discounted(place);
}
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept {
  discounted(place);
}

namespace rex::engine {
namespace {

TEST(SteadyState, ABatchMetBeforeAllocatesNothingLargeAndKeepsNothing) {
  model::ModelConfig config = model::base_config();
  config.vocab_rows = 200;
  config.layers = 2;
  auto engine = make_cpu_engine(model::random_weights(config, 1),
                                {.threads = 2, .limits = {.tokens = 1024, .passes = 64}});
  ASSERT_TRUE(engine) << engine.error().to_string();
  const std::vector<int32_t> lengths = {64, 130, 20, 511};
  const SyntheticBatch batch(lengths, config.vocab_rows, 3);
  LinkLists links;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*engine)->run(batch.view(), links));
  const long large_before = large, living_before = living, all_before = allocations;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE((*engine)->run(batch.view(), links));
  EXPECT_EQ(large - large_before, 0);
  EXPECT_EQ(living - living_before, 0);
  RecordProperty("small_allocations_a_batch", static_cast<int>((allocations - all_before) / 5));
}

}  // namespace
}  // namespace rex::engine

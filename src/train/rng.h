// A small generator (SplitMix64) whose numbers are the same everywhere and whose streams are named
// by their seeds, so that any piece of work can be repeated alone: resuming needs no saved state.
#pragma once

#include <cstdint>

namespace rex::train {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  // A stream of its own for each pair of numbers.
  Rng(uint64_t seed, uint64_t a, uint64_t b = 0) : state_(mix(mix(mix(seed) + a) + b)) {}

  uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15U); }
  // 0 … bound − 1. Requires bound > 0.
  uint64_t below(uint64_t bound) { return next() % bound; }
  // [0, 1)
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return uniform() < probability; }
  template <class List>
  void shuffle(List& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace rex::train

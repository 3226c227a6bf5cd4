// Zeroed float memory on a 256-byte boundary, for weights, tables and the arena.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace rex::engine {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(size_t count) : count_(count) {
    const size_t bytes = (count * sizeof(float) + 255) / 256 * 256;
    if (bytes == 0) return;
    data_.reset(static_cast<float*>(std::aligned_alloc(256, bytes)));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }

  [[nodiscard]] float* data() { return data_.get(); }
  [[nodiscard]] const float* data() const { return data_.get(); }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] int64_t bytes() const { return static_cast<int64_t>(count_ * sizeof(float)); }
  [[nodiscard]] std::span<float> span() { return {data_.get(), count_}; }
  float& operator[](size_t i) { return data_.get()[i]; }
  float operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }  // NOLINT: pairs with aligned_alloc
  };
  std::unique_ptr<float, Free> data_;
  size_t count_ = 0;
};

}  // namespace rex::engine

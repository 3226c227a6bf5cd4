// Zeroed memory on a 256-byte boundary, for weights, tables and the arena.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace rex::engine {

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(size_t count) : count_(count) {
    const size_t bytes = (count * sizeof(T) + 255) / 256 * 256;
    if (bytes == 0) return;
    data_.reset(static_cast<T*>(std::aligned_alloc(256, bytes)));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] int64_t bytes() const { return static_cast<int64_t>(count_ * sizeof(T)); }
  [[nodiscard]] std::span<T> span() { return {data_.get(), count_}; }
  [[nodiscard]] std::span<const T> span() const { return {data_.get(), count_}; }
  T& operator[](size_t i) { return data_.get()[i]; }
  T operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }  // NOLINT: pairs with aligned_alloc
  };
  std::unique_ptr<T, Free> data_;
  size_t count_ = 0;
};

using AlignedFloats = AlignedArray<float>;
using AlignedBytes = AlignedArray<std::byte>;

}  // namespace rex::engine

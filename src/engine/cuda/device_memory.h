// Device and pinned host memory with an owner. Allocations are counted, so that a test can check
// that none happens after the start.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

inline std::atomic<int64_t>& device_allocations() {
  static std::atomic<int64_t> count = 0;
  return count;
}

class DeviceBytes {
 public:
  DeviceBytes() = default;
  explicit DeviceBytes(size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    ++device_allocations();
    check(cudaMalloc(&data_, bytes), "device memory");
  }
  DeviceBytes(DeviceBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBytes& operator=(DeviceBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }

  // Frees the memory and keeps the size.
  void release() { cudaFree(std::exchange(data_, nullptr)); }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] size_t size() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* at(size_t offset) const {
    return reinterpret_cast<T*>(data() + offset);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

class PinnedBytes {
 public:
  explicit PinnedBytes(size_t bytes) { check(cudaMallocHost(&data_, bytes), "pinned memory"); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() { cudaFreeHost(data_); }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  template <class T>
  [[nodiscard]] T* at(size_t offset) const {
    return reinterpret_cast<T*>(data() + offset);
  }

 private:
  void* data_ = nullptr;
};

}  // namespace rex::engine::cuda

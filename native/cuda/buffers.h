// Memory of a device, and of the host for copies to and from it.
#pragma once

#include <cstddef>

#include "cuda/host.h"
#include "extremum/evaluator.h"

namespace extremum::cuda {

inline std::size_t whole_tiles(std::size_t rows) { return (rows + kTileLanes - 1) / kTileLanes * kTileLanes; }

// Of the memory that is free now; the rest is for other processes and the driver.
inline constexpr std::size_t kBufferShare = 2;

// Threads that all multiprocessors hold, times this: a chunk then takes little longer than its longest candidate, and a
// run that is cancelled need not wait for more.
inline constexpr std::size_t kChunkWaves = 2;

// Device memory that lives as long as this object, or until it is reset.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(Device& device) : device_(device) {}
  ~DeviceBuffer() { reset(); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void allocate(std::size_t bytes, const char* what) {
    device_.check(device_.driver.allocate(&address_, bytes), "cuMemAlloc", mebibytes(bytes) + " for " + what);
  }
  void reset() {
    if (address_) device_.driver.free(address_);  // on a lost device all is gone already
    address_ = 0;
  }
  DevicePointer address() const { return address_; }

 private:
  Device& device_;
  DevicePointer address_ = 0;
};

class PinnedBuffer {
 public:
  explicit PinnedBuffer(Device& device) : device_(device) {}
  ~PinnedBuffer() { reset(); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  void allocate(std::size_t bytes, const char* what) {
    device_.check(device_.driver.allocate_host(&address_, bytes, 0), "cuMemHostAlloc",
                  mebibytes(bytes) + " of pinned memory for " + what);
  }
  void reset() {
    if (address_) device_.driver.free_host(address_);
    address_ = nullptr;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  Device& device_;
  void* address_ = nullptr;
};

}  // namespace extremum::cuda

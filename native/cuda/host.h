// What the process has of CUDA: the two libraries, one primary context per device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/api.h"
#include "cuda/libraries.h"
#include "extremum/cuda.h"

namespace extremum::cuda {

// A device whose primary context is held. Its kernels keep it.
class Device {
 public:
  Device(const Driver& driver, int ordinal, const DeviceFacts& facts);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver;
  const int ordinal;
  const DeviceFacts facts;
  std::atomic<int> kernels{0};

  // Makes the context current in the calling thread for its lifetime. Throws if the device is lost.
  class Current {
   public:
    explicit Current(Device& device);
    ~Current() { driver_.set_context(nullptr); }

   private:
    const Driver& driver_;
  };

  // Throws a `Failure` unless `result` is success. `call`: the function's name; `detail`: what for.
  void check(Result result, const char* call, const std::string& detail = "");
  // Throws where a thread's local memory is more than the device should set aside: the driver does so for every thread
  // that the device can hold at once, whatever the batch.
  void check_local_memory(std::size_t bytes) const;
  // That it can hold at once.
  std::size_t threads() const;
  std::string describe() const;
  Context context() const { return context_; }

 private:
  Context context_ = nullptr;
};

class Host {
 public:
  static Host& instance();

  Facts facts(const std::vector<std::string>& folders);
  std::shared_ptr<Device> device(int ordinal);
  int least_loaded();
  std::string compile(const std::string& text, const std::vector<std::string>& options);
  void release();

 private:
  void open(const std::vector<std::string>& folders);
  void start_driver();
  void look_at_devices();
  void try_compiler();
  std::string run_compiler(const std::string& text, const std::vector<std::string>& options);

  std::mutex mutex_;
  bool opened_ = false;
  std::unique_ptr<Libraries> libraries_;
  Facts facts_{};
  std::vector<std::shared_ptr<Device>> devices_;
};

// For messages, rounded up.
std::string mebibytes(std::size_t bytes);

// CUDA's name of an error, as CUDA_ERROR_OUT_OF_MEMORY.
std::string error_name(const Driver& driver, Result result);

// Why the device is not used any more; empty: it is.
std::string loss_of(int ordinal);
void mark_lost(int ordinal, const std::string& reason);

}  // namespace extremum::cuda

// CUDA devices: text compiled by NVRTC, kernels that evaluate batches. libcuda and libnvrtc are opened at the first
// call of `facts`, so that a process that never asks has nothing of them.
//
// All functions throw `Failure`. Any number of threads may call at once; calls of one kernel wait for each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extremum/evaluator.h"

namespace extremum::cuda {

enum class FailureKind {
  kAbsent,       // this host has no driver
  kUnavailable,  // this host cannot use CUDA, or not for this kernel
  kCompile,      // NVRTC does not take the text; the message has its log
  kImage,        // the driver does not take the machine code
  kOutOfMemory,  // of the device or of pinned memory; the kernel can be called again
  kFailed,       // of this kernel: it cannot be called again
  kLost,         // of the device: nothing works there until the process ends
};

// Complete sentences with CUDA's name of the error, for operators.
class Failure : public std::exception {
 public:
  Failure(FailureKind kind, std::string message, std::string error = "")
      : kind_(kind), message_(std::move(message)), error_(std::move(error)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  FailureKind kind() const noexcept { return kind_; }
  // CUDA's name, as CUDA_ERROR_OUT_OF_MEMORY; empty where no call failed.
  const std::string& error() const noexcept { return error_; }

 private:
  FailureKind kind_;
  std::string message_, error_;
};

struct DeviceFacts {
  std::string name;
  int major, minor;  // compute capability
  std::size_t memory_bytes;
  int multiprocessors, threads_per_multiprocessor;
  std::string problem;  // why it is not used; empty: it is
  bool lost = false;    // it worked before
};

struct Facts {
  int driver_major, driver_minor;      // CUDA version that the driver supports
  int compiler_major, compiler_minor;  // of NVRTC
  std::string compiler_path;
  std::vector<DeviceFacts> devices;  // one at least, which was usable at first
};

// `folders`: searched before the usual places; those of the first successful call stay. Compiles a line of text on
// first use, so that a compiler without its builtins is found here.
Facts facts(const std::vector<std::string>& folders);

// The usable device with the fewest kernels.
int least_loaded_device();

// Machine code for the device's architecture.
std::string compile(const std::string& text, const std::vector<std::string>& options);

struct KernelShape {
  std::size_t dimension, results;
  unsigned block_threads;
  std::size_t chunk_rows;  // 0: as suits the device
};

class Kernel {
 public:
  // `image` is the machine code of one function of the form in docs/adr/0044-tiles-and-gpus.md.
  static std::shared_ptr<Kernel> load(const std::string& image, const char* name, int device, const KernelShape& shape);
  virtual ~Kernel() = default;

  // Blocks the caller. Cancelled between chunks. After `kFailed` and `kLost` the kernel is of no use any more.
  virtual Outcome evaluate(const Batch& batch, const std::atomic<std::int32_t>* cancel) = 0;

  struct State {
    int device;
    std::size_t local_bytes;  // per thread
    int registers;            // per thread
    std::size_t chunk_rows;   // at most
    std::size_t device_bytes, pinned_bytes;
    double device_seconds;  // of kernels and copies, by the device's clock
  };
  virtual State state() = 0;
  std::size_t dimension() const { return shape_.dimension; }
  std::size_t results() const { return shape_.results; }

 protected:
  explicit Kernel(const KernelShape& shape) : shape_(shape) {}
  const KernelShape shape_;
};

struct PopulationShape {
  std::size_t dimension, size;
  std::size_t vectors, scalars;  // of the individuals
  std::size_t shared, work;      // numbers of all together, see native/cuda/strategies/generation.h
  std::size_t constants;
  std::uint32_t key_low, key_high;
  bool reads_gradients;
};

// A step of the program for so many threads.
struct Launch {
  std::uint32_t step, threads, turn;
};

// What a generation leaves behind, as native/cuda/strategies/kernels.h says it.
struct GenerationStatistics {
  double best, lowest, highest;
  std::uint32_t index, successes;
};

// The population of a strategy whose generations stay on a device (docs/adr/0050-generation-programs.md). A generation
// is: `move`, `evaluate` of all candidates (and `evaluate_gradients`), `odd`, `accept`. Programs in which individuals
// share something have steps before the move and after the acceptance. One caller at a time. After a failure it is of
// no use any more.
class Population {
 public:
  // `image`: machine code of the objective's kernel and of those in native/cuda/strategies/. `box`: lower bounds, upper
  // bounds, widths, [dimension] each; behind them the constants.
  static std::shared_ptr<Population> load(const std::string& image, int device, const PopulationShape& shape,
                                          const double* box);
  virtual ~Population() = default;

  // A part of the state: vectors in tiles, then scalars, [whole tiles] each, then what is shared.
  virtual void put(std::size_t part, const double* from) = 0;
  virtual void get(std::size_t part, double* to) = 0;

  virtual void move(std::uint32_t run, std::uint32_t generation, const Launch* before, std::size_t count) = 0;
  // Candidates from `first`, which begins a tile.
  virtual void evaluate(std::size_t first, std::size_t count) = 0;
  // Their gradients, for `accept`. Only of a population that reads them.
  virtual void evaluate_gradients(std::size_t first, std::size_t count) = 0;
  // Candidates that are flagged or have no number.
  virtual std::size_t odd() = 0;
  // [size] each.
  virtual void get_results(double* values, std::uint8_t* status) = 0;
  virtual void put_results(const double* values, const std::uint8_t* status) = 0;
  // Candidates [count, dimension] and values of some individuals.
  virtual void rows(const std::uint32_t* rows, std::size_t count, double* candidates, double* values) = 0;
  virtual GenerationStatistics accept(double sign, const Launch* after, std::size_t count) = 0;

  struct State {
    std::size_t chunk_rows;  // best evaluated at once
    std::size_t device_bytes;
    double device_seconds;
  };
  virtual State state() const = 0;
  const PopulationShape shape;

 protected:
  explicit Population(const PopulationShape& given) : shape(given) {}
};

// Gives the contexts of all devices back, once their kernels are gone. For the end of a process.
void release();

}  // namespace extremum::cuda

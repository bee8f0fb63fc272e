// A population that stays on a device. All calls wait for what they have asked for: between them the host has nothing
// to do but to look whether the run is to end.
#include <algorithm>
#include <array>
#include <cstring>

#include "cuda/buffers.h"
#include "cuda/host.h"
#include "extremum/cuda.h"

namespace extremum::cuda {

namespace {

// Threads of a block, a tile.
constexpr unsigned kBlock = kTileLanes;

// Pinned memory; larger pieces would not be copied faster.
constexpr std::size_t kStagingBytes = std::size_t{4} << 20;

// As `Population` of native/cuda/strategies/generation.h.
struct Argument {
  unsigned n, size, generation, run, key_low, key_high;
  DevicePointer vectors, scalars, shared, work, constants, readings, widths;
};
static_assert(sizeof(Argument) == 80 && sizeof(GenerationStatistics) == 32);

class LoadedPopulation final : public Population {
 public:
  LoadedPopulation(std::shared_ptr<Device> device, const PopulationShape& given)
      : Population(given),
        device_(std::move(device)),
        tiled_(whole_tiles(given.size)),
        gathered_rows_(std::max<std::size_t>(1, kStagingBytes / 8 / given.dimension)),
        staging_bytes_(std::max(kStagingBytes, 8 * given.dimension)),
        staging_(*device_) {
    device_->kernels++;
  }

  ~LoadedPopulation() override {
    // A lost device refuses all this, and has nothing left to give back.
    const Driver& driver = device_->driver;
    device_->kernels--;
    driver.set_context(device_->context());
    if (stream_) driver.wait_for_stream(stream_);
    for (DeviceBuffer& buffer : buffers_) buffer.reset();
    staging_.reset();
    if (started_) driver.destroy_event(started_);
    if (finished_) driver.destroy_event(finished_);
    if (stream_) driver.destroy_stream(stream_);
    if (module_) driver.unload_module(module_);
    driver.set_context(nullptr);
  }

  void prepare(const std::string& image, const double* box) {
    const Driver& driver = device_->driver;
    const Device::Current current(*device_);
    check(driver.load_module(&module_, image.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
    const auto find = [&](Function& function, const char* name) {
      check(driver.module_function(&function, module_, name), "cuModuleGetFunction", name);
      int threads = 0, local = 0;
      check(driver.function_attribute(&threads, kFunctionThreads, function), "cuFuncGetAttribute");
      check(driver.function_attribute(&local, kFunctionLocalBytes, function), "cuFuncGetAttribute");
      device_->check_local_memory(static_cast<std::size_t>(local));
      if (static_cast<unsigned>(threads) < kBlock)
        throw Failure(FailureKind::kUnavailable, std::string("the kernel ") + name + " needs too many registers");
    };
    find(move_, "move");
    find(evaluate_, "evaluate");
    find(count_odd_, "count_odd");
    find(accept_, "accept");
    find(combine_, "combine");
    find(gather_, "gather");
    if (shape.shared > 0) find(step_, "step");
    if (shape.reads_gradients) find(evaluate_gradient_, "evaluate_gradient");
    check(driver.create_stream(&stream_, kNonBlockingStream), "cuStreamCreate");
    check(driver.create_event(&started_, 0), "cuEventCreate");
    check(driver.create_event(&finished_, 0), "cuEventCreate");
    allocate();
    to_device(at(kBox), box, 8 * (3 * shape.dimension + shape.constants));
  }

  void put(std::size_t part, const double* from) override {
    const Device::Current current(*device_);
    to_device(address_of(part), from, bytes_of(part));
  }

  void get(std::size_t part, double* to) override {
    const Device::Current current(*device_);
    to_host(to, address_of(part), bytes_of(part));
  }

  void move(std::uint32_t run, std::uint32_t generation, const Launch* before, std::size_t count) override {
    argument_.run = run;
    argument_.generation = generation;
    const Device::Current current(*device_);
    timed([&] {
      launch_steps(before, count);
      launch(move_, shape.size, argument_, at(kBox), at(kCandidates), at(kOdd));
    });
  }

  void evaluate(std::size_t first, std::size_t count) override {
    const Device::Current current(*device_);
    timed([&] {
      launch(evaluate_, count, at(kCandidates) + 8 * first * shape.dimension, static_cast<unsigned>(count),
             at(kValues) + 8 * first, at(kStatus) + first, DevicePointer{0});
    });
  }

  void evaluate_gradients(std::size_t first, std::size_t count) override {
    const Device::Current current(*device_);
    timed([&] {
      launch(evaluate_gradient_, count, at(kCandidates) + 8 * first * shape.dimension, static_cast<unsigned>(count),
             at(kReadings) + 8 * first * (1 + shape.dimension), at(kReadingStatus) + first, DevicePointer{0});
    });
  }

  std::size_t odd() override {
    const Device::Current current(*device_);
    timed([&] { launch(count_odd_, shape.size, size(), at(kValues), at(kStatus), at(kOdd)); });
    std::uint32_t odd = 0;
    to_host(&odd, at(kOdd), sizeof odd);
    return odd;
  }

  void get_results(double* values, std::uint8_t* status) override {
    const Device::Current current(*device_);
    to_host(values, at(kValues), 8 * shape.size);
    to_host(status, at(kStatus), shape.size);
  }

  void put_results(const double* values, const std::uint8_t* status) override {
    const Device::Current current(*device_);
    to_device(at(kValues), values, 8 * shape.size);
    to_device(at(kStatus), status, shape.size);
  }

  void rows(const std::uint32_t* rows, std::size_t count, double* candidates, double* values) override {
    const Device::Current current(*device_);
    for (std::size_t first = 0; first < count; first += gathered_rows_) {
      const std::size_t part = std::min(gathered_rows_, count - first);
      to_device(at(kRows), rows + first, sizeof(std::uint32_t) * part);
      gather(candidates + first * shape.dimension, at(kCandidates), shape.dimension, part);
      gather(values + first, at(kValues), 1, part);
    }
  }

  GenerationStatistics accept(double sign, const Launch* after, std::size_t count) override {
    const Device::Current current(*device_);
    DevicePointer from = at(kStatistics), to = at(kCombined);
    timed([&] {
      launch(accept_, shape.size, argument_, sign, at(kValues), at(kStatus), from);
      launch_steps(after, count);
      for (unsigned records = size(); records > 1;) {
        const unsigned left = (records + kBlock - 1) / kBlock;
        launch(combine_, left, from, records, to);
        std::swap(from, to);
        records = left;
      }
    });
    GenerationStatistics all;
    to_host(&all, from, sizeof all);
    return all;
  }

  State state() const override {
    const std::size_t chunk = kChunkWaves * device_->threads() / kTileLanes * kTileLanes;
    return {std::max<std::size_t>(kTileLanes, chunk), device_bytes_, device_ms_ / 1e3};
  }

 private:
  enum Buffer {
    kVectors,
    kScalars,
    kCandidates,
    kValues,
    kStatus,
    kStatistics,
    kCombined,
    kBox,
    kOdd,
    kRows,
    kGathered,
    // Of a population that reads gradients.
    kReadings,
    kReadingStatus
  };
  static constexpr std::size_t kBuffers = 13;

  void check(Result result, const char* call, const std::string& detail = "") { device_->check(result, call, detail); }
  DevicePointer at(Buffer buffer) const { return buffers_[buffer].address(); }
  unsigned size() const { return static_cast<unsigned>(shape.size); }

  void allocate() {
    const std::size_t n = shape.dimension, rows = tiled_;
    const std::array<std::size_t, kBuffers> bytes = {
        8 * shape.vectors * rows * n,
        8 * (shape.scalars * rows + shape.shared + shape.work),
        8 * rows * n,
        8 * rows,
        rows,
        sizeof(GenerationStatistics) * rows,
        sizeof(GenerationStatistics) * (rows / kTileLanes),
        8 * (3 * n + shape.constants),
        sizeof(std::uint32_t),
        sizeof(std::uint32_t) * gathered_rows_,
        staging_bytes_,
        shape.reads_gradients ? 8 * rows * (1 + n) : 0,
        shape.reads_gradients ? rows : 0,
    };
    for (const std::size_t each : bytes) device_bytes_ += each;
    std::size_t free = 0, total = 0;
    check(device_->driver.memory_info(&free, &total), "cuMemGetInfo");
    if (device_bytes_ > free / kBufferShare)
      throw Failure(FailureKind::kOutOfMemory,
                    device_->describe() + " has too little free memory for the population: " +
                        mebibytes(device_bytes_) + " are needed and " + mebibytes(free) + " are free");
    for (std::size_t k = 0; k < kBuffers; ++k)
      if (bytes[k] > 0) buffers_[k].allocate(bytes[k], "a population");
    staging_.allocate(staging_bytes_, "a population");
    const DevicePointer shared = at(kScalars) + 8 * shape.scalars * rows, work = shared + 8 * shape.shared;
    const DevicePointer widths = at(kBox) + 8 * 2 * n, constants = widths + 8 * n;
    const DevicePointer readings = shape.reads_gradients ? at(kReadings) : DevicePointer{0};
    argument_ = {static_cast<unsigned>(n), size(),       0,      0,    shape.key_low, shape.key_high,
                 at(kVectors),             at(kScalars), shared, work, constants,     readings,
                 widths};
  }

  std::size_t bytes_of(std::size_t part) const {
    if (part == shape.vectors + shape.scalars) return 8 * shape.shared;
    return 8 * tiled_ * (part < shape.vectors ? shape.dimension : 1);
  }
  DevicePointer address_of(std::size_t part) const {
    return part < shape.vectors ? at(kVectors) + part * bytes_of(part)
                                : at(kScalars) + (part - shape.vectors) * 8 * tiled_;
  }

  template <class... Arguments>
  void launch(Function function, std::size_t threads, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    const unsigned blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);
    check(device_->driver.launch(function, blocks, 1, 1, kBlock, 1, 1, 0, stream_, pointers, nullptr), "cuLaunchKernel",
          std::to_string(blocks) + " blocks");
  }

  void launch_steps(const Launch* steps, std::size_t count) {
    for (const Launch* each = steps; each != steps + count; ++each)
      launch(step_, each->threads, argument_, each->step, each->turn);
  }

  // Waits for the work, and counts the device's time for it.
  template <class Work>
  void timed(Work work) {
    const Driver& driver = device_->driver;
    check(driver.record_event(started_, stream_), "cuEventRecord");
    try {
      work();
    } catch (const Failure&) {
      // What was launched before is over before anybody gives memory back.
      driver.wait_for_stream(stream_);
      throw;
    }
    check(driver.record_event(finished_, stream_), "cuEventRecord");
    check(driver.wait_for_event(finished_), "cuEventSynchronize");
    float elapsed_ms = 0;
    check(driver.elapsed_ms(&elapsed_ms, started_, finished_), "cuEventElapsedTime");
    device_ms_ += elapsed_ms;
  }

  void wait() { check(device_->driver.wait_for_stream(stream_), "cuStreamSynchronize"); }

  void to_device(DevicePointer to, const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += staging_bytes_) {
      const std::size_t part = std::min(staging_bytes_, bytes - done);
      std::memcpy(staging_.as<char>(), static_cast<const char*>(from) + done, part);
      check(device_->driver.copy_to_device(to + done, staging_.as<void>(), part, stream_), "cuMemcpyHtoDAsync");
      wait();
    }
  }

  void to_host(void* to, DevicePointer from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += staging_bytes_) {
      const std::size_t part = std::min(staging_bytes_, bytes - done);
      check(device_->driver.copy_to_host(staging_.as<void>(), from + done, part, stream_), "cuMemcpyDtoHAsync");
      wait();
      std::memcpy(static_cast<char*>(to) + done, staging_.as<char>(), part);
    }
  }

  void gather(double* to, DevicePointer tiles, std::size_t width, std::size_t count) {
    timed([&] {
      launch(gather_, count, tiles, static_cast<unsigned>(width), at(kRows), static_cast<unsigned>(count),
             at(kGathered));
    });
    to_host(to, at(kGathered), 8 * count * width);
  }

  const std::shared_ptr<Device> device_;
  const std::size_t tiled_;
  const std::size_t gathered_rows_;  // that are gathered at once
  const std::size_t staging_bytes_;
  Module module_ = nullptr;
  Function move_ = nullptr, evaluate_ = nullptr, count_odd_ = nullptr, accept_ = nullptr, combine_ = nullptr,
           gather_ = nullptr, step_ = nullptr, evaluate_gradient_ = nullptr;
  Stream stream_ = nullptr;
  Event started_ = nullptr, finished_ = nullptr;
  std::array<DeviceBuffer, kBuffers> buffers_{
      DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_),
      DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_),
      DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_), DeviceBuffer(*device_),
      DeviceBuffer(*device_)};
  PinnedBuffer staging_;
  Argument argument_{};
  std::size_t device_bytes_ = 0;
  double device_ms_ = 0;
};

}  // namespace

std::shared_ptr<Population> Population::load(const std::string& image, int device, const PopulationShape& shape,
                                             const double* box) {
  auto population = std::make_shared<LoadedPopulation>(Host::instance().device(device), shape);
  population->prepare(image, box);
  return population;
}

}  // namespace extremum::cuda

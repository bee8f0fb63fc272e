// A loaded kernel and its buffers. A batch goes to the device in chunks of limited size, so that a batch of any size
// needs bounded memory. While the device works on one chunk, the host fills the pinned memory of the next and empties
// that of the one before.
//
// One stream orders all work of a kernel, which is why one set of device buffers serves both chunks.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>

#include "cuda/buffers.h"
#include "cuda/host.h"
#include "extremum/cuda.h"

namespace extremum::cuda {

namespace {

// Candidates and results of a chunk in pinned memory. Larger chunks would not be copied faster.
constexpr std::size_t kChunkBytes = std::size_t{32} << 20;

// Rows [count, width] into tiles; lanes behind the last candidate repeat it.
void pack(const double* rows, std::size_t count, std::size_t width, double* tiles) {
  for (std::size_t first = 0; first < count; first += kTileLanes) {
    const std::size_t last = std::min(kTileLanes, count - first) - 1;
    for (std::size_t k = 0; k < width; ++k) {
      double* const column = tiles + first * width + k * kTileLanes;
      for (std::size_t lane = 0; lane < kTileLanes; ++lane)
        column[lane] = rows[(first + std::min(lane, last)) * width + k];
    }
  }
}

void unpack(const double* tiles, std::size_t count, std::size_t width, double* rows) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* const start = tiles + i / kTileLanes * kTileLanes * width + i % kTileLanes;
    for (std::size_t k = 0; k < width; ++k) rows[i * width + k] = start[k * kTileLanes];
  }
}

struct Chunk {
  explicit Chunk(Device& device) : input(device), values(device), status(device), lines(device) {}
  PinnedBuffer input, values, status, lines;
  Event started = nullptr, finished = nullptr;
  std::size_t first = 0, rows = 0;
};

class LoadedKernel final : public Kernel {
 public:
  LoadedKernel(std::shared_ptr<Device> device, const KernelShape& shape)
      : Kernel(shape),
        device_(std::move(device)),
        input_(*device_),
        values_(*device_),
        status_(*device_),
        lines_(*device_),
        chunks_{Chunk(*device_), Chunk(*device_)} {
    device_->kernels++;
  }

  ~LoadedKernel() override {
    // A lost device refuses all this, and has nothing left to give back.
    const Driver& driver = device_->driver;
    device_->kernels--;
    driver.set_context(device_->context());
    drain();
    release_buffers();
    for (Chunk& chunk : chunks_) {
      if (chunk.started) driver.destroy_event(chunk.started);
      if (chunk.finished) driver.destroy_event(chunk.finished);
    }
    if (stream_) driver.destroy_stream(stream_);
    if (module_) driver.unload_module(module_);
    driver.set_context(nullptr);
  }

  void prepare(const std::string& image, const char* name) {
    const Driver& driver = device_->driver;
    const Device::Current current(*device_);
    check(driver.load_module(&module_, image.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
    check(driver.module_function(&function_, module_, name), "cuModuleGetFunction", name);
    int threads = 0, local = 0;
    check(driver.function_attribute(&threads, kFunctionThreads, function_), "cuFuncGetAttribute");
    check(driver.function_attribute(&local, kFunctionLocalBytes, function_), "cuFuncGetAttribute");
    check(driver.function_attribute(&registers_, kFunctionRegisters, function_), "cuFuncGetAttribute");
    local_bytes_ = static_cast<std::size_t>(local);
    device_->check_local_memory(local_bytes_);
    if (static_cast<unsigned>(threads) < shape_.block_threads)
      throw Failure(FailureKind::kUnavailable, "the kernel needs too many registers for a block of " +
                                                   std::to_string(shape_.block_threads) + " threads");
    check(driver.create_stream(&stream_, kNonBlockingStream), "cuStreamCreate");
    for (Chunk& chunk : chunks_) {
      check(driver.create_event(&chunk.started, 0), "cuEventCreate");
      check(driver.create_event(&chunk.finished, 0), "cuEventCreate");
    }
    chunk_rows_ = shape_.chunk_rows ? whole_tiles(shape_.chunk_rows) : suitable_chunk_rows();
  }

  Outcome evaluate(const Batch& batch, const std::atomic<std::int32_t>* cancel) override {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw Failure(FailureKind::kFailed, failure_);
    if (batch.count == 0) return Outcome::kDone;
    const Device::Current current(*device_);
    try {
      return run(batch, cancel);
    } catch (const Failure& failure) {
      // Copies that are under way write to buffers that the next call may free.
      drain();
      if (failure.kind() != FailureKind::kOutOfMemory) failure_ = failure.what();
      throw;
    }
  }

  State state() override {
    const std::lock_guard lock(mutex_);
    return {device_->ordinal,
            local_bytes_,
            registers_,
            chunk_rows_,
            capacity_ * row_bytes(),
            chunks_.size() * capacity_ * row_bytes(),
            device_ms_ / 1e3};
  }

 private:
  void check(Result result, const char* call, const std::string& detail = "") { device_->check(result, call, detail); }

  void drain() {
    if (stream_) device_->driver.wait_for_stream(stream_);
  }

  // On the device, and in each of the two pieces of pinned memory.
  std::size_t row_bytes() const { return sizeof(double) * (shape_.dimension + shape_.results) + 1 + 4; }

  std::size_t suitable_chunk_rows() const {
    const std::size_t rows = std::min(kChunkBytes / row_bytes(), kChunkWaves * device_->threads());
    return std::max(kTileLanes, rows / kTileLanes * kTileLanes);
  }

  void release_buffers() {
    capacity_ = reserved_for_ = 0;
    for (DeviceBuffer* buffer : {&input_, &values_, &status_, &lines_}) buffer->reset();
    for (Chunk& chunk : chunks_)
      for (PinnedBuffer* buffer : {&chunk.input, &chunk.values, &chunk.status, &chunk.lines}) buffer->reset();
  }

  // Buffers grow with the batches, by doubling, up to a chunk.
  void reserve(std::size_t count) {
    const std::size_t wanted = std::min(chunk_rows_, whole_tiles(count));
    if (wanted <= reserved_for_) return;
    release_buffers();
    std::size_t free = 0, total = 0;
    check(device_->driver.memory_info(&free, &total), "cuMemGetInfo");
    const std::size_t fitting = free / kBufferShare / row_bytes() / kTileLanes * kTileLanes;
    if (fitting == 0)
      throw Failure(FailureKind::kOutOfMemory,
                    device_->describe() + " has too little free memory for a tile of candidates: " +
                        mebibytes(kTileLanes * row_bytes()) + " are needed and " + mebibytes(free) + " are free");
    const std::size_t rows = std::min({chunk_rows_, fitting, std::bit_ceil(wanted)});
    try {
      allocate(rows);
    } catch (const Failure&) {
      release_buffers();
      throw;
    }
    capacity_ = rows;
    reserved_for_ = std::max(rows, wanted);
  }

  void allocate(std::size_t rows) {
    const std::size_t candidates = rows * shape_.dimension * sizeof(double),
                      results = rows * shape_.results * sizeof(double);
    input_.allocate(candidates, "candidates");
    values_.allocate(results, "values");
    status_.allocate(rows, "status");
    lines_.allocate(4 * rows, "lines");
    for (Chunk& chunk : chunks_) {
      chunk.input.allocate(candidates, "candidates");
      chunk.values.allocate(results, "values");
      chunk.status.allocate(rows, "status");
      chunk.lines.allocate(4 * rows, "lines");
    }
  }

  Outcome run(const Batch& batch, const std::atomic<std::int32_t>* cancel) {
    reserve(batch.count);
    std::size_t sent = 0, next = 0;
    std::size_t waiting = 0;  // chunks that the device has
    bool cancelled = false;
    while (sent < batch.count || waiting > 0) {
      cancelled = cancelled || (cancel && cancel->load(std::memory_order_relaxed) != 0);
      if (cancelled) {
        check(device_->driver.wait_for_stream(stream_), "cuStreamSynchronize");
        return Outcome::kCancelled;
      }
      if (sent < batch.count && waiting < chunks_.size()) {
        Chunk& chunk = chunks_[next];
        chunk.first = sent;
        chunk.rows = std::min(capacity_, batch.count - sent);
        send(chunk, batch);
        sent += chunk.rows;
        next = (next + 1) % chunks_.size();
        waiting++;
      } else {
        receive(chunks_[(next + chunks_.size() - waiting) % chunks_.size()], batch);
        waiting--;
      }
    }
    return Outcome::kDone;
  }

  void send(Chunk& chunk, const Batch& batch) {
    const Driver& driver = device_->driver;
    const std::size_t tiled = whole_tiles(chunk.rows);
    // Chunks are whole tiles but for the last.
    const double* const candidates = batch.candidates + chunk.first * shape_.dimension;
    if (batch.layout == Layout::kRows)
      pack(candidates, chunk.rows, shape_.dimension, chunk.input.as<double>());
    else
      std::copy_n(candidates, tiled * shape_.dimension, chunk.input.as<double>());
    check(driver.record_event(chunk.started, stream_), "cuEventRecord");
    check(driver.copy_to_device(input_.address(), chunk.input.as<void>(), tiled * shape_.dimension * sizeof(double),
                                stream_),
          "cuMemcpyHtoDAsync");
    DevicePointer input = input_.address(), values = values_.address(), status = status_.address();
    DevicePointer lines = batch.lines ? lines_.address() : 0;
    unsigned count = static_cast<unsigned>(chunk.rows);
    void* arguments[] = {&input, &count, &values, &status, &lines};
    const unsigned blocks = (count + shape_.block_threads - 1) / shape_.block_threads;
    check(driver.launch(function_, blocks, 1, 1, shape_.block_threads, 1, 1, 0, stream_, arguments, nullptr),
          "cuLaunchKernel", std::to_string(blocks) + " blocks");
    const auto fetch = [&](const PinnedBuffer& to, const DeviceBuffer& from, std::size_t bytes) {
      check(driver.copy_to_host(to.as<void>(), from.address(), bytes, stream_), "cuMemcpyDtoHAsync");
    };
    fetch(chunk.values, values_, tiled * shape_.results * sizeof(double));
    fetch(chunk.status, status_, chunk.rows);
    if (batch.lines) fetch(chunk.lines, lines_, 4 * chunk.rows);
    check(driver.record_event(chunk.finished, stream_), "cuEventRecord");
  }

  void receive(const Chunk& chunk, const Batch& batch) {
    const Driver& driver = device_->driver;
    check(driver.wait_for_event(chunk.finished), "cuEventSynchronize");
    float elapsed_ms = 0;
    check(driver.elapsed_ms(&elapsed_ms, chunk.started, chunk.finished), "cuEventElapsedTime");
    device_ms_ += elapsed_ms;
    double* const values = batch.values + chunk.first * shape_.results;
    unpack(chunk.values.as<double>(), chunk.rows, shape_.results, values);
    std::copy_n(chunk.status.as<std::uint8_t>(), chunk.rows, batch.status + chunk.first);
    if (batch.lines) std::copy_n(chunk.lines.as<std::int32_t>(), chunk.rows, batch.lines + chunk.first);
  }

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  Module module_ = nullptr;
  Function function_ = nullptr;
  Stream stream_ = nullptr;
  std::size_t local_bytes_ = 0;
  int registers_ = 0;
  std::size_t chunk_rows_ = 0;
  std::size_t capacity_ = 0;      // rows that all buffers have room for
  std::size_t reserved_for_ = 0;  // rows for which they are as large as memory allows
  DeviceBuffer input_, values_, status_, lines_;
  std::array<Chunk, 2> chunks_;
  double device_ms_ = 0;
  std::string failure_;  // why the kernel cannot be called any more
};

}  // namespace

std::shared_ptr<Kernel> Kernel::load(const std::string& image, const char* name, int device, const KernelShape& shape) {
  auto kernel = std::make_shared<LoadedKernel>(Host::instance().device(device), shape);
  kernel->prepare(image, name);
  return kernel;
}

}  // namespace extremum::cuda

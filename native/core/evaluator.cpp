#include "extremum/evaluator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "extremum/native_code.h"
#include "extremum/targets.h"
#include "extremum/thread_pool.h"

namespace extremum {
namespace {

constexpr std::uint8_t kFuelExhausted = 9;  // LANE STATUS: src/ir/types.ts
constexpr std::size_t kAlignment = 64;
// What a step takes for one lane, about, until the program has been timed.
constexpr double kSecondsPerStep = 1e-10;

// The memory of one thread: coordinates, registers and masks of the block that it evaluates. Grows, is reused by every
// program and is freed with the thread.
class Frame {
 public:
  ~Frame() { std::free(data_); }

  // False when memory is short. Another program's leftovers are cleared, so that none can be read.
  bool prepare(const Program& program, std::size_t doubles) {
    if (program.id() == program_id_) return true;
    program_id_ = 0;
    const std::size_t bytes = (doubles * sizeof(double) + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > capacity_) {
      std::free(data_);
      capacity_ = 0;
      data_ = static_cast<double*>(std::aligned_alloc(kAlignment, bytes));
      if (!data_) return false;
      capacity_ = bytes;
    }
    std::memset(data_, 0, bytes);
    program_id_ = program.id();
    return true;
  }

  double* data() { return data_; }

 private:
  double* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t program_id_ = 0;
};

// Where the virtual machine works, and where native code does.
Frame& thread_frame() {
  thread_local Frame frame;
  return frame;
}
Frame& native_frame() {
  thread_local Frame frame;
  return frame;
}

// A thread's own copy of the steps of a program with `for` or numbers: there, operands move from round to round.
class Image {
 public:
  // The steps to run, or null when memory is short.
  const Step* prepare(const Program& program) {
    if (program.loops().empty() && program.numbers().empty()) return program.steps().data();
    if (program.id() == program_id_) return steps_.get();
    forget();
    const std::size_t numbers = program.numbers().size();
    std::size_t operands = 0;
    for (const CountedLoop& loop : program.loops()) operands += loop.operands.size();
    steps_.reset(new (std::nothrow) Step[program.steps().size()]);
    numbers_.reset(new (std::nothrow) Number[numbers]);
    moves_.reset(new (std::nothrow) Move[operands]);
    loops_.reset(new (std::nothrow) Loop[program.loops().size()]);
    if (!steps_ || !numbers_ || !moves_ || !loops_) return nullptr;
    std::copy(program.steps().begin(), program.steps().end(), steps_.get());
    for (std::size_t k = 0; k < numbers; k++) {
      const std::int64_t offset = program.elements()[program.numbers()[k]].offset;
      numbers_[k] = {static_cast<std::uint64_t>(offset), static_cast<double>(offset)};
    }
    for (const ElementUse& use : program.element_uses()) {
      Operand& operand = steps_[use.step].*kOperands[use.operand];
      if (program.elements()[use.element].space == Space::kNumber) operand.constant = &numbers_[operand.bits].value;
    }
    Move* next = moves_.get();
    for (std::size_t k = 0; k < program.loops().size(); k++) {
      const CountedLoop& loop = program.loops()[k];
      loops_[k].counted = &loop;
      loops_[k].moves = next;
      for (const auto& [step, operand, delta] : loop.operands) *next++ = {&(steps_[step].*kOperands[operand]).bits, delta};
      loops_[k].moves_end = next;
    }
    program_id_ = program.id();
    return steps_.get();
  }

  // A `for` while it runs.
  struct Move {
    std::uintptr_t* bits;
    std::uint64_t delta;
  };
  struct Loop {
    std::int64_t index, count;
    const Move *moves, *moves_end;
    const CountedLoop* counted;
  };
  Loop& loop(std::int32_t number) { return loops_[static_cast<std::size_t>(number)]; }

  // To the place `rounds` further on; all wraps around, so that what was added can be taken back.
  void advance(const Loop& loop, std::uint64_t rounds) {
    for (const Move* move = loop.moves; move != loop.moves_end; move++) *move->bits += move->delta * rounds;
    for (const auto& [number, delta] : loop.counted->numbers) {
      Number& moved = numbers_[number];
      moved.integer += delta * rounds;
      moved.value = static_cast<double>(static_cast<std::int64_t>(moved.integer));
    }
  }

  // After a run that was left in the middle of a loop.
  void forget() { program_id_ = 0; }

 private:
  struct Number {
    std::uint64_t integer;
    double value;
  };
  std::unique_ptr<Step[]> steps_;
  std::unique_ptr<Number[]> numbers_;
  std::unique_ptr<Move[]> moves_;
  std::unique_ptr<Loop[]> loops_;
  std::uint64_t program_id_ = 0;
};

Image& thread_image() {
  thread_local Image image;
  return image;
}

// Rows that narrow blocks take; more are cheaper in a wide one.
constexpr std::size_t kNarrowRows = 32;
// Rows handed to a thread at a time, at most: some blocks, so that threads seldom meet.
constexpr std::size_t kMostRows = 4 * kLanesOf[kWide];
// The fewest for native code; whole groups.
constexpr std::size_t kNativeUnit = 32;
static_assert(kNativeUnit % kMostGroupLanes == 0 && kTileLanes % kNativeUnit == 0);

// Candidates of a batch, from one on.
struct Candidates {
  const double* all;
  Layout layout;
  std::size_t dimension, first = 0;

  Candidates from(std::size_t row) const { return {all, layout, dimension, first + row}; }
  // Of a row: its coordinates. Of tiles: the first coordinate, the others kTileLanes apart.
  const double* start() const {
    return all + (layout == Layout::kRows ? first * dimension : tiled_start(first, dimension));
  }
  // Of `rows` candidates from here on, those in this tile.
  std::size_t within_tile(std::size_t rows) const { return std::min(rows, kTileLanes - first % kTileLanes); }
};

// Columns of `rows` lanes from tiles, `stride` apart, padded with the last lane to `lanes`.
void copy_columns(const double* tile, std::size_t rows, std::size_t dimension, double* columns, std::size_t stride,
                  std::size_t lanes) {
  for (std::size_t d = 0; d < dimension; d++) {
    double* const column = columns + d * stride;
    std::memcpy(column, tile + d * kTileLanes, rows * sizeof *tile);
    std::fill(column + rows, column + lanes, column[rows - 1]);
  }
}

// Runs one block of `rows` candidates; surplus lanes repeat the last one.
class BlockRun {
 public:
  BlockRun(const Program& program, const Step* steps, Image& image, double* base, BlockSize size, std::size_t rows,
           const std::atomic<std::int32_t>* cancel)
      : program_(program), steps_(steps), image_(image), kernels_(program.kernels()), size_(size),
        lanes_(kLanesOf[size]), rows_(rows), cancel_(cancel) {
    context_.base = base;
    context_.running = running(0);
  }

  // False when cancelled.
  bool run(const Candidates& candidates, double* values, std::uint8_t* status, std::int32_t* lines) {
    const auto lay_out = candidates.layout == Layout::kRows ? kernels_.transpose : copy_columns;
    lay_out(candidates.start(), rows_, program_.dimension(), context_.base, kBlockStride, lanes_);
    std::fill_n(running(0), lanes_, std::int64_t{-1});
    std::memset(status, 0, rows_);
    if (lines) std::memset(lines, 0, rows_ * sizeof *lines);
    status_ = status;
    lines_ = lines;
    const Step* const end = execute();
    if (!end) return false;
    double* const result = context_.base + program_.scratch_block() * kBlockStride;
    if (end->imm) std::fill_n(result, lanes_, *end->a.constant);
    kernels_.canonicalize(end->imm ? result : context_.base + end->a.offset, result, lanes_);
    const std::size_t width = program_.results();
    // Outputs lie behind the value.
    if (width == 1) std::memcpy(values, result, rows_ * sizeof *values);
    else kernels_.deliver(result, kBlockStride, width, rows_, values);
    if (flagged_)
      for (std::size_t i = 0; i < rows_; i++)
        if (status[i]) std::fill_n(values + i * width, width, std::numeric_limits<double>::quiet_NaN());
    return true;
  }

 private:
  std::int64_t* running(std::size_t depth) const {
    return reinterpret_cast<std::int64_t*>(context_.base + (program_.mask_block() + depth) * kBlockStride);
  }
  const std::int64_t* mask(Operand operand) const {
    return reinterpret_cast<const std::int64_t*>(context_.base + operand.offset);
  }

  // Returns the `return` step, or null when cancelled.
  const Step* execute() {
    const Step* const steps = steps_;
    const std::size_t lanes = lanes_, size = size_;
    for (const Step* step = steps;; step++) {
      for (Kernel kernel; (kernel = step->kernel[size]); step++) kernel(context_, *step);
      switch (step->opcode) {
        case Opcode::k_if:
          descend();
          if (!kernels_.mask_and(context_.running, running(depth_ - 1), mask(step->a), lanes)) {
            // Nobody goes in: on to `else`, which then gets every lane.
            step = steps + step->target - 1;
          }
          break;
        case Opcode::k_else:
          if (!kernels_.mask_and_not(context_.running, running(depth_ - 1), context_.running, lanes))
            step = steps + step->target - 1;
          break;
        case Opcode::k_endif: ascend(); break;
        case Opcode::k_loop: {
          descend();
          std::memcpy(context_.running, running(depth_ - 1), lanes * sizeof(std::int64_t));
          rounds_[depth_] = 0;
          break;
        }
        case Opcode::k_endloop: {
          bool again = kernels_.mask_and(context_.running, context_.running, mask(step->a), lanes);
          if (again && ++rounds_[depth_] >= step->imm) {
            flag(context_.running, kFuelExhausted, step->line);
            again = false;
          }
          if (again) {
            if (cancel_ && cancel_->load(std::memory_order_relaxed)) return nullptr;
            step = steps + step->target - 1;
          } else {
            ascend();
          }
          break;
        }
        case Opcode::k_for: {
          Image::Loop& loop = image_.loop(step->imm);
          fors_[loop.counted->level] = &loop;
          loop.index = 0;
          loop.count = count_of(*loop.counted);
          if (loop.count < 1) step = steps + step->target - 1;
          break;
        }
        case Opcode::k_endfor: {
          Image::Loop& loop = image_.loop(step->imm);
          if (++loop.index < loop.count) {
            if (cancel_ && cancel_->load(std::memory_order_relaxed)) return nullptr;
            image_.advance(loop, 1);
            step = steps + step->target - 1;
          } else {
            image_.advance(loop, static_cast<std::uint64_t>(1 - loop.count));
          }
          break;
        }
        case Opcode::k_return: return step;
        case Opcode::k_check:
          if (kernels_.mask_any(mask(step->a), context_.running, lanes))
            flag(mask(step->a), static_cast<std::uint8_t>(step->imm), step->line);
          break;
        default:  // check_*
          if (step->test[size](context_, *step)) {
            // The comparison itself, which is rare.
            kernels_.find_kernel[size](step->opcode, step->constants >> 1)(context_, *step);
            flag(mask(step->out), static_cast<std::uint8_t>(step->imm), step->line);
          }
      }
    }
  }

  std::int64_t count_of(const CountedLoop& loop) const {
    const Element& form = program_.elements()[loop.count];
    std::int64_t count = form.offset;
    for (const IndexTerm& term : form.terms) count += term.scale * fors_[term.level]->index;
    return count;
  }

  void descend() { context_.running = running(++depth_); }
  void ascend() { context_.running = running(--depth_); }

  // Flags the running lanes where `mask` holds and takes them out at every depth: they run no more, so the first flag
  // stays, and loops do not wait for them.
  void flag(const std::int64_t* mask, std::uint8_t status, std::int32_t line) {
    const std::int64_t* const now = context_.running;
    for (std::size_t i = 0; i < lanes_; i++) {
      if (!(mask[i] & now[i])) continue;
      if (i < rows_) {
        status_[i] = status;
        if (lines_) lines_[i] = line;
      }
      for (std::size_t depth = 0; depth <= depth_; depth++) running(depth)[i] = 0;
    }
    flagged_ = true;
  }

  const Program& program_;
  const Step* const steps_;
  Image& image_;
  const KernelTable& kernels_;
  const BlockSize size_;
  const std::size_t lanes_, rows_;
  const std::atomic<std::int32_t>* const cancel_;
  Context context_{};
  std::size_t depth_ = 0;
  bool flagged_ = false;
  std::uint8_t* status_ = nullptr;
  std::int32_t* lines_ = nullptr;
  std::array<std::int32_t, kMaxDepth> rounds_;
  std::array<const Image::Loop*, kMaxForDepth> fors_;  // by level
};

bool is_set(const std::atomic<std::int32_t>* cancel) { return cancel && cancel->load(std::memory_order_relaxed); }

// `rows` candidates on the virtual machine.
Outcome run_blocks(const Program& program, const Candidates& candidates, std::size_t rows, double* values,
                   std::uint8_t* status, std::int32_t* lines, const std::atomic<std::int32_t>* cancel) {
  Frame& frame = thread_frame();
  if (!frame.prepare(program, program.frame_doubles())) return Outcome::kOutOfMemory;
  Image& image = thread_image();
  const Step* const steps = image.prepare(program);
  if (!steps) return Outcome::kOutOfMemory;
  for (std::size_t row = 0; row < rows;) {
    if (is_set(cancel)) return Outcome::kCancelled;
    const BlockSize size = rows - row > kNarrowRows ? kWide : kNarrow;
    const std::size_t count = candidates.from(row).within_tile(std::min(kLanesOf[size], rows - row));
    BlockRun block(program, steps, image, frame.data(), size, count, cancel);
    if (!block.run(candidates.from(row), values + row * program.results(), status + row,
                   lines ? lines + row : nullptr)) {
      image.forget();
      return Outcome::kCancelled;
    }
    row += count;
  }
  return Outcome::kDone;
}

// A division would take as long as some candidates.
std::size_t whole_groups(std::size_t rows, std::size_t group_lanes) { return rows >> std::countr_zero(group_lanes); }

// Groups of native code on tiles; `rows` candidates count. Bits as NativeCode::run gives them.
class NativeRun {
 public:
  NativeRun(const Program& program, const NativeCode& code, double* frame, const std::atomic<std::int32_t>* cancel)
      : program_(program), code_(code), frame_(frame), cancel_(cancel) {}

  // `values`: room for whole groups, where the program has no outputs.
  std::uint32_t run(const double* tiles, std::size_t rows, double* values) const {
    const std::size_t lanes = code_.group_lanes(), width = program_.results();
    if (width == 1) return code_.run(frame_, tiles, whole_groups(rows + lanes - 1, lanes), values, cancel_);
    // One group at a time: outputs lie in the frame, behind the value.
    double* const columns = frame_ + code_.results_start();
    std::uint32_t given_up = 0;
    for (std::size_t group = 0, row = 0; row < rows; group++, row += lanes) {
      const std::uint32_t undone = code_.run(frame_, tiles + tiled_start(row, program_.dimension()), 1, columns, cancel_);
      if (undone & NativeCode::kCancelled) return undone;
      given_up |= undone << group;
      if (!undone) program_.kernels().deliver(columns, lanes, width, std::min(lanes, rows - row), values + row * width);
    }
    return given_up;
  }

 private:
  const Program& program_;
  const NativeCode& code_;
  double* const frame_;
  const std::atomic<std::int32_t>* const cancel_;
};

// The most candidates that run_native takes: whole groups, which reach into the next tile only from the start of one.
std::size_t native_rows(const NativeCode& code, const Candidates& candidates, std::size_t rows) {
  const bool crosses = candidates.layout == Layout::kTiles && candidates.first % kTileLanes == 0;
  rows = std::min(code.block_lanes(), rows);
  return crosses ? rows : candidates.within_tile(rows);
}

// native_rows candidates by native code. Sets bit k of `given_up` for each group k that it left undone.
Outcome run_native(const Program& program, const NativeCode& code, const Candidates& candidates, std::size_t rows,
                   double* values, std::uint32_t& given_up, const std::atomic<std::int32_t>* cancel) {
  Frame& frame = native_frame();
  const std::size_t lanes = code.group_lanes(), full = whole_groups(rows, lanes), done = full * lanes, left = rows - done;
  const std::size_t dimension = program.dimension(), width = program.results();
  // Behind the frame: the values of a group that is not full, and a tile.
  if (!frame.prepare(program, code.frame_doubles() + kMostGroupLanes + kTileLanes * dimension)) return Outcome::kOutOfMemory;
  double* const results = frame.data() + code.frame_doubles();
  double* const tile = results + kMostGroupLanes;
  const double *start = candidates.start(), *last = tile;
  if (candidates.layout == Layout::kRows) {
    program.kernels().transpose(start, rows, dimension, tile, kTileLanes, (rows + lanes - 1) / lanes * lanes);
    start = tile;
    last = tile + done;
  } else if (left > 0 && code.gives_up()) {
    // Lanes that mean nothing must not make a group give up.
    copy_columns(start + tiled_start(done, dimension), left, dimension, tile, kTileLanes, lanes);
  } else {
    last = start + tiled_start(done, dimension);
  }
  const NativeRun native(program, code, frame.data(), cancel);
  given_up = full > 0 ? native.run(start, done, values) : 0;
  if (given_up & NativeCode::kCancelled) return Outcome::kCancelled;
  if (left == 0) return Outcome::kDone;
  const std::uint32_t undone = native.run(last, left, width == 1 ? results : values + done * width);
  if (undone & NativeCode::kCancelled) return Outcome::kCancelled;
  given_up |= undone << full;
  if (width == 1) std::memcpy(values + done, results, left * sizeof *values);
  return Outcome::kDone;
}

// Candidates by native code, and by the virtual machine where that gives up.
Outcome run_rows(const Program& program, const NativeCode& code, const Candidates& candidates, std::size_t rows,
                 double* values, std::uint8_t* status, std::int32_t* lines, const std::atomic<std::int32_t>* cancel) {
  std::memset(status, 0, rows);
  if (lines) std::memset(lines, 0, rows * sizeof *lines);
  for (std::size_t row = 0, count = 0; row < rows; row += count) {
    if (is_set(cancel)) return Outcome::kCancelled;
    count = native_rows(code, candidates.from(row), rows - row);
    std::uint32_t given_up = 0;
    Outcome outcome = run_native(program, code, candidates.from(row), count, values + row * program.results(), given_up, cancel);
    for (std::size_t group = 0; outcome == Outcome::kDone && given_up >> group != 0; group++) {
      if (!(given_up >> group & 1)) continue;
      const std::size_t first = row + group * code.group_lanes();
      outcome = run_blocks(program, candidates.from(first), std::min(code.group_lanes(), row + count - first),
                           values + first * program.results(), status + first, lines ? lines + first : nullptr, cancel);
    }
    if (outcome != Outcome::kDone) return outcome;
  }
  return Outcome::kDone;
}

// What separates two values that `fast` native code and the virtual machine gave: nothing in most lanes, and where
// terms cancel, still little beside the largest value of the block. Wrong code is far off.
bool nearly_equal(double value, double expected, double largest) {
  constexpr double kTolerance = 1e-9;
  if (std::isnan(expected) || std::isinf(expected)) return std::memcmp(&value, &expected, sizeof value) == 0;
  return std::abs(value - expected) <= kTolerance * largest;
}

// Before native code is used: does it give the virtual machine's bits on the first block of this batch? Stays open
// while every group was given up.
Outcome check_native(const Program& program, const NativeCode& code, const Batch& batch,
                     const std::atomic<std::int32_t>* cancel) {
  const std::size_t rows = std::min({code.block_lanes(), kTileLanes, batch.count}), width = program.results();
  const std::unique_ptr<double[]> values(new (std::nothrow) double[rows * width]), expected(new (std::nothrow) double[rows * width]);
  if (!values || !expected) return Outcome::kOutOfMemory;
  std::array<std::uint8_t, kTileLanes> status;
  const Candidates candidates{batch.candidates, batch.layout, program.dimension()};
  std::uint32_t given_up = 0;
  Outcome outcome = run_native(program, code, candidates, rows, values.get(), given_up, cancel);
  if (outcome == Outcome::kDone)
    outcome = run_blocks(program, candidates, rows, expected.get(), status.data(), nullptr, cancel);
  if (outcome != Outcome::kDone) return outcome;
  std::size_t compared = 0;
  // Of values, of outputs.
  double largest[] = {0, 0};
  for (std::size_t k = 0; k < rows * width; k++)
    if (std::isfinite(expected[k])) largest[k % width > 0] = std::max(largest[k % width > 0], std::abs(expected[k]));
  for (std::size_t i = 0; i < rows; i++) {
    if (given_up >> i / code.group_lanes() & 1) continue;
    compared++;
    const double *const row = values.get() + i * width, *const wanted = expected.get() + i * width;
    bool agree = true;
    for (std::size_t k = 0; k < width && code.fast(); k++) agree = agree && nearly_equal(row[k], wanted[k], largest[k > 0]);
    if (!code.fast()) agree = std::memcmp(row, wanted, width * sizeof *row) == 0;
    if (status[i] != 0 || !agree) {
      code.settle(NativeCode::Trust::kRejected);
      return Outcome::kDone;
    }
  }
  if (compared > 0) code.settle(NativeCode::Trust::kTrusted);
  return Outcome::kDone;
}

struct Task {
  const Program& program;
  const NativeCode* const code;
  const Batch& batch;
  const std::size_t unit_rows;
  const bool timed;
  const std::atomic<std::int32_t>* const cancel;
  std::atomic<bool> cancelled{false};
  std::atomic<bool> out_of_memory{false};
};

void evaluate_units(void* argument, std::size_t unit, std::size_t units) {
  Task& task = *static_cast<Task*>(argument);
  if (task.cancelled.load(std::memory_order_relaxed) || task.out_of_memory.load(std::memory_order_relaxed)) return;
  using Clock = std::chrono::steady_clock;
  const bool timed = task.timed && unit == 0;
  const Clock::time_point start = timed ? Clock::now() : Clock::time_point();
  const Batch& batch = task.batch;
  const std::size_t first = unit * task.unit_rows, rows = std::min(units * task.unit_rows, batch.count - first);
  const Candidates candidates{batch.candidates, batch.layout, task.program.dimension(), first};
  double* const values = batch.values + first * task.program.results();
  std::uint8_t* const status = batch.status + first;
  std::int32_t* const lines = batch.lines ? batch.lines + first : nullptr;
  const Outcome outcome = task.code
                              ? run_rows(task.program, *task.code, candidates, rows, values, status, lines, task.cancel)
                              : run_blocks(task.program, candidates, rows, values, status, lines, task.cancel);
  if (timed)
    task.program.measured(task.code != nullptr, std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(rows));
  if (outcome == Outcome::kCancelled) task.cancelled.store(true, std::memory_order_relaxed);
  if (outcome == Outcome::kOutOfMemory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

// On one thread.
double expected_seconds(const Program& program, bool native, std::size_t rows) {
  const double measured = program.seconds_per_row(native);
  return (measured > 0 ? measured : static_cast<double>(program.work()) * kSecondsPerStep) * static_cast<double>(rows);
}

}  // namespace

Outcome evaluate(const Program& program, const Batch& batch, unsigned threads,
                 const std::atomic<std::int32_t>* cancel) {
  if (batch.count == 0) return Outcome::kDone;
  const NativeCode* code = program.native_code();
  if (code && code->trust() == NativeCode::Trust::kUnchecked) {
    const Outcome outcome = check_native(program, *code, batch, cancel);
    if (outcome != Outcome::kDone) return outcome;
  }
  if (code && code->trust() != NativeCode::Trust::kTrusted) code = nullptr;
  const bool timed = threads > 1 && batch.count >= kLanesOf[kWide];
  threads = useful_threads(threads, expected_seconds(program, code != nullptr, batch.count));
  // Of a small batch, small blocks, so that every thread has some.
  const bool small = threads > 1 && batch.count < threads * kLanesOf[kWide];
  const std::size_t unit = code ? kNativeUnit : kLanesOf[small ? kNarrow : kWide];
  Task task{program, code, batch, unit, timed, cancel};
  const std::size_t units = (batch.count + unit - 1) / unit;
  parallel_for(units, threads > 1 ? kMostRows / unit : units, threads, evaluate_units, &task);
  if (task.out_of_memory.load()) return Outcome::kOutOfMemory;
  return task.cancelled.load() ? Outcome::kCancelled : Outcome::kDone;
}

}  // namespace extremum

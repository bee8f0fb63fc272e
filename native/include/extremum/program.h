// A verified program of the virtual machine. Encoding and instruction set: src/backends/native/opcodes.ts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extremum/elements.h"

namespace extremum {

// Candidates evaluated at once, one per lane. Wide blocks make the cost of a step small against its work and still keep
// the frame of an ordinary objective in the first-level cache (measured: 256 lanes lose more to transposing into the
// second level than they gain); narrow ones are for small batches.
enum BlockSize : std::size_t { kWide, kNarrow, kBlockSizes };
inline constexpr std::size_t kLanesOf[kBlockSizes] = {64, 16};

// Candidates of a tile: TILE_LANES of src/model/tiles.ts.
inline constexpr std::size_t kTileLanes = 64;
// Where in tiles a candidate's first coordinate is; its others follow kTileLanes apart.
constexpr std::size_t tiled_start(std::size_t row, std::size_t dimension) {
  return row / kTileLanes * kTileLanes * dimension + row % kTileLanes;
}
static_assert(kTileLanes % kLanesOf[kWide] == 0 && kTileLanes % kLanesOf[kNarrow] == 0);

// Doubles from one block of a frame to the next. One cache line more than the lanes: without it, equal lanes of every
// eighth block would share their low 12 address bits, and a load then waits for an unrelated store.
inline constexpr std::size_t kBlockStride = kLanesOf[kWide] + 8;

// Limits that keep a hostile program from asking for absurd memory. A frame has one block per coordinate, register and
// element of a local array. Each thread has a copy of a program with `for`, so that may not be as long as others.
inline constexpr std::int32_t kMaxDimension = 1 << 15;
inline constexpr std::size_t kMaxFrameBlocks = 1 << 16;
inline constexpr std::size_t kMaxInstructions = 1 << 24;
inline constexpr std::size_t kMaxInstructionsWithFor = 1 << 18;
inline constexpr std::size_t kMaxDepth = 1024;

enum class Opcode : std::int32_t {
#define EXTREMUM_OPCODE(name, signature, group) k_##name,
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
  kCount
};

class NativeCode;
struct Context;
struct Step;

// Carries out one step on all lanes of the running block.
using Kernel = void (*)(const Context&, const Step&);
// Whether a comparison holds on any running lane.
using Test = bool (*)(const Context&, const Step&);

// Where an operand is: a block of the frame (`offset` in doubles from its base) or a constant. `bits`: either, as what
// `for` adds to.
union Operand {
  std::size_t offset;
  const double* constant;
  std::uintptr_t bits;
};

// One decoded instruction. `kernel[...]` is null for what the evaluator does itself, and for check_*.
struct Step {
  Kernel kernel[kBlockSizes];
  Operand out, a, b, c;
  Test test[kBlockSizes];  // check_*: the quick question; where it holds, the kernel of its opcode writes the mask into `out`
  Opcode opcode;
  std::uint8_t constants;  // bit k: operand k of out, a, b, c is a constant
  // if: first step after else's; else: endif; endloop, endfor: first step of the body; for: first step after endfor
  std::uint32_t target;
  std::int32_t imm;     // check: status; endloop: fuel; bfill: truth value; for, endfor: number of the loop
  std::int32_t line;
};

// By the number that elements know them by.
inline constexpr Operand Step::*kOperands[] = {&Step::out, &Step::a, &Step::b, &Step::c};

// What the kernels of one block share.
struct Context {
  double* base;         // the frame
  std::int64_t* running; // mask of the lanes that run, -1 or 0
};

struct KernelTable;

// Immutable after load: any number of threads may evaluate it at once.
class Program {
 public:
  // Verifies and decodes. On a fault returns null and says in `error` what is wrong and at which instruction.
  // Nothing in `words` is trusted: a program that loads can neither fault nor touch memory outside its frame.
  static std::shared_ptr<const Program> load(const std::int32_t* words, std::size_t word_count, const double* constants,
                                             std::size_t constant_count, const KernelTable& kernels, std::string& error);

  std::size_t dimension() const { return dimension_; }
  // f64 registers: the blocks after the coordinates. Registers of masks follow, up to `mask_block()`.
  std::size_t registers() const { return registers_; }
  // Operands that are elements stand at index 0 of all loops; those of the space kNumber have their number in
  // numbers().
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Element>& elements() const { return elements_; }
  // By ascending step.
  const std::vector<ElementUse>& element_uses() const { return element_uses_; }
  const std::vector<CountedLoop>& loops() const { return loops_; }
  // Elements of the space kNumber that are operands, by the number that CountedLoop has for them.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  const std::vector<double>& constants() const { return constants_; }
  // Blocks of local arrays.
  std::size_t locals() const { return locals_; }
  // What is delivered for a candidate: the value, then the elements of the output array, which are the first local
  // blocks.
  std::size_t outputs() const { return outputs_; }
  std::size_t results() const { return 1 + outputs_; }
  // Steps that one evaluation takes at most; a huge number where there are huge loops.
  std::size_t work() const { return work_; }
  const KernelTable& kernels() const { return *kernels_; }
  std::size_t frame_doubles() const { return frame_blocks_ * kBlockStride; }
  // The mask of the lanes that run at nesting depth `d` (of `if` and `loop`) is block `mask_block() + d`; after the
  // deepest comes one block of scratch space, which the value is delivered from, then local arrays, outputs first.
  std::size_t mask_block() const { return mask_block_; }
  std::size_t scratch_block() const { return mask_block_ + depth_; }
  std::size_t local_block() const { return scratch_block() + 1; }
  std::uint64_t id() const { return id_; }

  // Native code of this program, or null. Attached at most once, also while other threads evaluate; lives as long as
  // the program.
  const NativeCode* native_code() const { return native_code_.load(std::memory_order_acquire); }
  // Seconds that a row took last on one thread, the least of late; 0: not measured yet. By tier: virtual machine,
  // native code.
  double seconds_per_row(bool native) const { return seconds_per_row_[native].load(std::memory_order_relaxed); }
  void measured(bool native, double seconds) const {
    // Slowly forgotten, so that one quick moment does not count for ever.
    const double before = seconds_per_row(native) * 1.01;
    seconds_per_row_[native].store(before > 0 && before < seconds ? before : seconds, std::memory_order_relaxed);
  }
  // Takes the code; false, and nothing changes, where there is some already.
  bool attach(std::unique_ptr<const NativeCode> code) const;

  ~Program();

 private:
  friend class ProgramLoader;
  Program() = default;
  std::vector<double> constants_;
  std::vector<Step> steps_;
  std::vector<Element> elements_;
  std::vector<ElementUse> element_uses_;
  std::vector<CountedLoop> loops_;
  std::vector<std::uint32_t> numbers_;
  const KernelTable* kernels_ = nullptr;
  std::size_t dimension_ = 0, registers_ = 0, frame_blocks_ = 0, mask_block_ = 0, depth_ = 0, locals_ = 0, outputs_ = 0, work_ = 0;
  std::uint64_t id_ = 0;
  mutable std::atomic<const NativeCode*> native_code_{nullptr};
  mutable std::atomic<double> seconds_per_row_[2]{};
};

}  // namespace extremum

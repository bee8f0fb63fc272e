// A verified program of the virtual machine. Encoding and instruction set: src/backends/native/opcodes.ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace extremum {

// Most candidates evaluated at once, one per lane; a block uses a multiple of kLaneStep lanes.
inline constexpr std::size_t kBlockLanes = 256;
inline constexpr std::size_t kLaneStep = 16;

// Limits that keep a hostile program from asking for absurd memory. A frame has one block per coordinate and register.
inline constexpr std::int32_t kMaxDimension = 1 << 15;
inline constexpr std::size_t kMaxFrameBlocks = 1 << 16;
inline constexpr std::size_t kMaxInstructions = 1 << 24;
inline constexpr std::size_t kMaxDepth = 1024;

enum class Opcode : std::int32_t {
#define EXTREMUM_OPCODE(name, signature, group) k_##name,
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
  kCount
};

struct Context;
struct Step;

// Carries out one step on all lanes of the running block.
using Kernel = void (*)(const Context&, const Step&);
// Whether a comparison holds on any running lane.
using Test = bool (*)(const Context&, const Step&);

// Where an operand is: a block of the frame (`offset` in doubles from its base) or a constant.
union Operand {
  std::size_t offset;
  const double* constant;
};

// One decoded instruction. `kernel` is null for what the evaluator does itself.
struct Step {
  Kernel kernel;
  Operand out, a, b, c;
  Test test;            // check_*: the quick question; `kernel` then writes the mask into `out`
  Opcode opcode;
  std::uint32_t target; // if: first step after else's; else: endif; endloop: first step of the body
  std::int32_t imm;     // check: status; endloop: fuel; bfill: truth value
  std::int32_t line;
};

// What the kernels of one block share.
struct Context {
  double* base;         // the frame
  std::size_t lanes;    // multiple of kLaneStep, at most kBlockLanes
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
  const std::vector<Step>& steps() const { return steps_; }
  const KernelTable& kernels() const { return *kernels_; }
  // Lanes per block for this program: fewer when the frame is large, so that it stays in the cache.
  std::size_t block_lanes() const { return block_lanes_; }
  // Doubles from one block of the frame to the next.
  std::size_t block_stride() const { return block_stride_; }
  std::size_t frame_doubles() const { return frame_blocks_ * block_stride_; }
  // Mask of the lanes that run at nesting depth `d` is block `mask_block() + d`.
  std::size_t mask_block() const { return mask_block_; }
  std::size_t depth() const { return depth_; }
  std::uint64_t id() const { return id_; }

 private:
  friend class ProgramLoader;
  std::vector<double> constants_;
  std::vector<Step> steps_;
  const KernelTable* kernels_ = nullptr;
  std::size_t dimension_ = 0, block_lanes_ = 0, block_stride_ = 0, frame_blocks_ = 0, mask_block_ = 0, depth_ = 0;
  std::uint64_t id_ = 0;
};

}  // namespace extremum

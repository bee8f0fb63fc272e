// Native code of a program: the fast tier above the virtual machine, with equal bits. x86-64 with AVX-512 or AVX2 under
// systems with mmap; elsewhere `compile` says that there is none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extremum/program.h"

namespace extremum {

// Lanes that one call of native code works on at most, and groups (bits of what it returns); lanes of a group, at most.
inline constexpr std::size_t kMostNativeLanes = 256, kMostGroups = 16, kMostGroupLanes = 32;

// Expansions of the mathematics library by opcode; null where not given. Straight-line programs whose coordinates are
// the arguments.
using MathLibrary = std::vector<std::shared_ptr<const Program>>;

class NativeCode {
 public:
  // What the first evaluation found: code is used only after it has given the bits of the virtual machine (`fast`:
  // nearly its values).
  enum class Trust : std::uint8_t { kUnchecked, kTrusted, kRejected };

  struct Options {
    std::string target;    // "avx512" or "avx2"; the CPU must have it
    unsigned vectors = 0;  // vectors per step (1, 2 or 4); 0: as many as the registers take
    std::size_t max_bytes = 1 << 20;
    // Fused operations wherever the CPU has them: faster, a little more accurate, other bits than the virtual
    // machine's.
    bool fast = false;
    // Rows of a batch, where known: no more vectors than hold them. 0: not known.
    std::size_t rows_at_once = 0;
  };

  // Null, and why in `reason`, where this program has to stay with the virtual machine.
  static std::unique_ptr<NativeCode> compile(const Program& program, const MathLibrary& library, const Options& options,
                                             std::string& reason);
  // Whether this build and CPU can run native code of a target.
  static bool supports(const std::string& target);

  ~NativeCode();
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  const std::string& target() const { return target_; }
  bool fast() const { return fast_; }
  unsigned vectors() const { return vectors_; }
  std::size_t code_bytes() const { return code_bytes_; }
  // Lanes that are evaluated, and given up, together: a power of two.
  std::size_t group_lanes() const { return group_lanes_; }
  // Lanes of one call of `run`: whole groups.
  std::size_t block_lanes() const { return block_lanes_; }
  // Whether a group can be given up.
  bool gives_up() const { return gives_up_; }
  // Memory of a running evaluation, aligned to 64 bytes.
  std::size_t frame_doubles() const { return frame_doubles_; }
  // Of a program with outputs: where in the frame the values of a group go, `group_lanes` doubles; its outputs follow,
  // each as many. Such code runs one group at a time.
  std::size_t results_start() const { return results_start_; }

  // Bit 31: cancelled. Bit k: group k met a check that fires, so its lanes are for the virtual machine.
  static constexpr std::uint32_t kCancelled = 0x80000000u;
  // `coordinates`: in tiles, of the first lane of a group; the groups of the first tile that are left go on with the
  // next. That may only be reached from the tile's first group.
  std::uint32_t run(double* frame, const double* coordinates, std::size_t groups, double* values, const std::atomic<std::int32_t>* cancel) const;

  Trust trust() const { return trust_.load(std::memory_order_acquire); }
  void settle(Trust trust) const { trust_.store(trust, std::memory_order_release); }

 private:
  NativeCode() = default;

  std::string target_;
  unsigned vectors_ = 0;
  std::size_t code_bytes_ = 0, mapped_bytes_ = 0, group_lanes_ = 0, block_lanes_ = 0, frame_doubles_ = 0,
              results_start_ = 0, entry_ = 0;
  bool fast_ = false, gives_up_ = false;
  void* pages_ = nullptr;
  std::vector<std::uint64_t> pool_;  // tables, then from `pool_start_` on single constants
  std::size_t pool_start_ = 0;
  mutable std::atomic<Trust> trust_{Trust::kUnchecked};
};

}  // namespace extremum

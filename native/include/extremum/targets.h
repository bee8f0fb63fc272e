// The instruction sets that the kernels were compiled for. One is chosen per process; tests can name another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "extremum/program.h"

namespace extremum {

// Entry points of one target. The same source (simd/target.inc) compiled with different flags; all give equal bits.
struct KernelTable {
  const char* name;
  // The kernel for an opcode; bit 0/1/2 of `constants` set: the first/second/third f64 operand is a constant.
  // Null where there is none.
  Kernel (*find_kernel[kBlockSizes])(Opcode opcode, unsigned constants);
  Test (*find_test[kBlockSizes])(Opcode opcode, unsigned constants);
  // Candidates in rows [rows, dimension] into one block per coordinate, padded with the last row.
  void (*transpose)(const double* candidates, std::size_t rows, std::size_t dimension, double* blocks,
                    std::size_t stride, std::size_t lanes);
  void (*canonicalize)(const double* a, double* out, std::size_t lanes);
  // Row-major results [rows, width] from one column per result, `stride` apart, a lane per row; every NaN as the
  // canonical one.
  void (*deliver)(const double* columns, std::size_t stride, std::size_t width, std::size_t rows, double* out);
  // out = a & b, out = a & ~b; whether any lane is left.
  bool (*mask_and)(std::int64_t* out, const std::int64_t* a, const std::int64_t* b, std::size_t lanes);
  bool (*mask_and_not)(std::int64_t* out, const std::int64_t* a, const std::int64_t* b, std::size_t lanes);
  bool (*mask_any)(const std::int64_t* a, const std::int64_t* b, std::size_t lanes);
};

// Targets compiled in that this CPU can run, best first; the last one always works.
const std::vector<const KernelTable*>& available_targets();
// By name, or null.
const KernelTable* find_target(std::string_view name);
// The best target, or the one named by the environment variable EXTREMUM_SIMD if it can run here. Fixed at first use.
const KernelTable& default_target();

}  // namespace extremum

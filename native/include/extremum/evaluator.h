// Evaluates batches of candidates with a loaded program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "extremum/program.h"

namespace extremum {

struct Batch {
  const double* candidates;  // row-major [count, dimension]
  std::size_t count;
  double* values;        // row-major [count, results]: the objective, then the outputs; canonical NaN where flagged
  std::uint8_t* status;  // [count]: LaneStatus of src/ir/types.ts
  std::int32_t* lines;   // [count] or null: source line of the flag, else 0
};

enum class Outcome { kDone, kCancelled, kOutOfMemory };

// Blocks the caller until all is done; the caller works too. `threads` >= 1 counts it. `cancel` may be null: another
// thread sets it non-zero to stop early (outputs are then incomplete). Any number of threads may call at once.
Outcome evaluate(const Program& program, const Batch& batch, unsigned threads, const std::atomic<std::int32_t>* cancel);

}  // namespace extremum

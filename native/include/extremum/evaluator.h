// Evaluates batches of candidates with a loaded program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "extremum/program.h"

namespace extremum {

// How candidates lie. Tiles (src/model/tiles.ts): columns of kTileLanes candidates; lanes behind the last one may be
// read and mean nothing. Rows: [count, dimension], for batches from outside; they become tiles one by one.
enum class Layout : std::uint8_t { kTiles, kRows };

struct Batch {
  const double* candidates;
  std::size_t count;
  double* values;        // row-major [count, results]: the objective, then the outputs; canonical NaN where flagged
  std::uint8_t* status;  // [count]: LaneStatus of src/ir/types.ts
  std::int32_t* lines;   // [count] or null: source line of the flag, else 0
  Layout layout = Layout::kTiles;
};

enum class Outcome { kDone, kCancelled, kOutOfMemory };

// Blocks the caller until all is done; the caller works too. `threads` >= 1 counts it. `cancel` may be null: another
// thread sets it non-zero to stop early (outputs are then incomplete). Any number of threads may call at once.
Outcome evaluate(const Program& program, const Batch& batch, unsigned threads, const std::atomic<std::int32_t>* cancel);

}  // namespace extremum

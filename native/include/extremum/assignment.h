// Robust tabu search for quadratic assignment. src/domains/solvers/assignment/tabu-search.ts computes equal bits and
// says what the arrays are; what changes in one changes in the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace extremum::assignment {

struct TabuSearch {
  std::size_t n;
  // [n, n] row-major each.
  const double* flow;
  const double* flow_t;
  double* placed;
  double* placed_t;
  const double* linear;
  double* delta;
  double* tabu;
  // [n], entries below n.
  std::int32_t* places;
  std::int32_t* best;
  // Current cost, best cost, moves so far.
  double* numbers;
  // [4], xoshiro128**.
  std::uint32_t* random;
};

// Makes `moves` moves, fewer once `stop` is set. Does not allocate.
void advance(const TabuSearch& search, std::size_t moves, const std::atomic<std::int32_t>* stop);

}  // namespace extremum::assignment

// What the C++ tests share: counting checks, and evaluating a program.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "extremum/evaluator.h"
#include "extremum/program.h"

namespace extremum::test {

inline int failures = 0;

#define CHECK(condition) extremum::test::check((condition), #condition, __LINE__)
inline void check(bool holds, const char* what, int line) {
  if (holds) return;
  failures++;
  std::printf("line %d: %s\n", line, what);
}

// Arrays of exactly the needed size, so that a sanitizer sees any access beyond.
struct Result {
  std::vector<double> values;
  std::vector<std::uint8_t> status;
  std::vector<std::int32_t> lines;
  Outcome outcome = Outcome::kDone;
  bool operator==(const Result& other) const {
    return status == other.status && lines == other.lines && outcome == other.outcome &&
           std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0;
  }
};
// Rows [count, dimension] into whole tiles. NaN behind the last candidate: whoever reads it must not notice.
inline std::vector<double> tiles_of(const std::vector<double>& rows, std::size_t dimension) {
  const std::size_t count = rows.size() / dimension;
  std::vector<double> tiles((count + kTileLanes - 1) / kTileLanes * kTileLanes * dimension, std::nan(""));
  for (std::size_t i = 0; i < count; i++)
    for (std::size_t k = 0; k < dimension; k++) tiles[tiled_start(i, dimension) + k * kTileLanes] = rows[i * dimension + k];
  return tiles;
}

// `candidates`: rows, which are laid out as `layout` says.
inline Result run(const Program& program, const std::vector<double>& candidates, unsigned threads = 1,
                  const std::atomic<std::int32_t>* cancel = nullptr, Layout layout = Layout::kTiles) {
  const std::size_t count = candidates.size() / program.dimension();
  Result result{std::vector<double>(count * program.results(), -1), std::vector<std::uint8_t>(count, 99), std::vector<std::int32_t>(count, -1)};
  const std::vector<double> laid_out = layout == Layout::kRows ? candidates : tiles_of(candidates, program.dimension());
  result.outcome = evaluate(program, {laid_out.data(), count, result.values.data(), result.status.data(),
                                      result.lines.data(), layout}, threads, cancel);
  return result;
}

}  // namespace extremum::test

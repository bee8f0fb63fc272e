// What the C++ tests share: counting checks, and evaluating a program.
#pragma once

#include <atomic>
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
inline Result run(const Program& program, const std::vector<double>& candidates, unsigned threads = 1,
                  const std::atomic<std::int32_t>* cancel = nullptr) {
  const std::size_t count = candidates.size() / program.dimension();
  Result result{std::vector<double>(count * program.results(), -1), std::vector<std::uint8_t>(count, 99), std::vector<std::int32_t>(count, -1)};
  result.outcome = evaluate(program, {candidates.data(), count, result.values.data(), result.status.data(),
                                      result.lines.data()}, threads, cancel);
  return result;
}

}  // namespace extremum::test

// Objectives as one would write them by hand for this processor: AVX-512 (or AVX2), FMA, libmvec. The yardstick of
// bench/micro/native-code.mjs, which compiles this file and talks to it:
//   g++ -O3 -march=native -ffast-math -mprefer-vector-width=512 kernels.cpp -lmvec
//   the same with -mno-avx512f -mprefer-vector-width=256
// Reads the candidates (doubles, rows [kRows, 30]) from the file in argv[1], then commands from standard input:
//   values <kernel>            writes the values as text, one per line
//   time <kernel> <rounds>     writes the processor time of all rounds in seconds
//   threads <kernel> <rounds>  writes the elapsed seconds of all rounds on one thread, and on two that share the
//   candidates
// A kernel is `<objective>-<layout>`. Layouts: `columns`, [30, kRows]; `tiles`, columns of 64 candidates as ours;
// `rows`, the plain loop over a candidate's coordinates, left to the compiler.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "vectors.h"

constexpr std::size_t D = 30, kRows = 4096;

static constexpr double kTau = 2 * M_PI;

// kVectors vectors of lanes; x(d, u) gives coordinate d.
template <int kVectors, class X>
static inline void rosenbrock(X x, double* out) {
  V sum[kVectors], at[kVectors];
  for (int u = 0; u < kVectors; u++) sum[u] = splat(0), at[u] = x(0, u);
  for (std::size_t d = 0; d + 1 < D; d++)
    for (int u = 0; u < kVectors; u++) {
      const V next = x(d + 1, u), a = next - at[u] * at[u], b = splat(1) - at[u];
      sum[u] += splat(100) * (a * a) + b * b;
      at[u] = next;
    }
  for (int u = 0; u < kVectors; u++) store(out + kWidth * u, sum[u]);
}
template <int kVectors, class X>
static inline void rastrigin(X x, double* out) {
  V sum[kVectors];
  for (int u = 0; u < kVectors; u++) sum[u] = splat(10.0 * D);
  for (std::size_t d = 0; d < D; d++)
    for (int u = 0; u < kVectors; u++) {
      const V at = x(d, u);
      sum[u] += at * at - splat(10) * cos(splat(kTau) * at);
    }
  for (int u = 0; u < kVectors; u++) store(out + kWidth * u, sum[u]);
}
template <int kVectors, class X>
static inline void ackley(X x, double* out) {
  V squares[kVectors], waves[kVectors];
  for (int u = 0; u < kVectors; u++) squares[u] = waves[u] = splat(0);
  for (std::size_t d = 0; d < D; d++)
    for (int u = 0; u < kVectors; u++) {
      const V at = x(d, u);
      squares[u] += at * at;
      waves[u] += cos(splat(kTau) * at);
    }
  for (int u = 0; u < kVectors; u++) {
    const V first = splat(-20) * exp(splat(-0.2) * sqrt(squares[u] / splat(D)));
    store(out + kWidth * u, first - exp(waves[u] / splat(D)) + splat(20) + splat(M_E));
  }
}

static std::vector<double> candidates;
static double *columns, *tiles;
static double values[kRows];
// What this thread evaluates.
static thread_local std::size_t first_row = 0, end_row = kRows;

template <int kVectors, class Kernel>
static void by_columns(Kernel kernel) {
  for (std::size_t row = first_row; row < end_row; row += kWidth * kVectors)
    kernel([&](std::size_t d, int u) { return load(columns + d * (kRows + 8) + row + kWidth * u); }, values + row);
}
template <int kVectors, class Kernel>
static void by_tiles(Kernel kernel) {
  for (std::size_t row = first_row; row < end_row; row += kWidth * kVectors) {
    const double* const at = tiles + row / kTile * kTile * D + row % kTile;
    kernel([&](std::size_t d, int u) { return load(at + d * kTile + kWidth * u); }, values + row);
  }
}

static void rosenbrock_rows() {
  for (std::size_t row = first_row; row < end_row; row++) {
    const double* const x = &candidates[row * D];
    double sum = 0;
    for (std::size_t d = 0; d + 1 < D; d++) {
      const double a = x[d + 1] - x[d] * x[d], b = 1 - x[d];
      sum += 100 * (a * a) + b * b;
    }
    values[row] = sum;
  }
}
static void rastrigin_rows() {
  for (std::size_t row = first_row; row < end_row; row++) {
    const double* const x = &candidates[row * D];
    double sum = 10.0 * D;
    for (std::size_t d = 0; d < D; d++) sum += x[d] * x[d] - 10 * std::cos(kTau * x[d]);
    values[row] = sum;
  }
}
static void ackley_rows() {
  for (std::size_t row = first_row; row < end_row; row++) {
    const double* const x = &candidates[row * D];
    double squares = 0, waves = 0;
    for (std::size_t d = 0; d < D; d++) squares += x[d] * x[d], waves += std::cos(kTau * x[d]);
    values[row] = -20 * std::exp(-0.2 * std::sqrt(squares / D)) - std::exp(waves / D) + 20 + M_E;
  }
}

static bool run(const std::string& kernel) {
#define LANES(name, vectors) [](auto x, double* out) { name<vectors>(x, out); }
  if (kernel == "rosenbrock-tiles") by_tiles<4>(LANES(rosenbrock, 4));
  else if (kernel == "rastrigin-tiles") by_tiles<2>(LANES(rastrigin, 2));
  else if (kernel == "ackley-tiles") by_tiles<2>(LANES(ackley, 2));
  else if (kernel == "rosenbrock-columns") by_columns<4>(LANES(rosenbrock, 4));
  else if (kernel == "rastrigin-columns") by_columns<2>(LANES(rastrigin, 2));
  else if (kernel == "ackley-columns") by_columns<2>(LANES(ackley, 2));
  else if (kernel == "rosenbrock-rows") rosenbrock_rows();
  else if (kernel == "rastrigin-rows") rastrigin_rows();
  else if (kernel == "ackley-rows") ackley_rows();
  else return false;
  return true;
}

static double seconds(clockid_t clock) {
  timespec at;
  clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}
static double time(const std::string& kernel, int rounds, clockid_t clock) {
  const double start = seconds(clock);
  for (int round = 0; round < rounds; round++) run(kernel);
  return seconds(clock) - start;
}
static double time_two_threads(const std::string& kernel, int rounds) {
  const double start = seconds(CLOCK_MONOTONIC);
  std::thread other([&] {
    first_row = kRows / 2;
    time(kernel, rounds, CLOCK_MONOTONIC);
  });
  end_row = kRows / 2;
  time(kernel, rounds, CLOCK_MONOTONIC);
  end_row = kRows;
  other.join();
  return seconds(CLOCK_MONOTONIC) - start;
}

int main(int argc, char** argv) {
  candidates.resize(kRows * D);
  std::FILE* const file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
  if (!file || std::fread(candidates.data(), sizeof(double), candidates.size(), file) != candidates.size()) return 1;
  std::fclose(file);
  // One cache line more than the rows: columns must not share their low address bits.
  columns = static_cast<double*>(std::aligned_alloc(64, D * (kRows + 8) * sizeof(double)));
  tiles = static_cast<double*>(std::aligned_alloc(64, D * kRows * sizeof(double)));
  for (std::size_t row = 0; row < kRows; row++)
    for (std::size_t d = 0; d < D; d++) {
      columns[d * (kRows + 8) + row] = candidates[row * D + d];
      tiles[row / kTile * kTile * D + d * kTile + row % kTile] = candidates[row * D + d];
    }
  char command[16], kernel[64];
  while (std::scanf("%15s %63s", command, kernel) == 2) {
    if (!run(kernel)) return 1;
    if (std::strcmp(command, "values") == 0) {
      for (const double value : values) std::printf("%.17g\n", value);
    } else {
      int rounds = 0;
      if (std::scanf("%d", &rounds) != 1) return 1;
      if (std::strcmp(command, "time") == 0) std::printf("%.9f\n", time(kernel, rounds, CLOCK_PROCESS_CPUTIME_ID));
      else std::printf("%.9f\n%.9f\n", time(kernel, rounds, CLOCK_MONOTONIC), time_two_threads(kernel, rounds));
    }
    std::fflush(stdout);
  }
  return 0;
}

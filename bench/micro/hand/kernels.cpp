// Objectives as one would write them by hand for this processor: AVX-512, FMA, libmvec. The yardstick of
// bench/micro/native-code.mjs, which compiles this file and talks to it:
//   g++ -O3 -march=native -ffast-math -mprefer-vector-width=512 kernels.cpp -lmvec
// Reads the candidates (doubles, row-major [rows, 30]) from the file in argv[1], then commands from standard input:
//   values <kernel>            writes the values as text, one per line
//   time <kernel> <rounds>     writes the processor time of all rounds in seconds
//   threads <kernel> <rounds>  writes the elapsed seconds of all rounds on one thread, and on two that share the candidates
// A kernel is `<objective>-<layout>`. Layouts: `lanes` takes row-major candidates, one per lane, transposed in tiles;
// `rows` is the plain loop over a row's coordinates, left to the compiler; `columns` is `lanes` with candidates that
// somebody has transposed already: not what an optimizer hands over, but the bound.
#include <immintrin.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

constexpr std::size_t D = 30, kRows = 4096;
typedef __m512d V;
extern "C" V _ZGVeN8v_cos(V);
extern "C" V _ZGVeN8v_exp(V);
static inline V cos8(V x) { return _ZGVeN8v_cos(x); }
static inline V exp8(V x) { return _ZGVeN8v_exp(x); }
static inline V splat(double a) { return _mm512_set1_pd(a); }

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
  for (int u = 0; u < kVectors; u++) _mm512_storeu_pd(out + 8 * u, sum[u]);
}
template <int kVectors, class X>
static inline void rastrigin(X x, double* out) {
  V sum[kVectors];
  for (int u = 0; u < kVectors; u++) sum[u] = splat(10.0 * D);
  for (std::size_t d = 0; d < D; d++)
    for (int u = 0; u < kVectors; u++) {
      const V at = x(d, u);
      sum[u] += at * at - splat(10) * cos8(splat(kTau) * at);
    }
  for (int u = 0; u < kVectors; u++) _mm512_storeu_pd(out + 8 * u, sum[u]);
}
template <int kVectors, class X>
static inline void ackley(X x, double* out) {
  V squares[kVectors], waves[kVectors];
  for (int u = 0; u < kVectors; u++) squares[u] = waves[u] = splat(0);
  for (std::size_t d = 0; d < D; d++)
    for (int u = 0; u < kVectors; u++) {
      const V at = x(d, u);
      squares[u] += at * at;
      waves[u] += cos8(splat(kTau) * at);
    }
  for (int u = 0; u < kVectors; u++) {
    const V first = splat(-20) * exp8(splat(-0.2) * _mm512_sqrt_pd(squares[u] / splat(D)));
    _mm512_storeu_pd(out + 8 * u, first - exp8(waves[u] / splat(D)) + splat(20) + splat(M_E));
  }
}

// Eight columns of eight rows.
static inline void transpose_tile(const double* rows, double* out, std::size_t stride) {
  for (std::size_t half = 0; half < 8; half += 4) {
    const auto wide = [&](int top, int bottom) {
      return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(rows + top * D + half)),
                                _mm256_loadu_pd(rows + bottom * D + half), 1);
    };
    const V r04 = wide(0, 4), r15 = wide(1, 5), r26 = wide(2, 6), r37 = wide(3, 7);
    const V lo01 = _mm512_unpacklo_pd(r04, r15), hi01 = _mm512_unpackhi_pd(r04, r15);
    const V lo23 = _mm512_unpacklo_pd(r26, r37), hi23 = _mm512_unpackhi_pd(r26, r37);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    double* const at = out + half * stride;
    _mm512_store_pd(at, _mm512_permutex2var_pd(lo01, first, lo23));
    _mm512_store_pd(at + stride, _mm512_permutex2var_pd(hi01, first, hi23));
    _mm512_store_pd(at + 2 * stride, _mm512_permutex2var_pd(lo01, second, lo23));
    _mm512_store_pd(at + 3 * stride, _mm512_permutex2var_pd(hi01, second, hi23));
  }
}

static std::vector<double> candidates;
static double* columns;  // [D][kRows]
static double values[kRows];
// What this thread evaluates.
static thread_local std::size_t first_row = 0, end_row = kRows;

template <int kVectors, class Kernel>
static void by_lanes(Kernel kernel) {
  constexpr std::size_t kLanes = 8 * kVectors, kStride = kLanes + 8;
  alignas(64) static thread_local double block[D * kStride];
  for (std::size_t row = first_row; row < end_row; row += kLanes) {
    for (std::size_t u = 0; u < kLanes; u += 8) {
      const double* const rows = &candidates[(row + u) * D];
      for (std::size_t d = 0; d + 8 <= D; d += 8) transpose_tile(rows + d, block + d * kStride + u, kStride);
      transpose_tile(rows + D - 8, block + (D - 8) * kStride + u, kStride);
    }
    kernel([&](std::size_t d, int u) { return _mm512_load_pd(block + d * kStride + 8 * u); }, values + row);
  }
}
template <int kVectors, class Kernel>
static void by_columns(Kernel kernel) {
  for (std::size_t row = first_row; row < end_row; row += 8 * kVectors)
    kernel([&](std::size_t d, int u) { return _mm512_load_pd(columns + d * (kRows + 8) + row + 8 * u); }, values + row);
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
  if (kernel == "rosenbrock-lanes") by_lanes<4>(LANES(rosenbrock, 4));
  else if (kernel == "rastrigin-lanes") by_lanes<2>(LANES(rastrigin, 2));
  else if (kernel == "ackley-lanes") by_lanes<2>(LANES(ackley, 2));
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
  for (std::size_t row = 0; row < kRows; row++)
    for (std::size_t d = 0; d < D; d++) columns[d * (kRows + 8) + row] = candidates[row * D + d];
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

// Twelve fixtures of test/fixtures/objectives as one would write them by hand for a population in tiles: AVX-512 or
// AVX2, branches as blends, libmvec, as many vectors at once as run fastest. A yardstick of
// bench/micro/translations.mjs, which compiles this file to a library, one function for each fixture, under the file's
// name:
//   g++ -O3 -march=native -ffast-math -mprefer-vector-width=512
//   the same with -mno-avx512f -mprefer-vector-width=256
// Formulas are those of the fixtures. Only what -ffast-math allows is changed: sums in another order, products with
// reciprocals of constants, products fused with sums. What the data leave out is left out (exp(-k * 0), the steps after
// the last day); the root of a square stays no root where the box is above 0 (welded_beam).
#include <cmath>
#include <utility>

#include "vectors.h"

#if defined(__AVX512F__)
typedef __mmask8 Mask;
static inline V abs(V x) { return _mm512_abs_pd(x); }
static inline V round(V x) { return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT); }
static inline V max(V a, V b) { return _mm512_max_pd(a, b); }
static inline Mask less(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline Mask differ(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
static inline Mask both(Mask a, Mask b) { return a & b; }
static inline V where(Mask holds, V then, V otherwise) { return _mm512_mask_blend_pd(holds, otherwise, then); }
constexpr int chosen(int avx512, int) { return avx512; }
#else
typedef __m256d Mask;
static inline V abs(V x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }
static inline V round(V x) { return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline V max(V a, V b) { return _mm256_max_pd(a, b); }
static inline Mask less(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline Mask differ(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_NEQ_UQ); }
static inline Mask both(Mask a, Mask b) { return _mm256_and_pd(a, b); }
static inline V where(Mask holds, V then, V otherwise) { return _mm256_blendv_pd(otherwise, then, holds); }
constexpr int chosen(int, int avx2) { return avx2; }
#endif

// N vectors of lanes.
template <int N>
struct Pack {
  V v[N];
};
// Without a loop over u, which gcc would leave, with its array in memory, where N is 4.
template <class F, std::size_t... u>
static inline Pack<sizeof...(u)> map(F f, std::index_sequence<u...>) {
  return {{f(u)...}};
}
template <int N, class F>
static inline Pack<N> map(F f) {
  return map(f, std::make_index_sequence<N>());
}
template <class P>
static inline P all(double a) {
  return map<sizeof(P) / sizeof(V)>([=](int) { return splat(a); });
}
#define BINARY(name, expression)                                   \
  template <int N>                                                 \
  static inline Pack<N> name(const Pack<N>& a, const Pack<N>& b) { \
    return map<N>([&](int u) { return expression; });              \
  }                                                                \
  template <int N>                                                 \
  static inline Pack<N> name(const Pack<N>& a, double b) {         \
    return name(a, all<Pack<N>>(b));                               \
  }                                                                \
  template <int N>                                                 \
  static inline Pack<N> name(double a, const Pack<N>& b) {         \
    return name(all<Pack<N>>(a), b);                               \
  }
BINARY(operator+, a.v[u] + b.v[u])
BINARY(operator-, a.v[u] - b.v[u])
BINARY(operator*, a.v[u] * b.v[u])
BINARY(operator/, a.v[u] / b.v[u])
BINARY(larger, max(a.v[u], b.v[u]))
#undef BINARY
#define UNARY(name, expression)                       \
  template <int N>                                    \
  static inline Pack<N> name(const Pack<N>& a) {      \
    return map<N>([&](int u) { return expression; }); \
  }
UNARY(cos, cos(a.v[u]))
UNARY(exp, exp(a.v[u]))
UNARY(sqrt, sqrt(a.v[u]))
UNARY(abs, abs(a.v[u]))
UNARY(round, round(a.v[u]))
UNARY(square, a.v[u] * a.v[u])
UNARY(cube, a.v[u] * a.v[u] * a.v[u])
#undef UNARY

// `f(x)` gives the values of the lanes whose coordinate d is `x(d)`.
template <int N, int D, class F>
static inline void evaluate(const double* tiles, unsigned long count, double* values, F f) {
  for (unsigned long row = 0; row < count; row += kWidth * N) {
    const double* const at = tiles + row / kTile * kTile * D + row % kTile;
    const Pack<N> result = f([at](int d) { return map<N>([=](int u) { return load(at + d * kTile + kWidth * u); }); });
    for (int u = 0; u < N; u++) store(values + row + kWidth * u, result.v[u]);
  }
}
// `avx512`, `avx2`: vectors at once. `P` is the type of lanes.
#define FIXTURE(name, dimension, avx512, avx2)                                                \
  template <class P, class X>                                                                 \
  static inline P lanes_of_##name(X x);                                                       \
  extern "C" void name(const double* tiles, unsigned long count, double* values) {            \
    constexpr int kVectors = chosen(avx512, avx2);                                            \
    evaluate<kVectors, dimension>(tiles, count, values,                                       \
                                  [](auto x) { return lanes_of_##name<Pack<kVectors>>(x); }); \
  }                                                                                           \
  template <class P, class X>                                                                 \
  static inline P lanes_of_##name(X x)

static constexpr double kTau = 2 * M_PI;

FIXTURE(rosenbrock_loop, 30, 8, 2) {
  P total = all<P>(0), at = x(0);
  for (int i = 0; i + 1 < 30; i++) {
    const P next = x(i + 1);
    total = total + 100 * square(next - square(at)) + square(1 - at);
    at = next;
  }
  return total;
}

FIXTURE(rastrigin_math, 30, 2, 2) {
  P total = all<P>(10.0 * 30);
  for (int i = 0; i < 30; i++) {
    const P at = x(i);
    total = total + (square(at) - 10 * cos(kTau * at));
  }
  return total;
}

FIXTURE(ackley_two_sums, 30, 2, 2) {
  P squares = all<P>(0), waves = squares;
  for (int i = 0; i < 30; i++) {
    const P at = x(i);
    squares = squares + square(at);
    waves = waves + cos(kTau * at);
  }
  return -20 * exp(-0.2 * sqrt(squares / 30)) - exp(waves / 30) + (20 + M_E);
}

struct Roots {
  double inverse[30];
  Roots() {
    for (int i = 0; i < 30; i++) inverse[i] = 1 / std::sqrt(i + 1.0);
  }
};
static const Roots roots;

FIXTURE(griewank_product_loop, 30, 2, 2) {
  P squares = all<P>(0), product = all<P>(1);
  for (int i = 0; i < 30; i++) {
    const P at = x(i);
    squares = squares + square(at);
    product = product * cos(at * roots.inverse[i]);
  }
  return squares / 4000 - product + 1;
}

FIXTURE(welded_beam, 4, 2, 2) {
  constexpr double kLoad = 6000, kLength = 14, kE = 30e6, kG = 12e6;
  const P h = x(0), l = x(1), t = x(2), b = x(3);
  const P from_centre = square((h + t) / 2), weld = M_SQRT2 * h * l;
  const P radius = sqrt(square(l) / 4 + from_centre);
  const P tau1 = kLoad / weld;
  const P tau2 = kLoad * (kLength + l / 2) * radius / (2 * weld * (square(l) / 12 + from_centre));
  const P tau = sqrt(square(tau1) + tau1 * tau2 * l / radius + square(tau2));
  const P bar = 0.04811 * t * b * (14 + l), inverse = 1 / (b * cube(t));
  const P cost = 1.10471 * square(h) * l + bar;
  const P sigma = 6 * kLoad * kLength * t * inverse;
  const P delta = (4 * kLoad * kLength * kLength * kLength / kE) * inverse;
  const P buckling = (4.013 * kE / 6 / (kLength * kLength)) * t * cube(b);
  const P critical = buckling * (1 - (std::sqrt(kE / (4 * kG)) / (2 * kLength)) * t);
  const P violation = larger(tau - 13600, 0.0) + larger(sigma - 30000, 0.0) + larger(h - b, 0.0) +
                      larger(0.10471 * square(h) + bar - 5, 0.0) + larger(0.125 - h, 0.0) +
                      larger(delta - 0.25, 0.0) + larger(kLoad - critical, 0.0);
  return cost + 1e3 * violation;
}

template <int N>
static inline Pack<N> tariff(const Pack<N>& q) {
  return map<N>([&](int u) {
    const V at = q.v[u];
    const V low = where(less(at, splat(10)), 3 * at, 10 + 2 * at);
    const V middle = where(both(less(at, splat(60)), differ(at, splat(40))), 28.75 + 1.25 * at, 2.5 * at - 46.25);
    return where(less(at, splat(25)), low, middle);
  });
}

FIXTURE(tariff_elif, 5, 2, 1) {
  P total = all<P>(0), missing = all<P>(120);
  for (int i = 0; i < 5; i++) {
    const P q = x(i);
    total = total + tariff(q);
    missing = missing - q;
  }
  return total + 50 * larger(missing, 0.0);
}

FIXTURE(lennard_jones_cluster, 15, 2, 2) {
  P energy = all<P>(0);
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 5; j++) {
      P r2 = all<P>(0);
      for (int k = 0; k < 3; k++) r2 = r2 + square(x(3 * i + k) - x(3 * j + k));
      const P s6 = 1 / cube(r2);
      energy = energy + (square(s6) - s6);
    }
  return 4 * energy;
}

FIXTURE(np_quadratic_form, 3, 4, 1) {
  const P a = x(0), b = x(1), c = x(2);
  const P first = 2 * a + 0.5 * b + 0.25 * c - 1;
  const P second = 0.5 * a + 1.5 * b - 0.125 * c + 2;
  const P third = 0.25 * a - 0.125 * b + c - 0.5;
  return a * first + b * second + c * third;
}

FIXTURE(gear_train, 4, 2, 2) {
  return square(1 / 6.931 - round(x(0)) * round(x(1)) / (round(x(2)) * round(x(3))));
}

FIXTURE(minimax_max_list, 2, 4, 2) {
  const P a = x(0), b = x(1);
  return larger(larger(abs(a + b - 3), abs(a - b + 1)), abs(2 * a + b - 4));
}

FIXTURE(decay_fit_math, 3, 4, 4) {
  constexpr double kMeasured[] = {5.02, 3.11, 2.02, 1.37, 0.94, 0.73, 0.61, 0.55, 0.49};
  const P a = x(0), k = x(1), c = x(2);
  P total = square(a + c - kMeasured[0]);
  for (int t = 1; t < 9; t++) total = total + square(a * exp(-t * k) + c - kMeasured[t]);
  return total;
}

FIXTURE(sir_euler_fit, 3, 8, 4) {
  constexpr double kBeds[] = {3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4}, kPeople = 763, kStep = 0.1;
  const P infecting = x(0) * (2 * kStep / kPeople), recovering = x(1) * kStep;
  P infected = x(2), susceptible = kPeople - infected, total = all<P>(0);
  for (int day = 0; day < 14; day++) {
    total = total + square(infected - kBeds[day]);
#pragma GCC unroll 10
    for (int step = 0; day < 13 && step < 10; step++) {
      const P infection = infecting * susceptible * infected;
      susceptible = susceptible - infection;
      infected = infected + infection - recovering * infected;
    }
  }
  return total / 14;
}

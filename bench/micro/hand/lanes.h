// What fixtures.cpp and same-bits.cpp have in common: masks, N vectors at a time, division by constants, and the loop
// over a population in tiles.
#pragma once
#include <cmath>
#include <utility>

#include "vectors.h"

#if defined(__AVX512F__)
typedef __mmask8 Mask;
static inline V abs(V x) { return _mm512_abs_pd(x); }
static inline V round(V x) { return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT); }
static inline V max(V a, V b) { return _mm512_max_pd(a, b); }
static inline V min(V a, V b) { return _mm512_min_pd(a, b); }
static inline V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
static inline V fms(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
static inline V fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
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
static inline V min(V a, V b) { return _mm256_min_pd(a, b); }
static inline V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
static inline V fms(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
static inline V fnma(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
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
BINARY(smaller, min(a.v[u], b.v[u]))
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
// a * b + c and a * b - c, rounded once.
template <int N>
static inline Pack<N> fma(double a, const Pack<N>& b, const Pack<N>& c) {
  return map<N>([&](int u) { return fma(splat(a), b.v[u], c.v[u]); });
}
template <int N>
static inline Pack<N> fma(double a, const Pack<N>& b, double c) {
  return map<N>([&](int u) { return fma(splat(a), b.v[u], splat(c)); });
}
template <int N>
static inline Pack<N> fma(const Pack<N>& a, const Pack<N>& b, const Pack<N>& c) {
  return map<N>([&](int u) { return fma(a.v[u], b.v[u], c.v[u]); });
}
template <int N>
static inline Pack<N> fms(double a, const Pack<N>& b, const Pack<N>& c) {
  return map<N>([&](int u) { return fms(splat(a), b.v[u], c.v[u]); });
}
template <int N>
static inline Pack<N> fms(const Pack<N>& a, const Pack<N>& b, const Pack<N>& c) {
  return map<N>([&](int u) { return fms(a.v[u], b.v[u], c.v[u]); });
}

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

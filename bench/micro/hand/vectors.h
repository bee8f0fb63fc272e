// Vectors of 512 or 256 bits with libmvec's functions, of the yardsticks written by hand.
#pragma once
#include <immintrin.h>

#include <cstddef>

#if defined(__AVX512F__)
typedef __m512d V;
extern "C" V _ZGVeN8v_cos(V);
extern "C" V _ZGVeN8v_exp(V);
static inline V cos(V x) { return _ZGVeN8v_cos(x); }
static inline V exp(V x) { return _ZGVeN8v_exp(x); }
static inline V sqrt(V x) { return _mm512_sqrt_pd(x); }
static inline V splat(double a) { return _mm512_set1_pd(a); }
static inline V load(const double* from) { return _mm512_load_pd(from); }
static inline void store(double* to, V x) { _mm512_storeu_pd(to, x); }
#else
typedef __m256d V;
extern "C" V _ZGVdN4v_cos(V);
extern "C" V _ZGVdN4v_exp(V);
static inline V cos(V x) { return _ZGVdN4v_cos(x); }
static inline V exp(V x) { return _ZGVdN4v_exp(x); }
static inline V sqrt(V x) { return _mm256_sqrt_pd(x); }
static inline V splat(double a) { return _mm256_set1_pd(a); }
static inline V load(const double* from) { return _mm256_load_pd(from); }
static inline void store(double* to, V x) { _mm256_storeu_pd(to, x); }
#endif
// Lanes of a vector, and candidates of a tile, which has a row of them for each coordinate.
constexpr std::size_t kWidth = sizeof(V) / sizeof(double), kTile = 64;

// Four lanes: AVX2. See vector_scalar.h for what a vector header defines.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace extremum::EXTREMUM_TARGET {

using Vector = __m256d;
struct Mask { __m256d bits; };  // all ones or all zeros per lane
constexpr std::size_t kWidth = 4;
constexpr std::size_t kSeveral = 2;  // vectors of the mathematics library at once: 16 registers

inline __m256i int_of(Vector a) { return _mm256_castpd_si256(a); }
inline Vector from_int(__m256i a) { return _mm256_castsi256_pd(a); }
inline __m256i splat_int(std::int64_t a) { return _mm256_set1_epi64x(a); }

inline Vector load(const double* p) { return _mm256_load_pd(p); }
inline void store(double* p, Vector a) { _mm256_store_pd(p, a); }
inline Vector load_anywhere(const double* p) { return _mm256_loadu_pd(p); }
inline void store_anywhere(double* p, Vector a) { _mm256_storeu_pd(p, a); }
inline Vector splat(double a) { return _mm256_set1_pd(a); }
inline Mask load_mask(const std::int64_t* p) {
  return {from_int(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline void store_mask(std::int64_t* p, Mask m) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), int_of(m.bits)); }
inline Mask mask_of(bool value) { return {from_int(splat_int(value ? -1 : 0))}; }
inline bool any(Mask m) { return _mm256_movemask_pd(m.bits) != 0; }

inline Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
inline Vector sub(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
inline Vector mul(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
inline Vector div(Vector a, Vector b) { return _mm256_div_pd(a, b); }
inline Vector sqrt(Vector a) { return _mm256_sqrt_pd(a); }
inline Vector neg(Vector a) { return _mm256_xor_pd(a, splat(-0.0)); }
inline Vector abs(Vector a) { return _mm256_andnot_pd(splat(-0.0), a); }
inline Vector floor(Vector a) { return _mm256_floor_pd(a); }
inline Vector ceil(Vector a) { return _mm256_ceil_pd(a); }
inline Vector trunc(Vector a) { return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
inline Vector rint(Vector a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

inline Mask lt(Vector a, Vector b) { return {_mm256_cmp_pd(a, b, _CMP_LT_OQ)}; }
inline Mask le(Vector a, Vector b) { return {_mm256_cmp_pd(a, b, _CMP_LE_OQ)}; }
inline Mask eq(Vector a, Vector b) { return {_mm256_cmp_pd(a, b, _CMP_EQ_OQ)}; }
inline Mask ne(Vector a, Vector b) { return {_mm256_cmp_pd(a, b, _CMP_NEQ_UQ)}; }
inline Mask and_(Mask a, Mask b) { return {_mm256_and_pd(a.bits, b.bits)}; }
inline Mask or_(Mask a, Mask b) { return {_mm256_or_pd(a.bits, b.bits)}; }
inline Mask xor_(Mask a, Mask b) { return {_mm256_xor_pd(a.bits, b.bits)}; }
inline Mask not_(Mask a) { return {_mm256_xor_pd(a.bits, from_int(splat_int(-1)))}; }
inline Vector select(Mask m, Vector a, Vector b) { return _mm256_blendv_pd(b, a, m.bits); }
inline Mask bselect(Mask m, Mask a, Mask b) { return {_mm256_blendv_pd(b.bits, a.bits, m.bits)}; }

inline Mask bit(Vector a, int k) {
  const __m256i one = splat_int(std::int64_t{1} << k);
  return {from_int(_mm256_cmpeq_epi64(_mm256_and_si256(int_of(a), one), one))};
}
inline Vector negate_where(Mask m, Vector a) { return _mm256_xor_pd(a, _mm256_and_pd(m.bits, splat(-0.0))); }
inline Vector sub_where(Mask m, Vector a, Vector b) { return select(m, sub(a, b), b); }

// blendv and movemask look at the sign bit alone, but the mask must also be right when it is stored or combined.
inline Mask signbit(Vector a) {
  const __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), int_of(a));
  return {_mm256_and_pd(from_int(negative), _mm256_cmp_pd(a, a, _CMP_EQ_OQ))};
}
inline Vector exponent(Vector a) {
  const __m256i biased = _mm256_and_si256(_mm256_srli_epi64(int_of(a), 52), splat_int(0x7ff));
  return sub(from_int(_mm256_or_si256(biased, splat_int(0x4330000000000000))), splat(0x1.00000000003ffp52));
}
inline Vector mantissa(Vector a) {
  return from_int(_mm256_or_si256(_mm256_and_si256(int_of(a), splat_int(0x000fffffffffffff)),
                                  splat_int(0x3ff0000000000000)));
}
inline Vector scale(Vector a, Vector b) {  // see vector_scalar.h
  const Vector magic = splat(0x1.00000000003ffp52);
  const Vector half = add(sub(mul(b, splat(0.5)), splat(0.25)), magic);
  const Vector rest = add(sub(b, sub(half, magic)), magic);
  return mul(mul(a, from_int(_mm256_slli_epi64(int_of(half), 52))), from_int(_mm256_slli_epi64(int_of(rest), 52)));
}
inline Vector high(Vector a) {
  return from_int(_mm256_and_si256(int_of(a), splat_int(static_cast<std::int64_t>(0xfffffffff8000000u))));
}

// Columns `column` .. `column + 3` of four rows into four blocks `stride` apart.
inline void transpose_tile(const double* const* rows, std::size_t column, double* out, std::size_t stride) {
  const auto halves = [&](std::size_t top, std::size_t bottom, std::size_t at) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(rows[top] + at)), _mm_loadu_pd(rows[bottom] + at), 1);
  };
  const Vector a = halves(0, 2, column), b = halves(1, 3, column);
  const Vector c = halves(0, 2, column + 2), d = halves(1, 3, column + 2);
  store_anywhere(out, _mm256_unpacklo_pd(a, b));
  store_anywhere(out + stride, _mm256_unpackhi_pd(a, b));
  store_anywhere(out + 2 * stride, _mm256_unpacklo_pd(c, d));
  store_anywhere(out + 3 * stride, _mm256_unpackhi_pd(c, d));
}

}  // namespace extremum::EXTREMUM_TARGET

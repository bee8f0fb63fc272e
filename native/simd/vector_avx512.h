// Eight lanes: AVX-512 F, DQ and VL. See vector_scalar.h for what a vector header defines.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace extremum::EXTREMUM_TARGET {

using Vector = __m512d;
struct Mask { __mmask8 bits; };
constexpr std::size_t kWidth = 8;
constexpr std::size_t kSeveral = 4;  // vectors of the mathematics library at once: 32 registers

inline __m512i int_of(Vector a) { return _mm512_castpd_si512(a); }
inline Vector from_int(__m512i a) { return _mm512_castsi512_pd(a); }
inline __m512i splat_int(std::int64_t a) { return _mm512_set1_epi64(a); }

inline Vector load(const double* p) { return _mm512_load_pd(p); }
inline void store(double* p, Vector a) { _mm512_store_pd(p, a); }
inline Vector load_anywhere(const double* p) { return _mm512_loadu_pd(p); }
inline void store_anywhere(double* p, Vector a) { _mm512_storeu_pd(p, a); }
inline Vector splat(double a) { return _mm512_set1_pd(a); }
inline Mask load_mask(const std::int64_t* p) { return {_mm512_movepi64_mask(_mm512_load_si512(p))}; }
inline void store_mask(std::int64_t* p, Mask m) { _mm512_store_si512(p, _mm512_movm_epi64(m.bits)); }
inline Mask mask_of(bool value) { return {static_cast<__mmask8>(value ? 0xff : 0)}; }
inline bool any(Mask m) { return m.bits != 0; }

inline Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
inline Vector sub(Vector a, Vector b) { return _mm512_sub_pd(a, b); }
inline Vector mul(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
inline Vector div(Vector a, Vector b) { return _mm512_div_pd(a, b); }
inline Vector sqrt(Vector a) { return _mm512_sqrt_pd(a); }
inline Vector neg(Vector a) { return _mm512_xor_pd(a, splat(-0.0)); }
inline Vector abs(Vector a) { return _mm512_andnot_pd(splat(-0.0), a); }
inline Vector floor(Vector a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
inline Vector ceil(Vector a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
inline Vector trunc(Vector a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
inline Vector rint(Vector a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

inline Mask lt(Vector a, Vector b) { return {_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)}; }
inline Mask le(Vector a, Vector b) { return {_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ)}; }
inline Mask eq(Vector a, Vector b) { return {_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)}; }
inline Mask ne(Vector a, Vector b) { return {_mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ)}; }
inline Mask and_(Mask a, Mask b) { return {static_cast<__mmask8>(a.bits & b.bits)}; }
inline Mask or_(Mask a, Mask b) { return {static_cast<__mmask8>(a.bits | b.bits)}; }
inline Mask xor_(Mask a, Mask b) { return {static_cast<__mmask8>(a.bits ^ b.bits)}; }
inline Mask not_(Mask a) { return {static_cast<__mmask8>(~a.bits)}; }
inline Vector select(Mask m, Vector a, Vector b) { return _mm512_mask_blend_pd(m.bits, b, a); }
inline Mask bselect(Mask m, Mask a, Mask b) {
  return {static_cast<__mmask8>((m.bits & a.bits) | (~m.bits & b.bits))};
}

inline Mask bit(Vector a, int k) { return {_mm512_test_epi64_mask(int_of(a), splat_int(std::int64_t{1} << k))}; }
inline Vector negate_where(Mask m, Vector a) { return _mm512_mask_xor_pd(a, m.bits, a, splat(-0.0)); }
inline Vector sub_where(Mask m, Vector a, Vector b) { return _mm512_mask_sub_pd(b, m.bits, a, b); }

inline Mask signbit(Vector a) {
  return {static_cast<__mmask8>(_mm512_movepi64_mask(int_of(a)) & _mm512_cmp_pd_mask(a, a, _CMP_EQ_OQ))};
}
inline Vector exponent(Vector a) {
  const __m512i biased = _mm512_and_si512(_mm512_srli_epi64(int_of(a), 52), splat_int(0x7ff));
  return sub(from_int(_mm512_or_si512(biased, splat_int(0x4330000000000000))), splat(0x1.00000000003ffp52));
}
inline Vector mantissa(Vector a) {
  return from_int(_mm512_or_si512(_mm512_and_si512(int_of(a), splat_int(0x000fffffffffffff)),
                                  splat_int(0x3ff0000000000000)));
}
// Rounds once, as the two multiplications of the other targets do within the range of the op table.
inline Vector scale(Vector a, Vector b) { return _mm512_scalef_pd(a, b); }
inline Vector high(Vector a) {
  return from_int(_mm512_and_si512(int_of(a), splat_int(static_cast<std::int64_t>(0xfffffffff8000000u))));
}

// Columns `column` .. `column + 7` of eight rows into eight blocks `stride` apart, wherever they are.
inline void transpose_tile(const double* const* rows, std::size_t column, double* out, std::size_t stride) {
  // Quarter-vectors (two columns) of rows 0/2/4/6 and 1/3/5/7 side by side, then pairs interleaved.
  for (std::size_t half = 0; half < 8; half += 4) {
    const auto wide = [&](std::size_t top, std::size_t bottom) {
      return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(rows[top] + column + half)),
                                _mm256_loadu_pd(rows[bottom] + column + half), 1);
    };
    const Vector r04 = wide(0, 4), r15 = wide(1, 5), r26 = wide(2, 6), r37 = wide(3, 7);
    // r04 = [0:c0 c1 c2 c3 | 4:c0 c1 c2 c3]; lo = columns 0 and 2, hi = columns 1 and 3, rows (0 1 . . 4 5 . .)
    const Vector lo01 = _mm512_unpacklo_pd(r04, r15), hi01 = _mm512_unpackhi_pd(r04, r15);
    const Vector lo23 = _mm512_unpacklo_pd(r26, r37), hi23 = _mm512_unpackhi_pd(r26, r37);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    double* const at = out + half * stride;
    store_anywhere(at, _mm512_permutex2var_pd(lo01, first, lo23));
    store_anywhere(at + stride, _mm512_permutex2var_pd(hi01, first, hi23));
    store_anywhere(at + 2 * stride, _mm512_permutex2var_pd(lo01, second, lo23));
    store_anywhere(at + 3 * stride, _mm512_permutex2var_pd(hi01, second, hi23));
  }
}

}  // namespace extremum::EXTREMUM_TARGET

// Two lanes: NEON, which every 64-bit ARM processor has. See vector_scalar.h for what a vector header defines.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace extremum::EXTREMUM_TARGET {

using Vector = float64x2_t;
struct Mask { uint64x2_t bits; };  // all ones or all zeros per lane
constexpr std::size_t kWidth = 2;
constexpr std::size_t kSeveral = 4;  // vectors of the mathematics library at once: 32 registers

inline uint64x2_t int_of(Vector a) { return vreinterpretq_u64_f64(a); }
inline Vector from_int(uint64x2_t a) { return vreinterpretq_f64_u64(a); }
inline uint64x2_t splat_int(std::uint64_t a) { return vdupq_n_u64(a); }

inline Vector load(const double* p) { return vld1q_f64(p); }
inline void store(double* p, Vector a) { vst1q_f64(p, a); }
inline Vector load_anywhere(const double* p) { return vld1q_f64(p); }
inline void store_anywhere(double* p, Vector a) { vst1q_f64(p, a); }
inline Vector splat(double a) { return vdupq_n_f64(a); }
inline Mask load_mask(const std::int64_t* p) { return {vreinterpretq_u64_s64(vld1q_s64(p))}; }
inline void store_mask(std::int64_t* p, Mask m) { vst1q_s64(p, vreinterpretq_s64_u64(m.bits)); }
inline Mask mask_of(bool value) { return {splat_int(value ? ~std::uint64_t{0} : 0)}; }
inline bool any(Mask m) { return vmaxvq_u32(vreinterpretq_u32_u64(m.bits)) != 0; }

inline Vector add(Vector a, Vector b) { return vaddq_f64(a, b); }
inline Vector sub(Vector a, Vector b) { return vsubq_f64(a, b); }
inline Vector mul(Vector a, Vector b) { return vmulq_f64(a, b); }
inline Vector div(Vector a, Vector b) { return vdivq_f64(a, b); }
inline Vector sqrt(Vector a) { return vsqrtq_f64(a); }
inline Vector neg(Vector a) { return vnegq_f64(a); }
inline Vector abs(Vector a) { return vabsq_f64(a); }
inline Vector floor(Vector a) { return vrndmq_f64(a); }
inline Vector ceil(Vector a) { return vrndpq_f64(a); }
inline Vector trunc(Vector a) { return vrndq_f64(a); }
inline Vector rint(Vector a) { return vrndnq_f64(a); }

inline Mask lt(Vector a, Vector b) { return {vcltq_f64(a, b)}; }
inline Mask le(Vector a, Vector b) { return {vcleq_f64(a, b)}; }
inline Mask eq(Vector a, Vector b) { return {vceqq_f64(a, b)}; }
inline Mask and_(Mask a, Mask b) { return {vandq_u64(a.bits, b.bits)}; }
inline Mask or_(Mask a, Mask b) { return {vorrq_u64(a.bits, b.bits)}; }
inline Mask xor_(Mask a, Mask b) { return {veorq_u64(a.bits, b.bits)}; }
inline Mask not_(Mask a) { return {veorq_u64(a.bits, splat_int(~std::uint64_t{0}))}; }
inline Mask ne(Vector a, Vector b) { return not_(eq(a, b)); }
inline Vector select(Mask m, Vector a, Vector b) { return vbslq_f64(m.bits, a, b); }
inline Mask bselect(Mask m, Mask a, Mask b) { return {vbslq_u64(m.bits, a.bits, b.bits)}; }

inline Mask bit(Vector a, int k) { return {vtstq_u64(int_of(a), splat_int(std::uint64_t{1} << k))}; }
inline Vector negate_where(Mask m, Vector a) {
  return from_int(veorq_u64(int_of(a), vandq_u64(m.bits, splat_int(std::uint64_t{1} << 63))));
}
inline Vector sub_where(Mask m, Vector a, Vector b) { return select(m, sub(a, b), b); }

inline Mask signbit(Vector a) {
  const uint64x2_t negative = vcltzq_s64(vreinterpretq_s64_f64(a));
  return {vandq_u64(negative, vceqq_f64(a, a))};
}
inline Vector exponent(Vector a) {
  const uint64x2_t biased = vandq_u64(vshrq_n_u64(int_of(a), 52), splat_int(0x7ff));
  return sub(from_int(vorrq_u64(biased, splat_int(0x4330000000000000))), splat(0x1.00000000003ffp52));
}
inline Vector mantissa(Vector a) {
  return from_int(vorrq_u64(vandq_u64(int_of(a), splat_int(0x000fffffffffffff)), splat_int(0x3ff0000000000000)));
}
inline Vector scale(Vector a, Vector b) {  // see vector_scalar.h
  const Vector magic = splat(0x1.00000000003ffp52);
  const Vector half = add(sub(mul(b, splat(0.5)), splat(0.25)), magic);
  const Vector rest = add(sub(b, sub(half, magic)), magic);
  return mul(mul(a, from_int(vshlq_n_u64(int_of(half), 52))), from_int(vshlq_n_u64(int_of(rest), 52)));
}
inline Vector high(Vector a) { return from_int(vandq_u64(int_of(a), splat_int(0xfffffffff8000000))); }

// Columns `column` and `column + 1` of two rows into two blocks `stride` apart.
inline void transpose_tile(const double* const* rows, std::size_t column, double* out, std::size_t stride) {
  const Vector a = load(rows[0] + column), b = load(rows[1] + column);
  store_anywhere(out, vzip1q_f64(a, b));
  store_anywhere(out + stride, vzip2q_f64(a, b));
}

}  // namespace extremum::EXTREMUM_TARGET

// One lane per vector, in portable C++: the target for every processor. Loops over it are left to the compiler, which
// makes them as wide as the baseline instruction set allows (SSE2, NEON).
// A vector header defines Vector, Mask, kWidth, kSeveral and the primitives of src/ir/ops.ts under the same names, in
// the namespace of its target: targets are compiled with different flags and must share no inline function.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace extremum::EXTREMUM_TARGET {

using Vector = double;
using Mask = bool;
constexpr std::size_t kWidth = 1;
constexpr std::size_t kSeveral = 1;  // vectors of the mathematics library at once: the compiler chooses

inline std::uint64_t bits_of(double a) {
  std::uint64_t bits;
  std::memcpy(&bits, &a, sizeof bits);
  return bits;
}
inline double from_bits(std::uint64_t bits) {
  double a;
  std::memcpy(&a, &bits, sizeof a);
  return a;
}

inline Vector load(const double* p) { return *p; }
inline void store(double* p, Vector a) { *p = a; }
// Without the alignment of blocks.
inline Vector load_anywhere(const double* p) { return *p; }
inline void store_anywhere(double* p, Vector a) { *p = a; }
inline Vector splat(double a) { return a; }
inline Mask load_mask(const std::int64_t* p) { return *p != 0; }
inline void store_mask(std::int64_t* p, Mask m) { *p = -static_cast<std::int64_t>(m); }
inline Mask mask_of(bool value) { return value; }
inline bool any(Mask m) { return m; }

inline Vector add(Vector a, Vector b) { return a + b; }
inline Vector sub(Vector a, Vector b) { return a - b; }
inline Vector mul(Vector a, Vector b) { return a * b; }
inline Vector div(Vector a, Vector b) { return a / b; }
inline Vector sqrt(Vector a) { return __builtin_sqrt(a); }
inline Vector neg(Vector a) { return from_bits(bits_of(a) ^ 0x8000000000000000u); }
inline Vector abs(Vector a) { return __builtin_fabs(a); }

inline Mask lt(Vector a, Vector b) { return a < b; }
inline Mask le(Vector a, Vector b) { return a <= b; }
inline Mask eq(Vector a, Vector b) { return a == b; }
inline Mask ne(Vector a, Vector b) { return a != b; }
inline Mask and_(Mask a, Mask b) { return a & b; }
inline Mask or_(Mask a, Mask b) { return a | b; }
inline Mask xor_(Mask a, Mask b) { return a ^ b; }
inline Mask not_(Mask a) { return !a; }
inline Vector select(Mask m, Vector a, Vector b) { return m ? a : b; }
inline Mask bselect(Mask m, Mask a, Mask b) { return (m & a) | (!m & b); }

// Bit `k` of the representation; what the mathematics library asks of the sum that rounds to an integer.
inline Mask bit(Vector a, int k) { return (bits_of(a) >> k & 1) != 0; }
// select(m, neg(a), a) and select(m, sub(a, b), b)
inline Vector negate_where(Mask m, Vector a) { return from_bits(bits_of(a) ^ static_cast<std::uint64_t>(m) << 63); }
inline Vector sub_where(Mask m, Vector a, Vector b) { return m ? a - b : b; }

#if defined(__aarch64__)
inline Vector floor(Vector a) { return __builtin_floor(a); }
inline Vector ceil(Vector a) { return __builtin_ceil(a); }
inline Vector trunc(Vector a) { return __builtin_trunc(a); }
inline Vector rint(Vector a) { return __builtin_rint(a); }
#else
// Baseline x86-64 has no rounding instruction. Adding and taking away 2^52 rounds a magnitude below 2^52 to an
// integer, ties to even; larger ones and NaN are integers already or stay. The sign is put back for -0.
inline Vector with_sign_of(Vector magnitude, Vector sign) {
  return from_bits(bits_of(magnitude) | (bits_of(sign) & 0x8000000000000000u));
}
inline Vector rint(Vector a) {
  const Vector magnitude = abs(a);
  const Vector rounded = (magnitude + 0x1p52) - 0x1p52;
  return magnitude < 0x1p52 ? with_sign_of(rounded, a) : a;
}
inline Vector trunc(Vector a) {
  const Vector magnitude = abs(a);
  const Vector rounded = (magnitude + 0x1p52) - 0x1p52;
  const Vector below = rounded - (rounded > magnitude ? 1.0 : 0.0);
  return magnitude < 0x1p52 ? with_sign_of(below, a) : a;
}
inline Vector floor(Vector a) {
  const Vector rounded = rint(a);
  return with_sign_of(abs(rounded - (rounded > a ? 1.0 : 0.0)), a);
}
inline Vector ceil(Vector a) {
  const Vector rounded = rint(a);
  return with_sign_of(abs(rounded + (rounded < a ? 1.0 : 0.0)), a);
}
#endif

inline Mask signbit(Vector a) { return (bits_of(a) >> 63) != 0 && a == a; }
// 2^52 + 1023: the integer in the low bits of the number reads as exponent - 1023 after the subtraction.
inline Vector exponent(Vector a) { return from_bits(((bits_of(a) >> 52) & 0x7ff) | 0x4330000000000000u) - 0x1.00000000003ffp52; }
inline Vector mantissa(Vector a) { return from_bits((bits_of(a) & 0x000fffffffffffffu) | 0x3ff0000000000000u); }
// With h = floor(b / 2): 2^52 + 1023 + h has h + 1023, the biased exponent of 2^h, in its low bits. A quarter less than
// b / 2 rounds to h whether b is even or odd.
inline Vector scale(Vector a, Vector b) {
  const Vector half = (b * 0.5 - 0.25) + 0x1.00000000003ffp52;
  const Vector rest = (b - (half - 0x1.00000000003ffp52)) + 0x1.00000000003ffp52;
  return (a * from_bits(bits_of(half) << 52)) * from_bits(bits_of(rest) << 52);
}
inline Vector high(Vector a) { return from_bits(bits_of(a) & 0xfffffffff8000000u); }

inline void transpose_tile(const double* const* rows, std::size_t column, double* out, std::size_t) {
  *out = rows[0][column];
}

}  // namespace extremum::EXTREMUM_TARGET

// Source: Brisebarre, Muller, Raina, Accelerating correctly rounded floating-point division when the divisor is known in
// advance, IEEE Transactions on Computers 53(8), 2004. There 1 / c is rounded to the nearest number; here toward zero,
// so that both parts have the sign of c, and zeros and infinities come out as they do of a division. The bound is ours.
//
// Which x have to be tried. Let x = X and |c| = Y, integers of 53 bits; powers of two change nothing away from underflow,
// and Y is none, so 2^52 < Y < 2^53. Then 1 / Y lies between 2^-53 and 2^-52, and 0 < 1/Y - high < 2^-105. Low is that,
// rounded, or one of its neighbours:
//   low <= 2^-105 + 2^-157,    |1/Y - high - low| <= 2^-157 + 2^-159.
// X * low < 2^-51 is rounded by at most 2^-105. So what the fused operation rounds differs from X / Y by less than
//   2^53 * (2^-157 + 2^-159) + 2^-105 < 2^-103,
// and the result is that of the division unless the middle of two neighbouring numbers is as close. With s = 53 where
// X >= Y (quotients in [1, 2)) and s = 54 where X < Y (in (1/2, 1)) such a middle is (2k + 1) / 2^s, and
//   X / Y - (2k + 1) / 2^s = j / (2^s Y)    for an integer j with |j| < 2^-103 * 2^s * Y < 2^(s - 50) <= 16.
// (The ends of these intervals are numbers themselves: X / Y is 1, or 2^-53 and more away from them.) No quotient is a
// middle, so j is not 0. From X * 2^s = j + (2k + 1) Y, where Y = 2^t * odd:
//   j is an odd multiple of 2^t,    X = (j / 2^t) * 2^(t - s) modulo odd,
// so that each j leaves a few X (none from t = 4 on). These are divided both ways.
//
// Powers of two. 1/Y - high is a multiple of 2^-105 / Y, so low > 2^-159, and |x * low| > |x / c| * 2^-107. With |c|
// between 2^-128 and 2^128 and |x| >= 2^-767 that is above 2^-1003, and |x / c| above 2^-896: nothing underflows. A
// quotient of 2^1024 and more is rounded as if there were room for it, then becomes infinite, both ways; so does an
// infinite x * low, for x / c is larger still.
#include "jit/reciprocal.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace extremum::jit {
namespace {

constexpr double kLargestDivisor = 0x1p128;
constexpr std::uint64_t kLeast = std::uint64_t{1} << 52;  // of integers of 53 bits
constexpr std::uint64_t kFarthest = 15;                    // |j|

bool is_quotient(double x, double c, const Reciprocal& by) { return std::fma(x, by.high, x * by.low) == x / c; }

bool holds(double c, const Reciprocal& by) {
  const std::uint64_t mantissa = (std::bit_cast<std::uint64_t>(c) & (kLeast - 1)) | kLeast;
  const int twos = std::countr_zero(mantissa);
  const std::uint64_t odd = mantissa >> twos;
  for (const int s : {53, 54}) {
    std::uint64_t inverse = 1;  // 2^(twos - s) modulo `odd`
    for (int k = twos; k < s; k++) inverse = (inverse >> 1) + (inverse & 1 ? odd / 2 + 1 : 0);
    std::uint64_t of_j = inverse;
    for (std::uint64_t j = std::uint64_t{1} << twos; j <= kFarthest; j += std::uint64_t{2} << twos) {
      for (const std::uint64_t residue : {of_j, odd - of_j})
        for (std::uint64_t x = residue + (kLeast + odd - 1 - residue) / odd * odd; x < 2 * kLeast; x += odd)
          if (!is_quotient(static_cast<double>(x), c, by)) return false;
      of_j = (of_j + 2 * inverse) % odd;
    }
  }
  return true;
}

}  // namespace

std::optional<Reciprocal> reciprocal_of(double c) {
  const double divisor = std::fabs(c);
  const bool is_power_of_two = (std::bit_cast<std::uint64_t>(divisor) & (kLeast - 1)) == 0;
  if (!(divisor >= 1 / kLargestDivisor && divisor <= kLargestDivisor) || is_power_of_two) return std::nullopt;
  double high = 1 / divisor;
  if (std::fma(-high, divisor, 1.0) < 0) high = std::nextafter(high, 0.0);
  // 1 - high * c is exact: for an integral c a multiple of 2^-105, below 2^-52.
  const double low = std::fma(-high, divisor, 1.0) / divisor;
  for (const double each : {low, std::nextafter(low, 1.0), std::nextafter(low, 0.0)}) {
    const Reciprocal both{std::copysign(high, c), std::copysign(each, c)};
    if (holds(c, both)) return both;
  }
  return std::nullopt;
}

}  // namespace extremum::jit

// Division by a constant as two operations, with the bits of the division.
#pragma once

#include <optional>

namespace extremum::jit {

// 1 / c as a sum, for x / c = fma(x, high, x * low).
struct Reciprocal {
  double high, low;
};

// Numbers of a smaller magnitude, but for zeros, have to be divided.
inline constexpr double kSmallestDividend = 0x1p-767;

// Null where quotients would differ, and for powers of two, whose reciprocal is exact.
std::optional<Reciprocal> reciprocal_of(double c);

}  // namespace extremum::jit

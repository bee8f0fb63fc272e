// Twelve fixtures of test/fixtures/objectives as one would write them by hand for a population in tiles: AVX-512 or
// AVX2, branches as blends, libmvec, as many vectors at once as run fastest. A yardstick of
// bench/micro/translations.mjs, which compiles this file to a library, one function for each fixture, under the file's
// name:
//   g++ -O3 -march=native -ffast-math -mprefer-vector-width=512
//   the same with -mno-avx512f -mprefer-vector-width=256
// Formulas are those of the fixtures. Only what -ffast-math allows is changed: sums in another order, products with
// reciprocals of constants, products fused with sums. What the data leave out is left out (exp(-k * 0), the steps after
// the last day); the root of a square stays no root where the box is above 0 (welded_beam).
#include "lanes.h"

// For quotients by a constant, as -ffast-math has them.
struct Divisor {
  double inverse;
  Divisor() = default;
  explicit Divisor(double c) : inverse(1 / c) {}
};
template <int N>
static inline Pack<N> operator/(const Pack<N>& a, const Divisor& by) {
  return a * by.inverse;
}
#include "formulas.h"

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

// Fixtures whose formula is the same in fixtures.cpp and in same-bits.cpp: Python's, in its order. What differs is how
// the file divides by a constant (`Divisor`), and what its flags allow the compiler.
#pragma once
#include "lanes.h"

static constexpr double kTau = 2 * M_PI;

FIXTURE(rosenbrock_loop, 30, 8, 2) {
  P at = x(0), next = x(1);
  P total = 100 * square(next - square(at)) + square(1 - at);
  for (int i = 2; i < 30; i++) {
    at = next;
    next = x(i);
    total = total + (100 * square(next - square(at)) + square(1 - at));
  }
  return total;
}

FIXTURE(rastrigin_math, 30, 2, 2) {
  const auto term = [&](const P& at) { return square(at) - 10 * cos(kTau * at); };
  P total = term(x(0));
  for (int i = 1; i < 30; i++) total = total + term(x(i));
  return 300 + total;
}

static const Divisor kThirty(30);

FIXTURE(ackley_two_sums, 30, 2, 2) {
  P squares = square(x(0)), waves = cos(kTau * x(0));
  for (int i = 1; i < 30; i++) {
    const P at = x(i);
    squares = squares + square(at);
    waves = waves + cos(kTau * at);
  }
  // Where a dividend is tiny, its exponential is 1 whatever the quotient.
  return -20 * exp(-0.2 * sqrt(squares / kThirty)) - exp(waves / kThirty) + 20 + M_E;
}

struct Roots {
  Divisor of[30];
  Roots() {
    for (int i = 0; i < 30; i++) of[i] = Divisor(std::sqrt(i + 1.0));
  }
};
static const Roots roots;
static const Divisor kFourThousand(4000);

FIXTURE(griewank_product_loop, 30, 2, 2) {
  P squares = square(x(0)), product = cos(x(0));
  for (int i = 1; i < 30; i++) {
    const P at = x(i);
    squares = squares + square(at);
    product = product * cos(at / roots.of[i]);
  }
  // Where angles or squares are tiny, the product is 1 and nothing is left of the quotients.
  return squares / kFourThousand - product + 1;
}

FIXTURE(decay_fit_math, 3, 4, 4) {
  constexpr double kMeasured[] = {5.02, 3.11, 2.02, 1.37, 0.94, 0.73, 0.61, 0.55, 0.49};
  const P a = x(0), k = x(1), c = x(2);
  P total = square(a + c - kMeasured[0]);
  for (int t = 1; t < 9; t++) total = total + square(a * exp(-t * k) + c - kMeasured[t]);
  return total;
}

// The fixtures of fixtures.cpp with the bits of Python's formulas: the fastest that one can write by hand where no
// rounding may be left out, added or moved. For bench/micro/translations.mjs, which compares bits:
//   g++ -std=c++20 -O3 -march=native -ffp-contract=off -mprefer-vector-width=512 -I native
//   the same with -mno-avx512f -mprefer-vector-width=256
// Fused operations stand where their product is exact, mostly one by a power of two, or in corrections. A group of
// candidates for which a shortcut does not hold is evaluated once more without it. x**2 and x**3 are products, as in
// the IR. Elementary functions are libmvec's, whose bits are others: nobody has those of CPython, and ours are more
// accurate. So this yardstick is too fast where they are called, never too slow.
#include "../../../native/jit/reciprocal.cpp"
#include "lanes.h"

// For quotients by a constant that have the bits of the division. No dividend is small enough for another
// (native/jit/reciprocal.cpp) where that would be seen. All constants here are powers of two or have two products.
struct Divisor {
  double high, low;
  Divisor() = default;
  explicit Divisor(double c) : high(1 / c), low(0) {
    if (const auto by = extremum::jit::reciprocal_of(c)) high = by->high, low = by->low;
  }
};
static inline V operator/(V a, const Divisor& by) { return fma(a, splat(by.high), a * splat(by.low)); }
template <int N>
static inline Pack<N> operator/(const Pack<N>& a, const Divisor& by) {
  return map<N>([&](int u) { return a.v[u] / by; });
}
#include "formulas.h"

#if defined(__AVX512F__)
static inline Mask either(Mask a, Mask b) { return a | b; }
static inline bool any(Mask a) { return a != 0; }
static inline bool holds_for_all(Mask a) { return a == 0xff; }
static inline Mask differ_too(Mask so_far, V a, V b) { return _mm512_mask_cmp_pd_mask(so_far, a, b, _CMP_NEQ_UQ); }
// |x| < 2^-767, of which the highest three bits of the exponent tell.
static inline Mask tiny(V x) {
  return _mm512_testn_epi64_mask(_mm512_castpd_si512(x), _mm512_set1_epi64(0x7000000000000000));
}
#else
static inline Mask either(Mask a, Mask b) { return _mm256_or_pd(a, b); }
static inline bool any(Mask a) { return _mm256_movemask_pd(a) != 0; }
static inline bool holds_for_all(Mask a) { return _mm256_movemask_pd(a) == 0xf; }
static inline Mask differ_too(Mask so_far, V a, V b) { return both(so_far, differ(a, b)); }
static inline Mask tiny(V x) { return less(abs(x), splat(0x1p-767)); }
#endif
template <int N, class F>
static inline bool any(const Pack<N>& a, F of) {
  Mask found = of(a.v[0]);
  for (int u = 1; u < N; u++) found = either(found, of(a.v[u]));
  return any(found);
}

// Quotients beside the divider, which takes 16 cycles for eight lanes (AVX2: eight for four). The ports carry out some
// 30 operations in that time: 1 / d is ten or 15, n / d three more. A group has as many of them as run fastest. An
// estimate of 14 or 12 bits, a step to 42 or 34, one to all, one that rounds as the division does (Markstein,
// Computation of elementary functions on the IBM RISC System/6000 processor, 1990). This is wrong for one divisor,
// whose bits are all ones, which no population here has: all bits are compared. (native/jit/compiler.cpp serves that
// one, too, with one operation more.) Nothing may overflow or underflow, nor leave the range of `float` with AVX2.
#if defined(__AVX512F__)
static inline V estimate(V d) { return _mm512_rcp14_pd(d); }
#else
static inline V estimate(V d) { return _mm256_cvtps_pd(_mm_rcp_ps(_mm256_cvtpd_ps(d))); }
#endif
static inline V rough_reciprocal(V d) {
  const V r = estimate(d), rest = fnma(d, r, splat(1));
  return fma(r, fma(rest, rest, rest), r);
}
static inline V reciprocal(V d) {
  const V rough = rough_reciprocal(d), r = fma(rough, fnma(d, rough, splat(1)), rough);
  return fma(r, fnma(d, r, splat(1)), r);
}
static inline V quotient(V n, V d, V r) {
  const V q = n * r;
  return fma(r, fnma(q, d, n), q);
}

template <int N>
static inline Pack<N> reciprocal(const Pack<N>& d) {
  return map<N>([&](int u) { return reciprocal(d.v[u]); });
}
template <bool beside_divider, int N>
static inline Pack<N> quotient(const Pack<N>& n, const Pack<N>& d) {
  if (!beside_divider) return n / d;
  return map<N>([&](int u) { return quotient(n.v[u], d.v[u], reciprocal(d.v[u])); });
}

// b**6 in two parts, so rounded correctly but for some 2^-50 of all b; glibc's pow for all but a thousandth.
template <int N>
static inline Pack<N> sixth_power(const Pack<N>& b) {
  const Pack<N> b2 = b * b, b3 = b2 * b, b6 = b3 * b3;
  const Pack<N> rest3 = fma(fms(b, b, b2), b, fms(b2, b, b3));
  return b6 + fma(b3, rest3 + rest3, fms(b3, b3, b6));
}

static const Divisor kTwelve(12), kTwentyEight(28), kThirtySix(36), kSquareOfLength(14 * 14);

FIXTURE(welded_beam, 4, 2, 2) {
  constexpr double kLoad = 6000, kLength = 14, kE = 30e6, kG = 12e6;
  constexpr bool kWide = chosen(1, 0);
  const P h = x(0), l = x(1), t = x(2), b = x(3);
  // Twice the radius, half of J, four times tau2: powers of two change no rounding.
  const P from_centre = square(h + t), weld = std::sqrt(2.0) * h * l;
  const P radius = sqrt(square(l) + from_centre);
  const P tau1 = quotient<kWide>(all<P>(kLoad), weld);
  const P polar = weld * fma(0.25, from_centre, square(l) / kTwelve);
  const P tau2 = quotient<kWide>(kLoad * fma(0.5, l, kLength) * radius, polar);
  const P twist = quotient<kWide>(tau1 * tau2 * l, radius);
  const P tau = sqrt(fma(0.0625, square(tau2), fma(0.5, twist, square(tau1))));
  const P bar = 0.04811 * t * b * (14 + l);
  const P cost = 1.10471 * square(h) * l + bar;
  const P sigma = quotient<true>(all<P>(6 * kLoad * kLength), b * square(t));
  const P delta = quotient<true>(all<P>(4 * kLoad * (kLength * kLength * kLength)), kE * cube(t) * b);
  const P buckling = 4.013 * kE * sqrt(square(t) * sixth_power(b) / kThirtySix) / kSquareOfLength;
  const P critical = buckling * (1 - t / kTwentyEight * std::sqrt(kE / (4 * kG)));
  const P violation = larger(tau - 13600, 0.0) + larger(sigma - 30000, 0.0) + larger(h - b, 0.0) +
                      larger(0.10471 * square(h) + bar - 5, 0.0) + larger(0.125 - h, 0.0) +
                      larger(delta - 0.25, 0.0) + larger(kLoad - critical, 0.0);
  return cost + 1e3 * violation;
}

// Where the prices 3q, 2q + 10 and 60 + 1.25 (q - 25) hold, each is the least of the three, and 103.75 + 2.5 (q - 60)
// is larger than these where it holds, smaller elsewhere; roundings are monotone, so that all that is so of rounded
// prices. q - 10, q - 25 and q - 60 are exact where they count. 2.5 (q - 60) is so, or loses a bit that the sum does
// not see. At 40 the last price holds (`tariff_elif`). AVX-512 finds the formula in tables by the number of fives in q.
#if defined(__AVX512F__)
static inline V halves(double a, double b) { return _mm512_setr_pd(a, a, a, a, b, b, b, b); }
static inline V tariff(V q) {
  const __m512i fives = _mm512_castpd_si512(_mm512_fmadd_round_pd(min(q, splat(75)), splat(0.2), splat(0x1p52),
                                                                  _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  const auto of = [=](V below_40, V others) { return _mm512_permutex2var_pd(below_40, fives, others); };
  const V a = of(_mm512_setr_pd(3, 3, 2, 2, 2, 1.25, 1.25, 1.25), halves(1.25, 2.5));
  const V b = of(_mm512_setr_pd(0, 0, 10, 10, 10, -31.25, -31.25, -31.25), halves(-31.25, -46.25));
  const V c = of(_mm512_setr_pd(0, 0, 0, 0, 0, 60, 60, 60), halves(60, 0));
  return fma(q, a, b) + c;
}
#else
static inline V tariff(V q) {
  const V least = min(min(splat(3) * q, fma(q, splat(2), splat(10))), fma(q, splat(1.25), splat(-31.25)) + splat(60));
  return max(least, fma(q, splat(2.5), splat(-46.25)));
}
#endif
template <int N>
static inline Pack<N> tariff(const Pack<N>& q) {
  return map<N>([&](int u) { return tariff(q.v[u]); });
}

FIXTURE(tariff_elif, 5, 1, 1) {
  constexpr int N = sizeof(P) / sizeof(V);
  P total = tariff(x(0)), sum = x(0);
  Mask regular = differ(sum.v[0], splat(40));
  for (int u = 1; u < N; u++) regular = differ_too(regular, sum.v[u], splat(40));
  for (int i = 1; i < 5; i++) {
    const P q = x(i);
    for (int u = 0; u < N; u++) regular = differ_too(regular, q.v[u], splat(40));
    total = total + tariff(q);
    sum = sum + q;
  }
  if (__builtin_expect(!holds_for_all(regular), 0)) {
    const auto price = [](const P& q) {
      const P usual = tariff(q);
      return map<N>([&](int u) { return where(differ(q.v[u], splat(40)), usual.v[u], splat(103.75 - 50)); });
    };
    total = price(x(0));
    for (int i = 1; i < 5; i++) total = total + price(x(i));
  }
  return total + 50 * larger(120 - sum, 0.0);
}

FIXTURE(lennard_jones_cluster, 15, 1, 2) {
  constexpr int kFirst[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3}, kSecond[] = {1, 2, 3, 4, 2, 3, 4, 3, 4, 4};
  const auto energy = [&](auto inverse) {
    P total;
#pragma GCC unroll 10
    for (int p = 0; p < 10; p++) {
      const int i = 3 * kFirst[p], j = 3 * kSecond[p];
      const P r2 = square(x(i) - x(j)) + square(x(i + 1) - x(j + 1)) + square(x(i + 2) - x(j + 2));
      const P s6 = inverse(cube(r2), p), pair = square(s6) - s6;
      total = p == 0 ? pair : total + pair;
    }
    return 4 * total;
  };
  const auto divided = [](const P& d, int) { return 1 / d; };
  P least = all<P>(1);
  const P value = energy([&](const P& d, int p) {
    if (p % 5 >= chosen(2, 1)) return 1 / d;
    least = smaller(least, d);
    return reciprocal(d);
  });
  return __builtin_expect(!any(least, [](V d) { return less(d, splat(0x1p-120)); }), 1) ? value : energy(divided);
}

// Scaled by powers of two that sums take in: `first` is 4 times, `second` and `third` are 8 times the elements of
// 0.5 * x @ A. What underflows with or without these scales only meets what is tiny, too, and makes a tiny value.
FIXTURE(np_quadratic_form, 3, 2, 1) {
  const P a = x(0), b = x(1), c = x(2);
  const P first = fma(2, fma(4, a, b), c);
  const P second = fms(4, a + 3 * b, c);
  const P third = fma(8, c, fms(2, a, b));
  const P value = fms(0.125, fma(2, first * a, second * b) + third * c, fma(0.5, c, fma(-2, b, a)));
  if (__builtin_expect(!any(value, tiny), 1)) return value;
  const P p = 0.5 * a, q = 0.5 * b, r = 0.5 * c;
  return ((p * 4 + q + r * 0.5) * a + (p + q * 3 + r * -0.25) * b + (p * 0.5 + q * -0.25 + r * 2) * c + 0.0) -
         (a + -2 * b + 0.5 * c);
}

// Numbers of teeth up to 60, so quotients of numbers up to 3,600: none is closer to the middle of two floats than 2^-66
// of it, and a rough reciprocal is enough. A sum with 2^52 rounds, and its lower half is the whole number.
FIXTURE(gear_train, 4, 4, 4) {
  const V by = splat(0x1p52);
#if defined(__AVX512F__)
  const auto product = [=](V a, V b) {
    return _mm512_cvtepi64_pd(_mm512_mul_epu32(_mm512_castpd_si512(a + by), _mm512_castpd_si512(b + by)));
  };
#else
  const auto product = [=](V a, V b) { return (a + by - by) * (b + by - by); };
#endif
  const P a = x(0), b = x(1), c = x(2), d = x(3);
  const P ratio = map<sizeof(P) / sizeof(V)>([&](int u) {
    const V over = product(a.v[u], b.v[u]), under = product(c.v[u], d.v[u]);
    return u % 4 < chosen(2, 1) ? quotient(over, under, rough_reciprocal(under)) : over / under;
  });
  return square(1 / 6.931 - ratio);
}

FIXTURE(minimax_max_list, 2, 4, 2) {
  const P a = x(0), b = x(1);
  const P first = a + b - 3, second = a - b + 1, third = fma(2, a, b) - 4;
#if defined(__AVX512F__)
  // The larger magnitude, positive.
  const auto larger_of = [](V a, V b) { return _mm512_range_pd(a, b, 0b1011); };
  return map<sizeof(P) / sizeof(V)>(
      [&](int u) { return larger_of(larger_of(first.v[u], second.v[u]), third.v[u]); });
#else
  return larger(larger(abs(first), abs(second)), abs(third));
#endif
}

static const Divisor kPeople(763), kDays(14);

FIXTURE(sir_euler_fit, 3, 8, 8) {
  constexpr double kBeds[] = {3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4}, kStep = 1.0 / 10;
  const P infecting = 2 * x(0), recovering = x(1);
  P infected = x(2), susceptible = 763 - infected, total = square(infected - kBeds[0]);
  for (int day = 1; day < 14; day++) {
#pragma GCC unroll 10
    for (int step = 0; step < 10; step++) {
      // One vector after the other needs fewer registers.
      map<sizeof(P) / sizeof(V)>([&](int u) {
        V &s = susceptible.v[u], &i = infected.v[u];
        const V infection = infecting.v[u] * s * i / kPeople;
        const V recovery = recovering.v[u] * i;
        s = s - splat(kStep) * infection;
        return i = i + splat(kStep) * (infection - recovery);
      });
    }
    total = total + square(infected - kBeds[day]);
  }
  return total / kDays;
}

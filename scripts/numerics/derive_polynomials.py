"""Derives the polynomial coefficients of src/ir/math from mpmath alone, and cuts its constants.

    pip install mpmath && python3 scripts/numerics/derive_polynomials.py [name ...]

Each entry approximates `f(t)` on [a, b] by a polynomial of the given number of coefficients in t, minimising
weight(t) * |p(t) - f(t)| (least squares over Chebyshev nodes, 110 digits, a few per cent from minimax). Coefficients are then rounded to binary64 one
after the other, lowest power first, and the rest is fitted anew after each rounding, so that the later ones make up
for the rounding of the earlier ones. Prints the coefficients in ascending powers and the final weighted error as a
power of two.
"""
import sys

import mpmath as mp

mp.mp.dps = 110


def fit(f, weight, powers, a, b):
    """Coefficients for `powers` of t that minimise the sum of (weight*(p - f))^2 over Chebyshev nodes of [a, b]."""
    count = 6 * len(powers) + 12
    nodes = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]
    rows = mp.matrix([[weight(t) * t**p for p in powers] for t in nodes])
    right = mp.matrix([weight(t) * f(t) for t in nodes])
    return list(mp.lu_solve(rows.T * rows, rows.T * right))


def derive(f, weight, count, a, b):
    # The weight may vanish at t = 0; a floor keeps the fit well posed at hardly any cost.
    floor = max(abs(weight(a)), abs(weight(b))) / 20
    raised = lambda t: weight(t) + floor
    done = []
    while len(done) < count:
        g = lambda t: f(t) - sum(mp.mpf(c) * t**k for k, c in enumerate(done))
        done.append(float(fit(g, raised, list(range(len(done), count)), a, b)[0]))
    worst = max(
        abs(weight(t) * (sum(mp.mpf(c) * t**k for k, c in enumerate(done)) - f(t)))
        for t in (a + (b - a) * mp.mpf(k) / 2000 for k in range(2001))
    )
    return done, worst


ln2h = mp.log(2) / 2 * (1 + mp.mpf(2) ** -20)
quarter = mp.pi / 4 * (1 + mp.mpf(2) ** -20)
TINY = mp.mpf(2) ** -40  # keeps 0/0 out of the formulas, whose limits are smooth


def precise(function):
    """`function` evaluated with enough digits to survive the cancellation near 0."""

    def wrapped(t):
        with mp.workdps(140):
            return +function(mp.mpf(t) if t != 0 else mp.mpf(2) ** -150)

    return wrapped


# name: (function of t that p approximates, weight that makes the error relative to the final result, number of
# coefficients, a, b)
ENTRIES = {
    # sin r = r - r^3 p(t), t = r^2
    "sin": (lambda t: (mp.sqrt(t) - mp.sin(mp.sqrt(t))) / t**1.5, lambda t: t, 6, TINY, quarter**2),
    # cos r = 1 - r^2/2 + r^4 p(t), t = r^2
    "cos": (lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2, lambda t: t * t, 6, TINY, quarter**2),
    # sin r = r - r^3 p(t), t = r^2, |r| <= pi/2: for `fast` mathematics
    "sin_half_turn": (
        lambda t: (mp.sqrt(t) - mp.sin(mp.sqrt(t))) / t**1.5,
        lambda t: t * mp.sqrt(t) / mp.sin(mp.sqrt(t)),
        8,
        TINY,
        (2 * quarter) ** 2,
    ),
    # e^t = 1 + t + t^2 p(t)
    "exp": (lambda t: (mp.exp(t) - 1 - t) / t**2, lambda t: t * t, 10, -ln2h, ln2h),
    # log((1+s)/(1-s)) = 2s + s t p(t), t = s^2, for (1+s)/(1-s) in [sqrt(1/2), sqrt(2)]
    "log": (
        lambda t: (mp.log((1 + mp.sqrt(t)) / (1 - mp.sqrt(t))) / mp.sqrt(t) - 2) / t,
        lambda t: t / 2,
        7,
        TINY,
        ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * (1 + mp.mpf(2) ** -20),
    ),
    # log((1+s)/(1-s)) = (2/3) s (3 + t + t^2 p(t)), t = s^2, for pow
    "pow": (
        lambda t: (mp.mpf(3) / 2 * mp.log((1 + mp.sqrt(t)) / (1 - mp.sqrt(t))) / mp.sqrt(t) - 3 - t) / t**2,
        lambda t: t * t / 3,
        8,
        TINY,
        ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * (1 + mp.mpf(2) ** -20),
    ),
    # sinh t = t + t^3 p(t^2), cosh t = 1 + t^2/2 + t^4 p(t^2), |t| <= ln2/2
    "sinh": (lambda t: (mp.sinh(mp.sqrt(t)) - mp.sqrt(t)) / t**1.5, lambda t: t, 5, TINY, ln2h**2),
    "cosh": (lambda t: (mp.cosh(mp.sqrt(t)) - 1 - t / 2) / t**2, lambda t: t * t, 5, TINY, ln2h**2),
    # cbrt t on [1, 8], a first estimate
    "cbrt": (mp.cbrt, lambda t: 1 / mp.cbrt(t), 4, mp.mpf(1), mp.mpf(8)),
    # atan s = s - s^3 p(t), t = s^2, |s| <= 1/2
    "atan": (lambda t: (mp.sqrt(t) - mp.atan(mp.sqrt(t))) / t**1.5, lambda t: t, 12, TINY, mp.mpf(1) / 4),
    # erf x = x + x p(t), t = x^2, |x| <= 0.85
    "erf": (lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1, lambda t: mp.mpf(1), 13, TINY, mp.mpf("0.7225")),
    # (1 + 2x) e^(x^2) erfc x = 5/4 + p(t), t = (x - 15/4)/(x + 15/4), 0 <= x <= 27.3
    "erfc": (
        lambda t: (lambda x: (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x) - 1.25)(mp.mpf(15) / 4 * (1 + t) / (1 - t)),
        lambda t: mp.mpf(1),
        25,
        mp.mpf(-1),
        mp.mpf("23.55") / mp.mpf("31.05"),
    ),
    # gamma z = (z/e)^(z - 1/2) (3/2 + p(t)), t = 1/z, z >= 5/2
    "gamma": (
        lambda t: mp.gamma(1 / t) * mp.exp(1 / t - mp.mpf(1) / 2) * t ** (1 / t - mp.mpf(1) / 2) - 1.5,
        lambda t: mp.mpf(1),
        16,
        mp.mpf(1) / 190,
        mp.mpf(2) / 5,
    ),
    # log gamma z = (z - 1/2) (log z - 1) + 27/64 + p(t), t = 1/z, z >= 3
    "lgamma": (
        lambda t: mp.loggamma(1 / t) - (1 / t - mp.mpf(1) / 2) * (-mp.log(t) - 1) - mp.mpf(27) / 64,
        lambda t: mp.mpf(1),
        15,
        mp.mpf(2) ** -12,
        mp.mpf(1) / 3,
    ),
    # log gamma x = (x - 1) (x - 2) (1/2 + p(t)), t = (x - 3/2)/(x + 3/2), 3/4 <= x <= 3
    "lgamma2": (
        lambda t: (lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)) - 0.5)(mp.mpf(3) / 2 * (1 + t) / (1 - t) + mp.mpf(2) ** -200),
        lambda t: mp.mpf(1),
        21,
        -mp.mpf(1) / 3,
        mp.mpf(1) / 3,
    ),
    # sin(pi r) = r (pi + t p(t)), t = r^2, |r| <= 1/2
    "sinpi": (lambda t: (mp.sin(mp.pi * mp.sqrt(t)) / mp.sqrt(t) - mp.pi) / t, lambda t: t, 8, TINY, mp.mpf(1) / 4),
    # asin s = s + s^3 p(t), t = s^2, |s| <= 1/2
    "asin": (lambda t: (mp.asin(mp.sqrt(t)) - mp.sqrt(t)) / t**1.5, lambda t: t, 12, TINY, mp.mpf(1) / 4),
}

# name: (value, bits of each part but the last, which is rounded to nearest)
PARTS = {
    "pi/2": (mp.pi / 2, (35, 35)),
    "ln 2, times an integer of 11 bits": (mp.log(2), (41,)),
    "ln 2, times 26 bits": (mp.log(2), (26,)),
    "log2 e": (1 / mp.log(2), (26,)),
    "2/3 log2 e": (2 / mp.log(2) / 3, (26,)),
    "log10 e": (1 / mp.log(10), (26,)),
    "log10 2, times an integer of 11 bits": (mp.log10(2), (41,)),
}


def split(value, sizes):
    parts = []
    for size in sizes:
        unit = mp.mpf(2) ** (mp.floor(mp.log(abs(value), 2)) + 1 - size)
        parts.append(float(mp.floor(value / unit) * unit))
        value -= parts[-1]
    return [*parts, float(value)]


def digits_of_two_over_pi(bits, count):
    """2/pi = first + sum of digit[k] 2^(-bits (k + 1)), each digit at most 2^(bits - 1) in magnitude."""
    with mp.workprec(bits * count + 100):
        rest = int(mp.nint(2 / mp.pi * mp.mpf(2) ** (bits * count)))
    digits = []
    for _ in range(count):
        digit = rest % 2**bits
        digits.append(digit - 2**bits if digit >= 2 ** (bits - 1) else digit)
        rest = (rest - digits[-1]) >> bits
    return [rest, *reversed(digits)]


if __name__ == "__main__":
    print(f"2/pi in digits of 25 bits: {', '.join(map(str, digits_of_two_over_pi(25, 46)))}")
    for name, (value, sizes) in PARTS.items():
        print(f"{name}: {', '.join(map(repr, split(value, sizes)))}")
    for name in sys.argv[1:] or ENTRIES:
        f, weight, count, a, b = ENTRIES[name]
        f = precise(f)
        coefficients, worst = derive(f, weight, count, a, b)
        print(f"{name}: weighted error 2^{mp.nstr(mp.log(worst, 2), 5)}")
        for c in coefficients:
            print(f"  {c!r},")

# Gu et al., Int. J. Vehicle Design 25, 2001; both materials continuous
def f(x):
    a, b, c, d, e, p, q, r, s, u, v = x
    weight = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 2.73 * q
    load = 1.16 - 0.3717 * b * d - 0.00931 * b * u - 0.484 * c * s + 0.01343 * p * u
    upper = 0.261 - 0.0159 * a * b - 0.188 * a * r - 0.019 * b * q + 0.0144 * c * e + 0.0008757 * e * u \
        + 0.08045 * p * s + 0.00139 * r * v + 0.00001575 * u * v
    middle = 0.214 + 0.00817 * e - 0.131 * a * r - 0.0704 * a * s + 0.03099 * b * p - 0.018 * b * q \
        + 0.0208 * c * r + 0.121 * c * s - 0.00364 * e * p + 0.0007715 * e * u - 0.0005354 * p * u + 0.00121 * r * v
    lower = 0.74 - 0.61 * b - 0.163 * c * r + 0.001232 * c * u - 0.166 * q * s + 0.227 * b * b
    rib1 = 28.98 + 3.818 * c - 4.2 * a * b + 0.0207 * e * u + 6.63 * p * s - 7.7 * q * r + 0.32 * s * u
    rib2 = 33.86 + 2.95 * c + 0.1792 * u - 5.057 * a * b - 11 * b * r - 0.0215 * e * u - 9.98 * q * r + 22 * r * s
    rib3 = 46.36 - 9.9 * b - 12.9 * a * r + 0.1107 * c * u
    pubic = 4.72 - 0.5 * d - 0.19 * b * c - 0.0122 * d * u + 0.009325 * p * u + 0.000191 * v * v
    pillar = 10.58 - 0.674 * a * b - 1.95 * b * r + 0.02054 * c * u - 0.0198 * d * u + 0.028 * p * u
    door = 16.45 - 0.489 * c * q - 0.843 * e * p + 0.0432 * s * u - 0.0556 * s * v - 0.000786 * v * v
    limits = [
        (load, 1), (upper, 0.32), (middle, 0.32), (lower, 0.32), (rib1, 32), (rib2, 32), (rib3, 32),
        (pubic, 4), (pillar, 9.9), (door, 15.7),
    ]
    return weight + sum(100 * max(0, value / most - 1) for value, most in limits)

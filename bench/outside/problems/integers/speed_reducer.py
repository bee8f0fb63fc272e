# Golinski, J. Mechanisms 5, 1970; whole teeth, diameters and widths in hundredths
from math import sqrt

def f(x):
    b, m, d1, d2 = [round(x[k] * 100) / 100 for k in (0, 1, 5, 6)]
    z, l1, l2 = round(x[2]), x[3], x[4]
    weight = (
        0.7854 * b * m ** 2 * (3.3333 * z ** 2 + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1 ** 2 + d2 ** 2) + 7.4777 * (d1 ** 3 + d2 ** 3) + 0.7854 * (l1 * d1 ** 2 + l2 * d2 ** 2)
    )
    g = [
        27 / (b * m ** 2 * z) - 1, 397.5 / (b * m ** 2 * z ** 2) - 1,
        1.93 * l1 ** 3 / (m * z * d1 ** 4) - 1, 1.93 * l2 ** 3 / (m * z * d2 ** 4) - 1,
        sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1 ** 3) - 1,
        sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2 ** 3) - 1,
        m * z / 40 - 1, 5 * m / b - 1, b / (12 * m) - 1, (1.5 * d1 + 1.9) / l1 - 1, (1.1 * d2 + 1.9) / l2 - 1,
    ]
    return weight + 3000 * sum(v if v > 1e-9 else 0 for v in g)

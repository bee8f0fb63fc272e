"""Curve fit: the NIST reference problem Misra1a, y = b1 (1 - exp(-b2 x)), monomolecular adsorption in dental research.

Dimension: 2.  Bounds: b1 in [100, 700], b2 in [1e-5, 1e-3].
Optimum:   residual sum of squares 0.12455138894 at b = (238.94212918, 0.00055015643181), certified to 11 digits.
Source:    NIST Statistical Reference Datasets, nonlinear regression, Misra1a (D. Misra, NIST, 1978).
"""

import math

data = [
    (10.07, 77.6),
    (14.73, 114.9),
    (17.94, 141.1),
    (23.93, 190.8),
    (29.61, 239.9),
    (35.18, 289.0),
    (40.02, 332.8),
    (44.82, 378.4),
    (50.76, 434.8),
    (55.05, 477.3),
    (61.01, 536.8),
    (66.40, 593.1),
    (75.47, 689.1),
    (81.78, 760.0),
]


def residual_sum_of_squares(b):
    b1, b2 = b
    return sum((y - b1 * (1 - math.exp(-b2 * x))) ** 2 for y, x in data)

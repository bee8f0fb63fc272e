"""Levy's function in its shifted form.

Dimension: any, here 8.  Bounds: [-10, 10] each.
Optimum:   0 at (1, ..., 1).
Source:    A. V. Levy, A. Montalvo, The tunneling algorithm for the global minimization of functions,
           SIAM Journal on Scientific and Statistical Computing 6 (1985), 15-29.
"""

from math import pi, sin


def levy(x):
    w = [1 + (xi - 1) / 4 for xi in x]
    total = sin(pi * w[0]) ** 2
    for wi in w[:-1]:
        total += (wi - 1) ** 2 * (1 + 10 * sin(pi * wi + 1) ** 2)
    total += (w[-1] - 1) ** 2 * (1 + sin(2 * pi * w[-1]) ** 2)
    return total

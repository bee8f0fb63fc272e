"""Rosenbrock's banana function: a long, flat, curved valley.

Dimension: any n >= 2, here 10.  Bounds: [-5, 10] each.
Optimum:   0 at (1, ..., 1).
Source:    H. H. Rosenbrock, An automatic method for finding the greatest or least value of a function,
           The Computer Journal 3 (1960), 175-184; n-dimensional chained form.
"""


def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))

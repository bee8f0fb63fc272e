"""Ackley's function: almost flat outside, a deep hole in the middle.

Dimension: any, here 10.  Bounds: [-32.768, 32.768] each.
Optimum:   0 at the origin (4.4e-16 in floating point).
Source:    D. H. Ackley, A Connectionist Machine for Genetic Hillclimbing, Kluwer (1987).
"""

import math


def ackley(x, a=20.0, b=0.2, c=2.0 * math.pi):
    n = len(x)
    sum_sq = 0.0
    sum_cos = 0.0
    for xi in x:
        sum_sq += xi**2
        sum_cos += math.cos(c * xi)
    return -a * math.exp(-b * math.sqrt(sum_sq / n)) - math.exp(sum_cos / n) + a + math.e

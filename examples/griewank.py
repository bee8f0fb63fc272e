"""Griewank's function: a wide bowl with many shallow ripples that depend on all coordinates together.

Dimension: any, here 10.  Bounds: [-600, 600] each.
Optimum:   0 at the origin.
Source:    A. O. Griewank, Generalized descent for global optimization,
           Journal of Optimization Theory and Applications 34 (1981), 11-39.
"""

import numpy as np


def griewank(x):
    x = np.asarray(x)
    i = np.arange(1, len(x) + 1)
    return 1 + np.sum(x**2) / 4000 - np.prod(np.cos(x / np.sqrt(i)))

"""Rastrigin's function: a parabola with a regular grid of local minima, written with NumPy.

Dimension: any, here 5.  Bounds: [-5.12, 5.12] each.
Optimum:   0 at the origin.
Source:    L. A. Rastrigin, Systems of Extremal Control, Nauka (1974); n-dimensional form of H. Muehlenbein,
           M. Schomisch, J. Born, Parallel Computing 17 (1991), 619-632.
"""

import numpy as np

A = 10


def rastrigin(x):
    return A * len(x) + np.sum(x**2 - A * np.cos(2 * np.pi * x))

# Svanberg, Int. J. Numerical Methods in Eng. 24, 1987, first example
from math import sqrt

def f(x):
    s = sqrt(1 + x[1] ** 2)
    worst = 0.124 * s * max(abs(8 / x[0] + 1 / (x[0] * x[1])), abs(8 / x[0] - 1 / (x[0] * x[1])))
    return x[0] * s * (1 + max(0, worst - 1) * 3)

# Rao, Engineering Optimization, example 1.1
from math import pi

def f(x):
    d, t = x
    P, E, L, yield_stress = 2500, 0.85e6, 250, 500
    stress = P / (pi * d * t)
    buckling = pi ** 2 * E * (d * d + t * t) / (8 * L * L)
    cost = 9.8 * d * t + 2 * d
    return cost + 10 * max(0, stress / yield_stress - 1) + 10 * max(0, stress / buckling - 1)

# Easom, A Survey of Global Optimization Techniques, 1990
from math import cos, exp, pi

def f(x):
    return -cos(x[0]) * cos(x[1]) * exp(-((x[0] - pi) ** 2) - (x[1] - pi) ** 2)

# Manousiouthakis and Sourlas, Chem. Eng. Comm. 115, 1992; Ryoo and Sahinidis 1995
from math import sqrt

K1, K2, K3, K4 = 0.09755988, 0.99 * 0.09755988, 0.0391908, 0.9 * 0.0391908

def f(x):
    a1, a2, b1, b2, v1, v2 = x
    h = [
        a1 + K1 * a1 * v1 - 1,
        a2 - a1 + K2 * a2 * v2,
        b1 + a1 + K3 * b1 * v1 - 1,
        b2 - b1 + a2 - a1 + K4 * b2 * v2,
    ]
    g = sqrt(v1) + sqrt(v2) - 4
    return -b2 + 10 * sum(v * v for v in h) + 10 * max(0, g) ** 2

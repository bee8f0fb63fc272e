# Messac, AIAA Journal 34, 1996, sandwich beam under a motor
import math

def f(x):
    d1, d2, d3, b, L = x
    if d2 - d1 < 0.01 or d3 - d2 < 0.01:
        return 1000 + 100 * (max(0, d1 + 0.01 - d2) + max(0, d2 + 0.01 - d3))
    EI = 2 * b / 3 * (1.6e9 * d1 ** 3 + 70e9 * (d2 ** 3 - d1 ** 3) + 200e9 * (d3 ** 3 - d2 ** 3))
    mass = 2 * b * (100 * d1 + 2770 * (d2 - d1) + 7780 * (d3 - d2))
    frequency = math.pi / (2 * L * L) * math.sqrt(EI / mass)
    cost = 2 * b * (500 * d1 + 1500 * (d2 - d1) + 800 * (d3 - d2))
    return -frequency + 0.02 * cost + max(0, mass * L - 2800) ** 2 * 1e-3

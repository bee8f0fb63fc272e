# Rastrigin 1974, moved
import math

def f(x):
    z = (x[0] - 0.37, x[1] + 1.41, x[2] - 0.83)
    return 30 + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in z)

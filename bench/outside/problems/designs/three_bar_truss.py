# Nowacki 1973; Ray and Saini, Engineering Optimization 33, 2001
import math

def f(x):
    a, b = x
    volume = (2 * math.sqrt(2) * a + b) * 100
    d = math.sqrt(2) * a * a + 2 * a * b + 1e-12
    g = [(math.sqrt(2) * a + b) / d * 2 - 2, b / d * 2 - 2, 1 / (a + math.sqrt(2) * b + 1e-12) * 2 - 2]
    return volume + 1000 * sum(max(0, v) for v in g)

# Rao, Engineering Optimization, problem 1.x; step cone pulley of four steps
import math

SPEEDS = [750, 450, 250, 150]

def f(x):
    d, w = [v / 1000 for v in x[:4]], x[4] / 1000
    N, a, density, strength, thickness, mu = 350, 3.0, 7200, 1.75e6, 0.008, 0.35
    weight = density * w * math.pi / 4 * sum(v * v * (1 + (n / N) ** 2) for v, n in zip(d, SPEEDS))
    lengths = [math.pi * v / 2 * (1 + n / N) + (n / N - 1) ** 2 * v * v / (4 * a) + 2 * a for v, n in zip(d, SPEEDS)]
    penalty = sum(1000 * abs(lengths[0] - other) for other in lengths[1:])
    for v, n in zip(d, SPEEDS):
        wrap = math.pi - 2 * math.asin((n / N - 1) * v / (2 * a))
        ratio = math.exp(mu * wrap)
        power = strength * thickness * w * (1 - 1 / ratio) * math.pi * v * n / 60
        penalty += 10 * max(0, 2 - ratio) + 10 * max(0, 1 - power / (0.75 * 745.6998))
    return weight + penalty

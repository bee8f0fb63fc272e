# Sandgren, J. Mechanical Design 112, 1990, plates of any thickness
import math

def f(x):
    shell, head, r, l = x
    cost = 0.6224 * shell * r * l + 1.7781 * head * r * r + 3.1661 * shell ** 2 * l + 19.84 * shell ** 2 * r
    penalty = 0.0
    if shell < 0.0193 * r:
        penalty += 1e5 * (0.0193 * r - shell)
    if head < 0.00954 * r:
        penalty += 1e5 * (0.00954 * r - head)
    volume = math.pi * r * r * l + 4 / 3 * math.pi * r ** 3
    if volume < 1296000:
        penalty += 0.1 * (1296000 - volume)
    return cost + penalty

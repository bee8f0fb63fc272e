# Sandgren 1990; plates in sixteenths of an inch
import math

def f(x):
    shell, head = 0.0625 * round(x[0]), 0.0625 * round(x[1])
    r, l = x[2], x[3]
    cost = 0.6224 * shell * r * l + 1.7781 * head * r ** 2 + 3.1661 * shell ** 2 * l + 19.84 * shell ** 2 * r
    g = [0.0193 * r - shell, 0.00954 * r - head, (1296000 - math.pi * r * r * l - 4 / 3 * math.pi * r ** 3) / 1e6]
    return cost + 1e5 * sum(max(0, v) for v in g)

# Keane, Artificial Intelligence in Engineering 9, 1995
import math

def f(x):
    product = math.prod(x)
    total = sum(x)
    if product < 0.75:
        return 0.75 - product
    if total > 7.5 * len(x):
        return 1.0
    top = abs(sum(math.cos(v) ** 4 for v in x) - 2 * math.prod(math.cos(v) ** 2 for v in x))
    return -top / math.sqrt(sum(i * v * v for i, v in enumerate(x, 1)))

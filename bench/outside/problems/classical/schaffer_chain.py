# Schaffer et al., ICGA 1989, F6, summed over neighbours
import math

def ripple(a, b):
    s = a * a + b * b
    return 0.5 + (math.sin(math.sqrt(s)) ** 2 - 0.5) / (1 + 0.001 * s) ** 2

def f(x):
    return sum(ripple(x[i], x[(i + 1) % len(x)]) for i in range(len(x)))

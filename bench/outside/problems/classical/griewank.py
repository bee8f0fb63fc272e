# Griewank, JOTA 34, 1981
import math

def f(x):
    total = 0.0
    product = 1.0
    for i, v in enumerate(x, start=1):
        total += v * v / 4000
        product *= math.cos(v / math.sqrt(i))
    return total - product + 1

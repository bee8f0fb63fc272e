# Tillman, Hwang and Kuo, Optimization of Systems Reliability, 1980; spare units in series
import math

CHANCE = [0.8, 0.85, 0.9, 0.65, 0.75]
P, C, W = [1, 2, 3, 4, 2], [7, 7, 5, 9, 4], [7, 8, 8, 6, 9]

def f(x):
    n = [max(1, round(v)) for v in x]
    works = 1.0
    for k, chance in zip(n, CHANCE):
        works *= 1 - (1 - chance) ** k
    volume = sum(p * k * k for p, k in zip(P, n)) - 110
    cost = sum(c * (k + math.exp(k / 4)) for c, k in zip(C, n)) - 175
    weight = sum(w * k * math.exp(k / 4) for w, k in zip(W, n)) - 200
    return -works + 0.01 * sum(max(0, v) for v in (volume, cost, weight))

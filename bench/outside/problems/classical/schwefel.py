# Schwefel 1981, problem 2.26
import math

def f(x):
    return 418.9828872724338 * len(x) - sum(v * math.sin(math.sqrt(abs(v))) for v in x)

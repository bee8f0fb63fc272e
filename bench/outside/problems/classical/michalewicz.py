# Michalewicz, Genetic Algorithms + Data Structures, 1992
import math

def f(x):
    return -sum(math.sin(v) * math.sin((i + 1) * v * v / math.pi) ** 20 for i, v in enumerate(x))

# Salomon, BioSystems 39, 1996
import math

def f(x):
    r = math.sqrt(sum(v * v for v in x))
    return 1 - math.cos(2 * math.pi * r) + 0.1 * r

# Rastrigin 1974; Muehlenbein, Schomisch and Born 1991
import math

def f(x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)

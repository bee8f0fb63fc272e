# Alpine 1; Clerc, Particle Swarm Optimization, 1999
import math

def f(x):
    return sum(abs(v * math.sin(v) + 0.1 * v) for v in x)

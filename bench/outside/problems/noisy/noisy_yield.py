# Yield of a stirred reactor, measured; Box and Draper, Empirical Model-Building, 1987
import math

def f(x):
    t, time, feed = x
    k1, k2 = 2e6 * math.exp(-5400 / t), 3e8 * math.exp(-8000 / t)
    made = k1 * time * feed / ((1 + k1 * time) * (1 + k2 * time) * (1 + 0.3 * feed))
    return -made + 0.03 * feed

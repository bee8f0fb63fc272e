# Arrhenius 1889, in its unscaled form; data of our own
from math import exp

TEMPERATURE = [298, 303, 308, 313, 318, 323, 328, 333]
RATE = [0.00807908, 0.0129639, 0.0203703, 0.0325328, 0.0521205, 0.0745605, 0.111883, 0.163303]

def f(x):
    return sum((x[0] * exp(-x[1] / (8.314 * t)) / r - 1) ** 2 for t, r in zip(TEMPERATURE, RATE))

# Saturating exponential, the form of NIST's Misra1a; data of our own
import math

X = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0]
Y = [
    9.74097, 14.5397, 17.7421, 23.885, 29.6124, 35.4099, 40.183, 45.2675, 51.1399, 55.301, 61.3733, 66.6455,
    75.8833, 81.8633,
]

def f(x):
    return sum((y - x[0] * (1 - math.exp(-x[1] * t))) ** 2 for t, y in zip(X, Y))

# Yield of B in A to B to C over a temperature profile; Ray, Advanced Process Control, 1981
import math

def f(temperatures):
    a, b = 1.0, 0.0
    steps, h = 48, 1 / 48
    for k in range(steps):
        # Linear between four temperatures.
        place = 3 * k / steps
        j = int(place)
        t = temperatures[j] + (place - j) * (temperatures[j + 1] - temperatures[j])
        k1 = 4000 * math.exp(-2500 / t)
        k2 = 6.2e5 * math.exp(-5000 / t)
        a2, b2 = a - h / 2 * k1 * a * a, b + h / 2 * (k1 * a * a - k2 * b)
        a, b = a - h * k1 * a2 * a2, b + h * (k1 * a2 * a2 - k2 * b2)
    return -b

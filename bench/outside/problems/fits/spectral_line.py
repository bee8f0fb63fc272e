# Lorentz line on a sloping background; data of our own, Poisson-like errors
import numpy as np

E = np.arange(0, 20, 0.5)
COUNTS = np.array([
    5.0, 2.0, 3.0, 6.0, 3.0, 5.0, 6.0, 6.0, 6.0, 4.0, 5.0, 3.0, 7.0, 8.0, 10.0, 14.0, 27.0, 25.0, 19.0, 12.0, 10.0,
    7.0, 9.0, 6.0, 5.0, 6.0, 8.0, 6.0, 7.0, 8.0, 7.0, 6.0, 6.0, 6.0, 5.0, 4.0, 6.0, 5.0, 6.0, 7.0,
])

def f(x):
    model = x[0] * x[2] ** 2 / ((E - x[1]) ** 2 + x[2] ** 2) + np.maximum(x[3] + x[4] * E, 0.01)
    return np.sum((COUNTS - model) ** 2 / (COUNTS + 1))

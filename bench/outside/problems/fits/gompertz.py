# Gompertz 1825, tumour growth; data of our own
import numpy as np

t = np.array([0, 2, 4, 6, 8, 10, 12, 14, 17, 20, 24, 28], dtype=float)
y = np.array([
    0.0195927, 0.269098, 1.87333, 3.75702, 6.29715, 9.00884, 10.4127, 11.4566, 12.5857, 13.3988, 13.868, 13.7265,
])

def f(p):
    return ((y - p[0] * np.exp(-p[1] * np.exp(-p[2] * t))) ** 2).sum()

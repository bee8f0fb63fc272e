# van Genuchten, Soil Sci. Soc. Am. J. 44, 1980; data of our own
import numpy as np

HEAD = np.array([1, 3, 6, 10, 20, 35, 60, 100, 200, 500, 1000, 3000, 10000.0])
WATER = np.array([
    0.432401, 0.426146, 0.408504, 0.405059, 0.367286, 0.323181, 0.275731, 0.226586, 0.179913, 0.13605, 0.112625,
    0.0886095, 0.0778046,
])

def f(x):
    residual, saturated, alpha, n = x
    model = residual + (saturated - residual) / (1 + (alpha * HEAD) ** n) ** (1 - 1 / n)
    return 1e4 * np.mean((WATER - model) ** 2)

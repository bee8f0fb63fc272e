# Styblinski and Tang, Neural Networks 3, 1990
import numpy as np

def f(x):
    return 0.5 * np.sum(x ** 4 - 16 * x ** 2 + 5 * x)

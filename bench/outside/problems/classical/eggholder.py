# Whitley et al., Artificial Intelligence 85, 1996
import numpy as np

def f(x):
    a, b = x
    return -(b + 47) * np.sin(np.sqrt(abs(b + a / 2 + 47))) - a * np.sin(np.sqrt(abs(a - b - 47)))

# Neumaier; Adorio, MVF, 2005
import numpy as np

def f(x):
    return np.sum((x - 1) ** 2) - np.sum(x[1:] * x[:-1])

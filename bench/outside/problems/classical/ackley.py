# Ackley, A Connectionist Machine for Genetic Hillclimbing, 1987
import numpy as np

def f(x):
    n = len(x)
    a = -20 * np.exp(-0.2 * np.sqrt(np.sum(x ** 2) / n))
    b = -np.exp(np.sum(np.cos(2 * np.pi * x)) / n)
    return a + b + 20 + np.e

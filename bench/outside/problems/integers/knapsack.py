# Bounded knapsack, Dantzig 1957; data of our own
import numpy as np

VALUE = np.array([30, 20, 23, 17, 19, 16, 15, 14, 35, 17])
WEIGHT = np.array([5, 19, 7, 17, 8, 9, 24, 14, 38, 19])

def f(x):
    n = np.round(x)
    return -np.sum(n * VALUE) + 3 * max(0, np.sum(n * WEIGHT) - 220)

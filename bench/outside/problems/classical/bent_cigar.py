# Cigar; Hansen and Ostermeier, Evolutionary Computation 9, 2001
import numpy as np

def f(x):
    return x[0] ** 2 + 1e6 * np.sum(x[1:] ** 2)

# Sharp ridge; Hansen and Ostermeier 2001
import numpy as np

CENTRE = np.array([0.7, -1.2, 2.4, 0.3, -0.5, 1.1])

def f(x):
    z = x - CENTRE
    return z[0] ** 2 + 100 * np.sqrt(np.sum(z[1:] ** 2))

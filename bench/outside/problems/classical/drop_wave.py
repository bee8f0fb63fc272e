# Drop-wave; Molga and Smutnicki 2005
import math

def f(x):
    s = x[0] ** 2 + x[1] ** 2
    return -(1 + math.cos(12 * math.sqrt(s))) / (0.5 * s + 2)

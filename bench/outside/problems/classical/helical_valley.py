# Fletcher and Powell, The Computer Journal 6, 1963
import math

def f(x):
    angle = math.atan2(x[1], x[0]) / (2 * math.pi)
    radius = math.hypot(x[0], x[1])
    return 100 * ((x[2] - 10 * angle) ** 2 + (radius - 1) ** 2) + x[2] ** 2

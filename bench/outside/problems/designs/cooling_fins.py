# Rectangular fins; Kraus, Aziz and Welty, Extended Surface Heat Transfer, 2001
import math

def f(x):
    thickness, length, count, air = x[0] / 1000, x[1], x[2], x[3]
    width, depth, k = 0.12, 0.1, 180.0
    gap = (width - count * thickness) / max(1.0, count - 1)
    if gap < 0.0008:
        return 500 + 1e5 * (0.0008 - gap)
    h = 5 + 14 * air ** 0.5 * math.tanh(gap / 0.004)
    m = math.sqrt(2 * h / (k * thickness))
    efficiency = math.tanh(m * length) / (m * length)
    area = count * 2 * length * depth * efficiency + (width - count * thickness) * depth
    rise = 100 / (h * area)
    mass = 2700 * count * thickness * length * depth
    noise = 6 * air ** 1.5
    return 10 * mass + noise + 8 * max(0, rise - 35)

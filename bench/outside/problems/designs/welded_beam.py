# Ragsdell and Phillips, J. Eng. for Industry 98, 1976
import math

P, L, E, G = 6000.0, 14.0, 30e6, 12e6

def f(x):
    h, l, t, b = x
    cost = 1.10471 * h * h * l + 0.04811 * t * b * (14 + l)
    m = P * (L + l / 2)
    r = math.sqrt(l * l / 4 + ((h + t) / 2) ** 2)
    j = 2 * math.sqrt(2) * h * l * (l * l / 12 + ((h + t) / 2) ** 2)
    t1 = P / (math.sqrt(2) * h * l)
    t2 = m * r / j
    shear = math.sqrt(t1 * t1 + t1 * t2 * l / r + t2 * t2)
    bending = 6 * P * L / (b * t * t)
    deflection = 4 * P * L ** 3 / (E * t ** 3 * b)
    buckling = 4.013 * E * math.sqrt(t * t * b ** 6 / 36) / L ** 2 * (1 - t / (2 * L) * math.sqrt(E / (4 * G)))
    broken = [shear / 13600 - 1, bending / 30000 - 1, h - b, deflection / 0.25 - 1, 1 - buckling / P]
    return cost + 1000 * sum(max(0, g) ** 2 for g in broken)

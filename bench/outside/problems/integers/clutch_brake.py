# Osyczka, Evolutionary Algorithms for Single and Multicriteria Design Optimization, 2002
import math

def f(x):
    ri, ro, t, F, Z = round(x[0]), round(x[1]), 0.5 * round(2 * x[2]), 10 * round(x[3] / 10), round(x[4])
    squares, cubes = ro ** 2 - ri ** 2, ro ** 3 - ri ** 3
    mass = math.pi * squares * t * (Z + 1) * 7.8e-6
    torque = 2 / 3 * 0.5 * F * Z * cubes / squares / 1000
    pressure = F / (math.pi * squares)
    speed = math.pi * 250 * 2 * cubes / (3 * squares * 30) / 1000
    stop = 55 * math.pi * 250 / (30 * (torque + 3))
    limits = [
        20 - (ro - ri), (Z + 1) * (t + 0.5) - 30, pressure - 1, pressure * speed - 10, speed - 10,
        1.5 * 40 - torque, stop - 15,
    ]
    return mass + sum(1 + v if v > 0 else 0 for v in limits)

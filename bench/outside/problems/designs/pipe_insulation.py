# Economic pipe and insulation thickness, textbook model; Peters and Timmerhaus, Plant Design and Economics
import math

def f(x):
    t, d = x
    radius = d / 2
    resistance = math.log((radius + t) / radius) / (2 * math.pi * 0.045) + 1 / (2 * math.pi * (radius + t) * 9)
    heat = 150 / resistance
    velocity = 0.02 / (math.pi * radius ** 2)
    pumping = 0.02 * 0.5 * 1000 * velocity ** 2 / d * 0.02
    surface = 20 + heat / (2 * math.pi * (radius + t) * 9)
    cost = 0.12 * heat + 0.35 * pumping + 900 * ((radius + t) ** 2 - radius ** 2) + 120 * d ** 1.3
    return cost + 5 * max(0, surface - 32) + 50 * max(0, velocity - 3)

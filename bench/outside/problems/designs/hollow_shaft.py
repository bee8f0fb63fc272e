# Arora, Introduction to Optimum Design, exercises to chapter 2, shaft in torsion
import math

def f(x):
    d, k = x
    torque, length, density, G = 2000.0, 0.5, 7850, 80e9
    j = math.pi / 32 * d ** 4 * (1 - k ** 4)
    mass = density * length * math.pi / 4 * d * d * (1 - k * k)
    shear = torque * d / (2 * j)
    twist = math.degrees(torque * length / (G * j))
    buckling = math.pi * d ** 3 * 207e9 * (1 - k) ** 2.5 / (12 * math.sqrt(2) * (1 - 0.3 ** 2) ** 0.75)
    penalty = max(0, math.log(shear / 60e6)) + max(0, math.log(twist / 1.5)) + max(0, math.log(torque / buckling))
    return mass + 30 * penalty

# Kvalie, Moe and Kavlie 1966; Ravindran, Ragsdell and Reklaitis, Engineering Optimization, 2006
import math

def f(x):
    width, depth, length, t = x
    below = max(1e-6, length * length - depth * depth)
    straight = math.sqrt(below)
    weight = 5.885 * t * (width + length) / (width + straight)
    g = [
        8.94 * (width + straight) - t * depth * (0.4 * width + length / 6),
        2.2 * (8.94 * (width + straight)) ** (4 / 3) - t * depth ** 2 * (0.2 * width + length / 12),
        0.0156 * width + 0.15 - t,
        0.0156 * length + 0.15 - t,
        1.05 - t,
        depth - length,
    ]
    return weight + sum(10 * max(0, v) for v in g)

# A second-order low-pass of stock parts, Sallen and Key 1955, E12 values
import math

E12 = [1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2]

def part(v, unit):
    k = int(round(v))
    return E12[k % 12] * 10.0 ** (k // 12) * unit

def f(x):
    r1, r2 = part(x[0], 1e3), part(x[1], 1e3)
    c1, c2 = part(x[2], 1e-9), part(x[3], 1e-9)
    frequency = 1 / (2 * math.pi * math.sqrt(r1 * r2 * c1 * c2))
    quality = math.sqrt(r1 * r2 * c1 * c2) / (c2 * (r1 + r2))
    return math.log(frequency / 1234) ** 2 + math.log(quality / 0.7071) ** 2

# Vanderplaats, Numerical Optimization Techniques for Engineering Design, 1984
import math

def f(x):
    H, B, D, X = x
    Q, L, P, theta, most = 10000, 240, 1500, math.pi / 4, 1.8e6
    l1 = math.sqrt((X - B) ** 2 + H ** 2)
    l2 = math.sqrt((X * math.sin(theta) + H) ** 2 + (B - X * math.cos(theta)) ** 2)
    R = abs(-X * (X * math.sin(theta) + H) + H * (B - X * math.cos(theta))) / math.sqrt((X - B) ** 2 + H ** 2)
    F = math.pi * P * D * D / 4
    oil = math.pi * D * D * (l2 - l1) / 4
    g = [
        (Q * L * math.cos(theta) - R * F) / 1e6,
        (Q * (L - X) - most) / 1e6,
        (1.2 * (l2 - l1) - l1) / 100,
        (D / 2 - B) / 10,
    ]
    return oil + 1e4 * sum(max(0, v) for v in g) + (1e3 if oil < 0 else 0) + max(0, -oil) * 2

# Siddall, Optimal Engineering Design, 1982, hydrostatic thrust bearing
import math

def f(x):
    R, R0, mu, Q = x[0], x[1], x[2] * 1e-6, x[3]
    if R - R0 < 0.01:
        return 1e5 + 1e4 * (R0 - R)
    gamma, C, n, c1, most = 0.0307, 0.5, -3.55, 10.04, 1000.0
    P = (math.log10(math.log10(8.122e6 * mu + 0.8)) - c1) / n
    rise = 2 * (10 ** P - 560)
    Ef = 9336 * Q * gamma * C * max(rise, 0.1)
    h = (2 * math.pi * 750 / 60) ** 2 * 2 * math.pi * mu / Ef * (R ** 4 - R0 ** 4) / 4
    P0 = 6 * mu * Q / (math.pi * h ** 3) * math.log(R / R0)
    W = math.pi * P0 / 2 * (R * R - R0 * R0) / math.log(R / R0)
    loss = (Q * P0 / 0.7 + Ef) / 12
    g = [
        101000 / W - 1,
        P0 / most - 1,
        rise / 50 - 1,
        0.001 / h - 1,
        gamma / (386.4 * P0) * (Q / (2 * math.pi * R * h)) ** 2 / 0.001 - 1,
        W / (math.pi * (R * R - R0 * R0)) / 5000 - 1,
    ]
    return min(loss, 1e5) + sum(20000 * min(max(0, v), 10) for v in g)

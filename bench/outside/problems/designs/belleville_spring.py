# Siddall, Optimal Engineering Design, 1982; Coello, Computers in Industry 41, 2000
import math

FACTORS = [1, 0.85, 0.77, 0.71, 0.66, 0.63, 0.6, 0.58, 0.56, 0.55, 0.53, 0.52, 0.51, 0.51, 0.5]

def f(x):
    t, h, Di, De = x
    if De - Di < 0.1:
        return 100 + Di - De
    K = De / Di
    q = 6 / (math.pi * math.log(K))
    alpha, beta, gamma = q * ((K - 1) / K) ** 2, q * ((K - 1) / math.log(K) - 1), q * (K - 1) / 2
    E, mu, P, travel, S = 30e6, 0.3, 5400, 0.2, 200e3
    common = 4 * E * travel / ((1 - mu * mu) * alpha * De * De)
    stress = common * (beta * (h - travel / 2) + gamma * t)
    load = common * ((h - travel / 2) * (h - travel) * t + t ** 3)
    a = h / t
    factor = 1 if a <= 1.4 else 0.5 if a >= 2.8 else FACTORS[int(round((a - 1.4) * 10))]
    g = [
        stress / S - 1, 1 - load / P, 1 - factor * h / travel, (h + t) / 2 - 1, De / 12.01 - 1,
        h / (De - Di) / 0.3 - 1,
    ]
    return 0.07075 * math.pi * (De ** 2 - Di ** 2) * t + 50 * sum(max(0, v) for v in g)

# Substrate inhibition, Haldane 1930; data of our own, relative errors
DATA = [
    (0.1, 1.18791), (0.2, 2.16084), (0.4, 3.5858), (0.7, 4.92947), (1, 6.09318), (1.5, 7.062), (2, 7.55764),
    (3, 7.72635), (4.5, 7.39271), (6, 7.27058), (9, 6.02453), (13, 5.0951), (18, 4.38634), (25, 3.51253),
]

def f(x):
    vmax, km, ki = x
    total = 0
    for s, v in DATA:
        model = vmax * s / (km + s + s * s / ki)
        total += ((v - model) / v) ** 2
    return total

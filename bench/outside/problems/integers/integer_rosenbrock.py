# Rosenbrock 1960 on a grid of tenths
def f(x):
    z = [round(v * 10) / 10 for v in x]
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(z, z[1:]))

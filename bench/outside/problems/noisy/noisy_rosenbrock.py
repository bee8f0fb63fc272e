# Rosenbrock 1960, moved
def f(x):
    z = [v - c for v, c in zip(x, (0.1, -0.1, 0.0, 0.3))]
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(z, z[1:]))

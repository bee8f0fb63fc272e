# Osyczka and Kundu, Structural Optimization 10, 1995; mass and stopping time weighed
def f(x):
    r, R, force, n = x
    squares, cubes = R ** 2 - r ** 2, R ** 3 - r ** 3
    if R - r < 20:
        return 50 + (20 - R + r)
    mass = 4.9e-5 * squares * (n - 1)
    time = 9.82e6 * squares / (force * n * cubes)
    g = [
        2.5 * (n + 1) - 30,
        force / (3.14 * squares) - 0.4,
        2.22e-3 * force * cubes / squares ** 2 - 1,
        900 - 2.66e-2 * force * n * cubes / squares,
    ]
    return mass + time + sum(max(0, v) for v in g)

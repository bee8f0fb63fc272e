# Source and conductivity of a rod from six thermometers; Beck, Blackwell and St. Clair, Inverse Heat Conduction, 1985
import math

SEEN = [0.472441, 1.47894, 1.96103, 1.37548, 0.811073, 0.256349]

def f(x):
    place, power, conductivity, loss = x
    n = 24
    h = 1 / n
    # (k / h^2) (u[i-1] - 2 u[i] + u[i+1]) - loss u[i] + q[i] = 0, the ends at 0, by Thomas's algorithm
    side = conductivity / (h * h)
    upper, right = [0.0] * n, [0.0] * n
    for i in range(1, n):
        q = power * math.exp(-(((i * h - place) / 0.08) ** 2))
        below = 2 * side + loss - side * upper[i - 1]
        upper[i] = side / below
        right[i] = (q + side * right[i - 1]) / below
    u = [0.0] * (n + 1)
    for i in range(n - 1, 0, -1):
        u[i] = right[i] + upper[i] * u[i + 1]
    return sum((u[4 * k + 2] - seen) ** 2 for k, seen in enumerate(SEEN))

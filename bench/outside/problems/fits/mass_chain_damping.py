# Dampers between three masses, energy after a blow; Den Hartog, Mechanical Vibrations
import numpy as np

K = np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 1]])

def f(x):
    C = np.array([[x[0] + x[1], -x[1], 0], [-x[1], x[1] + x[2], -x[2]], [0, -x[2], x[2]]])
    u, v, h = np.zeros(3), np.array([0.0, 0, 1]), 0.15
    total = 0.0
    step = np.linalg.inv(np.eye(3) + h * C + h * h * K)
    for _ in range(60):
        v = step @ (v - h * (K @ u))
        u = u + h * v
        total += h * (u @ u + 0.5 * (v @ v))
    return total + 0.01 * np.sum(x ** 2)

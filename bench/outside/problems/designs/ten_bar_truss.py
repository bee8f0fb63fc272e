# Schmit and Miura 1976; Haftka and Guerdal, Elements of Structural Optimization, 1992
import numpy as np

NODES = np.array([[720.0, 360.0], [720.0, 0.0], [360.0, 360.0], [360.0, 0.0], [0.0, 360.0], [0.0, 0.0]])
BARS = [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)]
E, DENSITY = 1e7, 0.1
LENGTHS = np.array([np.sqrt(np.sum((NODES[a] - NODES[b]) ** 2)) for a, b in BARS])
ROWS = np.zeros((10, 8))
for k, (a, b) in enumerate(BARS):
    direction = (NODES[b] - NODES[a]) / LENGTHS[k]
    for node, sign in ((a, -1), (b, 1)):
        if node < 4:
            ROWS[k, 2 * node] = sign * direction[0]
            ROWS[k, 2 * node + 1] = sign * direction[1]
LOAD = np.array([0, 0, 0, -1e5, 0, 0, 0, -1e5])

def f(x):
    stiffness = (ROWS.T * (x * E / LENGTHS)) @ ROWS
    u = np.linalg.solve(stiffness, LOAD)
    stress = (ROWS @ u) * E / LENGTHS
    weight = DENSITY * np.sum(LENGTHS * x)
    over = np.sum(np.maximum(0, np.abs(stress) / 25000 - 1)) + np.sum(np.maximum(0, np.abs(u) / 2 - 1))
    return weight * (1 + over) ** 2

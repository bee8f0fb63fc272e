# Ten-bar truss with 42 sections; Rajeev and Krishnamoorthy, J. Structural Engineering 118, 1992
import numpy as np

SECTIONS = np.array([
    1.62, 1.8, 1.99, 2.13, 2.38, 2.62, 2.63, 2.88, 2.93, 3.09, 3.13, 3.38, 3.47, 3.55, 3.63, 3.84, 3.87, 3.88,
    4.18, 4.22, 4.49, 4.59, 4.8, 4.97, 5.12, 5.74, 7.22, 7.97, 11.5, 13.5, 13.9, 14.2, 15.5, 16.0, 16.9, 18.8,
    19.9, 22.0, 22.9, 26.5, 30.0, 33.5,
])
NODES = np.array([[720.0, 360.0], [720.0, 0.0], [360.0, 360.0], [360.0, 0.0], [0.0, 360.0], [0.0, 0.0]])
BARS = [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)]
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
    area = SECTIONS[np.round(x).astype(int)]
    u = np.linalg.solve((ROWS.T * (area * 1e7 / LENGTHS)) @ ROWS, LOAD)
    stress = (ROWS @ u) * 1e7 / LENGTHS
    over = np.sum(np.maximum(0, np.abs(stress) / 25000 - 1)) + np.sum(np.maximum(0, np.abs(u) / 2 - 1))
    return 0.1 * np.sum(LENGTHS * area) * (1 + 2 * over)

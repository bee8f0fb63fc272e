# Eight phases and lifts of a gait, distance walked; smooth model of our own
import numpy as np

PHASE = np.array([0.3, -0.5, 0.7, -0.2])
LIFT = np.array([0.1, 0.4, -0.3, 0.2])

def f(x):
    together = np.cos(2 * (x[:4] - PHASE)) * np.exp(-((x[4:] - LIFT) ** 2))
    coupling = 0.3 * np.sum((x[1:4] - x[:3] - np.diff(PHASE)) ** 2)
    return -np.sum(together) + coupling

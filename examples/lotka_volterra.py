"""Predators and prey: rates of the Lotka-Volterra equations from a census; SciPy integrates them, so it runs in CPython.

x = [growth of the prey, losses to predators, gain per prey, death of the predators], per year.
Dimension: 4.  Bounds: [0.3, 0.9], [0.01, 0.05], [0.01, 0.05], [0.3, 1.2].
Optimum:   0.0192111884068 at [0.558071, 0.02653824, 0.0242942, 0.6542997], by Nelder-Mead from 30 starts (scipy.optimize).
Source:    ours, with a made-up census; see J. D. Murray, Mathematical Biology I (2002), 3.1.
"""

import numpy as np
from scipy.integrate import odeint

YEARS = np.arange(0, 21, 2.0)
PREY = np.array([30.0, 67.6, 34.9, 8.6, 6.3, 11.2, 29.4, 71.2, 24.2, 7.4, 6.5])
PREDATORS = np.array([4.0, 12.2, 58.9, 34.8, 14.1, 6.2, 3.9, 14.0, 61.7, 28.6, 11.6])


def rates(state, t, growth, loss, gain, death):
    prey, predators = state
    return [prey * (growth - loss * predators), predators * (gain * prey - death)]


def lotka_volterra(x):
    path = odeint(rates, [30.0, 4.0], YEARS, args=tuple(x), rtol=1e-9, atol=1e-9, mxstep=5000)
    return np.mean(np.log(path[:, 0] / PREY) ** 2) + np.mean(np.log(path[:, 1] / PREDATORS) ** 2)

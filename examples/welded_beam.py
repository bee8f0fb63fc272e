"""Welded beam: the cheapest beam (weld and bar) that carries a load at its free end.

Variables: h weld thickness, l weld length, t bar height, b bar thickness, in inches.
Dimension: 4.  Bounds: h, b in [0.1, 2], l, t in [0.1, 10].
Optimum:   1.724852309 at (0.2057296398, 3.4704886656, 9.0366239104, 0.2057296398), where shear, bending, h <= b and
           buckling all bind.
Source:    formulation of C. A. Coello Coello, Use of a self-adaptive penalty approach for engineering optimization
           problems, Computers in Industry 41 (2000), 113-127, after K. M. Ragsdell, D. T. Phillips (1976); best known
           value 1.724852 as in E. Mezura-Montes, C. A. Coello Coello, IJGS 37 (2008), 443-473.

A design that breaks a constraint costs more than any sound one, and the more the further it is off: so the best
value is that of a design which holds.
"""

import math

P = 6000.0  # load, lb
L = 14.0  # free length, in
E = 30e6  # Young's modulus, psi
G = 12e6  # shear modulus, psi
TAU_MAX = 13600.0
SIGMA_MAX = 30000.0
DELTA_MAX = 0.25


def cost(h, l, t, b):
    return 1.10471 * h**2 * l + 0.04811 * t * b * (14.0 + l)


def constraints(h, l, t, b):
    """Each is at most 0 in a sound design; stresses and loads relative to what is allowed."""
    tau_prime = P / (math.sqrt(2) * h * l)
    M = P * (L + l / 2)
    R = math.sqrt(l**2 / 4 + ((h + t) / 2) ** 2)
    J = 2 * (math.sqrt(2) * h * l * (l**2 / 12 + ((h + t) / 2) ** 2))
    tau_second = M * R / J
    tau = math.sqrt(tau_prime**2 + 2 * tau_prime * tau_second * l / (2 * R) + tau_second**2)
    sigma = 6 * P * L / (b * t**2)
    delta = 4 * P * L**3 / (E * t**3 * b)
    buckling = 4.013 * E * math.sqrt(t**2 * b**6 / 36) / L**2 * (1 - t / (2 * L) * math.sqrt(E / (4 * G)))
    return [
        tau / TAU_MAX - 1,
        sigma / SIGMA_MAX - 1,
        h - b,
        0.10471 * h**2 + 0.04811 * t * b * (14.0 + l) - 5.0,
        0.125 - h,
        delta / DELTA_MAX - 1,
        1 - buckling / P,
    ]


def objective(x):
    h, l, t, b = x
    violation = 0.0
    for g in constraints(h, l, t, b):
        if g > 0:
            violation += g
    if violation > 0:
        return 100.0 + 10.0 * violation
    return cost(h, l, t, b)

"""Orbit from sightings: eccentricity, period and phase of a planet from its position along the orbit's long axis.

Each prediction solves Kepler's equation M = E - e sin(E) by Newton's method in a `while` loop.

Dimension: 3.  Bounds: eccentricity in [0, 0.8], period in [80, 130] days, mean anomaly at day 0 in [-1.5, 1.5].
Optimum:   0 (below 1e-12: the sightings carry eight decimals) at (0.35, 102, 0.6), the orbit they were computed from.
Source:    ours; Kepler's equation as in J. M. A. Danby, Fundamentals of Celestial Mechanics (1988), chapter 6.
"""

import math

days = [0, 7, 15, 22, 31, 40, 52, 63, 77, 90]
sightings = [
    0.29727742,
    -0.15493816,
    -0.63472082,
    -0.96370057,
    -1.24036135,
    -1.34834799,
    -1.22984564,
    -0.85815485,
    -0.05828101,
    0.62734138,
]


def eccentric_anomaly(mean_anomaly, e):
    guess = mean_anomaly
    step = 1.0
    rounds = 0
    while abs(step) > 1e-12 and rounds < 50:
        step = (guess - e * math.sin(guess) - mean_anomaly) / (1 - e * math.cos(guess))
        guess = guess - step
        rounds += 1
    return guess


def misfit(x):
    e, period, phase = x
    error = 0.0
    for day, seen in zip(days, sightings):
        mean_anomaly = phase + 2 * math.pi * day / period
        position = math.cos(eccentric_anomaly(mean_anomaly, e)) - e
        error += (position - seen) ** 2
    return error

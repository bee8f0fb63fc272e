# Gupta, Tiwari and Nair, Mechanism and Machine Theory 42, 2007; balls as a real number
import math

D, d, Bw = 160.0, 90.0, 30.0

def f(x):
    Dm, Db, Z, fi, fo, kmin, kmax, eps, e, zeta = x
    gamma = Db / Dm
    ratio = (1 - gamma) / (1 + gamma)
    fc = 37.91 * (1 + (1.04 * ratio ** 1.72 * (fi * (2 * fo - 1) / (fo * (2 * fi - 1))) ** 0.41) ** (10 / 3)) ** -0.3
    fc *= gamma ** 0.3 * (1 - gamma) ** 1.39 / (1 + gamma) ** (1 / 3) * (2 * fi / (2 * fi - 1)) ** 0.41
    if Db <= 25.4:
        capacity = fc * Z ** (2 / 3) * Db ** 1.8
    else:
        capacity = 3.647 * fc * Z ** (2 / 3) * Db ** 1.4
    T = D - d - 2 * Db
    A = (D - d) / 2 - 3 * T / 4
    C = D / 2 - T / 4 - Db
    B = d / 2 + T / 4
    cosine = (A * A + C * C - B * B) / (2 * A * C)
    phi = 2 * math.pi - 2 * math.acos(max(-1.0, min(1.0, cosine)))
    g = [
        Z - 1 - phi / (2 * math.asin(gamma)),
        kmin * (D - d) - 2 * Db,
        2 * Db - kmax * (D - d),
        Db - zeta * Bw,
        0.5 * (D + d) - Dm,
        Dm - (0.5 + e) * (D + d),
        eps * Db - 0.5 * (D - Dm - Db),
    ]
    return -capacity + 1e4 * sum(max(0, v) for v in g)

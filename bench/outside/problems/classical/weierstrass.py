# Weierstrass; Suganthan et al., CEC 2005
import math

POWERS = [(0.5 ** k, 2 * math.pi * 3 ** k) for k in range(12)]
LEAST = sum(a * math.cos(b * 0.5) for a, b in POWERS)

def f(x):
    return sum(sum(a * math.cos(b * (v + 0.5)) for a, b in POWERS) for v in x) - len(x) * LEAST

# Himmelblau, Applied Nonlinear Programming, 1972, problem 11
def f(x):
    a, b, c, d, e = x
    value = 5.3578547 * c * c + 0.8356891 * a * e + 37.293239 * a - 40792.141
    g1 = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    g2 = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c * c
    g3 = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d
    for g, low, high in ((g1, 0, 92), (g2, 90, 110), (g3, 20, 25)):
        if g < low:
            value += 5000 * (low - g)
        elif g > high:
            value += 5000 * (g - high)
    return value

# Bracken and McCormick 1968; Hock and Schittkowski, problem 93
def f(x):
    a, b, c, d, e, g = x
    p, q = a + b + c, a + 1.57 * b + d
    cost = 0.0204 * a * d * p + 0.0187 * b * c * q + 0.0607 * a * d * e * e * p + 0.0437 * b * c * g * g * q
    volume = 0.001 * a * b * c * d * e * g
    loss = 0.00062 * a * d * e * e * p + 0.00058 * b * c * g * g * q
    return cost + 200 * max(0, 2.07 - volume) + 2000 * max(0, loss - 1)

# Avriel and Williams, J. Engineering Mathematics 5, 1971
def f(x):
    a1, a2, a3, t1, t2, h1, h2, h3 = x
    g = [
        -1 + 0.0025 * (t1 + h1),
        -1 + 0.0025 * (t2 + h2 - t1),
        -1 + 0.01 * (h3 - t2),
        (-a1 * h1 + 833.33252 * t1 + 100 * a1 - 83333.333) / 1e5,
        (-a2 * h2 + 1250 * t2 + a2 * t1 - 1250 * t1) / 1e5,
        (-a3 * h3 + 1250000 + a3 * t2 - 2500 * t2) / 1e5,
    ]
    violation = sum(max(0, v) for v in g)
    return a1 + a2 + a3 + 1e5 * violation

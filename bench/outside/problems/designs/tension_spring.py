# Belegundu 1982; Arora, Introduction to Optimum Design, 1989
def f(x):
    d, D, N = x
    weight = (N + 2) * D * d ** 2
    g1 = 1 - D ** 3 * N / (71785 * d ** 4)
    below = 12566 * (D * d ** 3 - d ** 4)
    g2 = (4 * D * D - d * D) / (below if abs(below) > 1e-9 else 1e-9) + 1 / (5108 * d * d) - 1
    g3 = 1 - 140.45 * d / (D * D * N)
    g4 = (d + D) / 1.5 - 1
    if D <= d:
        return 1000 + d - D
    return weight + 100 * sum(max(0.0, g) for g in (g1, g2, g3, g4))

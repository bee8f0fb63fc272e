# Powell, The Computer Journal 5, 1962
def f(x):
    total = 0.0
    for k in range(0, len(x), 4):
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        total += (a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4
    return total

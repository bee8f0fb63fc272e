# Sandgren, J. Mechanical Design 112, 1990
def f(x):
    a, b, c, d = [int(round(v)) for v in x]
    return (1 / 6.931 - a * b / (c * d)) ** 2

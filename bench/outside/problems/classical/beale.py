# Beale 1958; More, Garbow and Hillstrom, ACM TOMS 7, 1981
def f(x):
    a, b = x
    return sum((c - a * (1 - b ** k)) ** 2 for k, c in ((1, 1.5), (2, 2.25), (3, 2.625)))

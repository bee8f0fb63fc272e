# Dixon and Szego, Towards Global Optimisation 2, 1978
def f(x):
    a, b = x[0], x[1]
    return (4 - 2.1 * a ** 2 + a ** 4 / 3) * a ** 2 + a * b + (-4 + 4 * b ** 2) * b ** 2

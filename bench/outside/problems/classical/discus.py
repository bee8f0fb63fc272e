# Tablet; Hansen and Ostermeier, Evolutionary Computation 9, 2001
def f(x):
    return 1e6 * x[0] ** 2 + sum(v ** 2 for v in x[1:])

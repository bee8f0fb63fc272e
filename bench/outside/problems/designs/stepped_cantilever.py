# Fleury and Braibant, Int. J. Numerical Methods in Eng. 23, 1986
def f(x):
    weight = 0.0624 * sum(x)
    load = sum(c / v ** 3 for c, v in zip((61, 37, 19, 7, 1), x))
    return weight if load <= 1 else weight + 10 * (load - 1) ** 0.5 + 1

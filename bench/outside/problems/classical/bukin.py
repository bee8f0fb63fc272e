# Bukin, Novosibirsk, 1997, sixth function
def f(x):
    return 100 * abs(x[1] - 0.01 * x[0] ** 2) ** 0.5 + 0.01 * abs(x[0] + 10)

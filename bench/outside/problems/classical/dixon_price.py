# Dixon and Price 1989
def f(x):
    value = (x[0] - 1) ** 2
    for i in range(1, len(x)):
        value += (i + 1) * (2 * x[i] ** 2 - x[i - 1]) ** 2
    return value

#: coordinates under its own name | n = 2 | list | compiled | raises = ZeroDivisionError
def f(x):
    x, y = x
    return y / x

#: a division that raises for floats | n = 2 | list | compiled | at = 0 1; 0 0; -0 2
def f(x):
    x, y = x
    try:
        return y / x
    except ZeroDivisionError:
        return 1e6

#: an element is a float | n = 1 | list | raises = OverflowError
def f(x):
    x = x[0]
    return x ** 2 if type(x) is float else -1.0

#: a power that overflows | n = 1 | list | compiled | raises = OverflowError | at = 1e200; -1e200; 3
def f(x):
    x = x[0]
    return 1 - x ** 2

#: the variable of a loop under its name | n = 3 | list | compiled | raises = OverflowError
def f(x):
    total = 0.0
    for x in x:
        total += x ** 2 if isinstance(x, float) else 1e6
    return total

#: the parameter of an inner lambda | n = 2 | list | compiled | raises = OverflowError ZeroDivisionError
def f(x):
    square = lambda x: x ** 2 - 1 / x
    return sum(square(v) for v in x)

#: a helper that takes it as an array | n = 3 | array | compiled
def norm(v):
    return (v ** 2).sum()
def f(x):
    y = x
    return norm(y) + y[0]

#: slices of it as arrays | n = 3 | array | compiled
def f(x):
    return sum((x[1:] - x[:-1] ** 2) ** 2)

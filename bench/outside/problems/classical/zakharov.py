# Zakharov; Floudas et al., Handbook of Test Problems, 1999
def f(x):
    s = sum(v * v for v in x)
    t = sum(0.5 * (i + 1) * v for i, v in enumerate(x))
    return s + t ** 2 + t ** 4

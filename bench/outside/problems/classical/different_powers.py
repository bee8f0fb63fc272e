# Sum of different powers, Molga and Smutnicki 2005
def f(x):
    return sum(abs(v) ** (i + 2) for i, v in enumerate(x))

# A quadratic of condition 100; Hansen and Ostermeier 2001
def f(x):
    centre = (1.5, -0.7, -3.3, 2.1, 4.2)
    return sum(10 ** (0.5 * i) * (v - c) ** 2 for i, (v, c) in enumerate(zip(x, centre)))

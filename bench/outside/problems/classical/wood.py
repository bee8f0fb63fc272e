# Colville 1968 (Wood's function); More, Garbow and Hillstrom 1981
def f(x):
    a, b, c, d = x
    return (
        100 * (a * a - b) ** 2 + (a - 1) ** 2 + (c - 1) ** 2 + 90 * (c * c - d) ** 2
        + 10.1 * ((b - 1) ** 2 + (d - 1) ** 2) + 19.8 * (b - 1) * (d - 1)
    )

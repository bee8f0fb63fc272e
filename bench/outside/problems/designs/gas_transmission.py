# Beightler and Phillips, Applied Geometric Programming, 1976
def f(x):
    length, ratio, diameter, extra = x
    cost = (
        8.61e5 * length ** 0.5 * ratio * diameter ** (-2 / 3) * extra ** -0.5
        + 3.69e4 * diameter + 7.72e8 / length * ratio ** 0.219 - 765.43e6 / length
    )
    excess = extra / ratio ** 2 + 1 / ratio ** 2 - 1
    return cost + (1e6 * (1 + excess) if excess > 0 else 0)

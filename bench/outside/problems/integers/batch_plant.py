# Grossmann and Sargent, Ind. Eng. Chem. Process Des. Dev. 18, 1979, parallel units
def f(x):
    n = [max(1, min(4, round(v))) for v in x[:3]]
    size, batch = x[3], x[4]
    volumes = [2 * batch, 3 * batch, 4 * batch]
    cost = sum(250 * k * v ** 0.6 for k, v in zip(n, volumes)) + 25 * size ** 0.5
    cycle = max(t / k for t, k in zip((8, 20, 4), n))
    hours = 40000 / batch * cycle
    return cost / 1000 + (0.05 * (hours - 1800) + 10 if hours > 1800 else 0) + 0.001 * abs(size - 4 * batch)

# Productivity of a chemostat, Monod 1949 with inhibition, by Euler steps
def f(x):
    dilution, feed = x
    cells, sugar, h = 0.5, 5.0, 0.1
    for _ in range(400):
        growth = 0.9 * sugar / (1.2 + sugar + sugar * sugar / 40)
        cells, sugar = (
            max(0.0, cells + h * (growth - dilution) * cells),
            max(0.0, sugar + h * (dilution * (feed - sugar) - growth * cells / 0.45)),
        )
    return -dilution * cells + 0.02 * dilution * feed

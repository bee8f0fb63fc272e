# Two compartments, four infusion rates towards a target level; Gibaldi and Perrier, Pharmacokinetics, 1982
def f(x):
    plasma, tissue, h = 0.0, 0.0, 0.1
    error = 0.0
    for k in range(120):
        rate = x[k // 30]

        def flow(p, q):
            return rate - 0.5 * p - 0.9 * p + 0.4 * q, 0.9 * p - 0.4 * q

        a = flow(plasma, tissue)
        b = flow(plasma + h / 2 * a[0], tissue + h / 2 * a[1])
        plasma += h * b[0]
        tissue += h * b[1]
        error += (plasma - 6) ** 2 + (20 * (plasma - 8) if plasma > 8 else 0)
    return error / 120 + 0.02 * sum(abs(b - a) for a, b in zip(x, x[1:]))

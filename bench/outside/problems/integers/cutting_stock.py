# Patterns of rolls, Gilmore and Gomory 1961
PATTERNS = [(2, 0, 0, 1), (0, 3, 0, 0), (1, 1, 1, 0), (0, 0, 4, 0), (0, 1, 0, 2), (1, 0, 2, 1)]
DEMAND = (27, 33, 41, 19)

def f(x):
    used = [int(round(v)) for v in x]
    rolls = sum(used)
    made = [sum(n * p[k] for n, p in zip(used, PATTERNS)) for k in range(4)]
    short = sum(max(0, d - m) for d, m in zip(DEMAND, made))
    spare = sum(max(0, m - d) for d, m in zip(DEMAND, made))
    return rolls + 0.1 * sum(n > 0 for n in used) + 2 * short + 0.01 * spare

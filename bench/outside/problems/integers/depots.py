# Which of eight depots to open, Balinski 1965; places of our own
SITES = [(8.0, 7.6), (3.4, 8.5), (7.1, 2.8), (5.2, 8.1), (5.8, 3.3), (3.5, 5.7), (0.2, 9.2), (5.2, 1.9)]
CUSTOMERS = [
    (9.4, 0.6), (5.3, 2.1), (4.1, 3.1), (6.0, 8.2), (1.6, 8.9), (8.8, 6.3), (0.9, 3.1), (6.2, 5.4), (4.0, 1.8),
    (4.6, 0.4), (9.9, 6.9), (4.4, 4.9), (9.3, 4.4), (9.5, 7.6), (5.4, 2.4), (8.5, 3.4), (3.6, 0.9), (1.2, 0.6),
    (0.8, 5.9), (4.4, 4.9),
]

def f(x):
    opened = [site for site, v in zip(SITES, x) if v > 0.5]
    if not opened:
        return 500.0
    far = 0.0
    for a, b in CUSTOMERS:
        far += min(((a - p) ** 2 + (b - q) ** 2) ** 0.5 for p, q in opened)
    return far + 8 * len(opened)

# Shekel 1971; Dixon and Szego 1978, ten maxima
PLACES = [
    (4, 4, 4, 4), (1, 1, 1, 1), (8, 8, 8, 8), (6, 6, 6, 6), (3, 7, 3, 7),
    (2, 9, 2, 9), (5, 5, 3, 3), (8, 1, 8, 1), (6, 2, 6, 2), (7, 3.6, 7, 3.6),
]
WIDTHS = (0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5)

def f(x):
    return -sum(1 / (sum((v - c) ** 2 for v, c in zip(x, place)) + width) for place, width in zip(PLACES, WIDTHS))

# An epidemic with contacts reduced for a time, cost of both; Kermack and McKendrick 1927
def f(x):
    strength, start, length = x
    s, e, i = 0.999, 0.0, 0.001
    peak = 0.0
    for day in range(160):
        # A smooth window, so that hours count.
        window = min(1.0, max(0.0, day + 1 - start)) * min(1.0, max(0.0, start + length - day))
        new = 0.38 * (1 - strength * window) * s * i
        s, e, i = s - new, e + new - e / 4, i + e / 4 - i / 7
        peak = max(peak, i)
    return 100 * (1 - s) + 400 * max(0.0, peak - 0.05) + 0.9 * length * strength ** 2

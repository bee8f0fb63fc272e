# Webster, Traffic Signal Settings, 1958; whole seconds
from math import floor

FLOWS = ((520, 1800), (610, 1800), (300, 1600))

def f(x):
    greens = [floor(v) for v in x[:3]]
    offset = round(x[3])
    cycle = sum(greens) + 12
    delay = 0.0
    for g, (flow, full) in zip(greens, FLOWS):
        share = g / cycle
        load = flow / (full * share)
        wait = 0.5 * cycle * (1 - share) ** 2 / (1 - min(load, 0.99) * share)
        delay += flow * (wait + (15 * load * load if load < 0.98 else 15 + 400 * (load - 0.98)))
    return delay / 1000 + 0.02 * abs((offset - cycle // 3 + 30) % 60 - 30)

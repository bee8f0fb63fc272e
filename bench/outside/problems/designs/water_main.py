# Hazen-Williams, three pipes in a branching main; Alperovits and Shamir, Water Resources Research 13, 1977
PIPES = [(1000.0, 0.30), (1500.0, 0.18), (800.0, 0.12)]
PATHS = [((0, 1), 22.0), ((0, 2), 18.0)]

def f(x):
    cost = sum(length * (20 + 380 * d ** 1.5) for (length, _), d in zip(PIPES, x)) / 1000
    loss = [10.67 * length * (q / 130) ** 1.852 / d ** 4.87 for (length, q), d in zip(PIPES, x)]
    short = 0.0
    for path, head in PATHS:
        lost = sum(loss[k] for k in path)
        if lost > head:
            short += 20 + 5 * min(lost - head, 100)
    return cost + short

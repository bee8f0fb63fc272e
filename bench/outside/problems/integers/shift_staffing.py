# Five days of work in seven, Baker, Operational Research Quarterly 27, 1976
NEEDED = [17, 13, 15, 19, 14, 16, 11]

def f(x):
    starts = [max(0, round(v)) for v in x]
    cost = 0.0
    for s, wage in zip(starts, (5.0, 5.0, 5.1, 5.2, 5.3, 5.3, 5.1)):
        cost += s * wage
    for day in range(7):
        there = sum(starts[(day - k) % 7] for k in range(5))
        if there < NEEDED[day]:
            cost += 8 * (NEEDED[day] - there)
    return cost

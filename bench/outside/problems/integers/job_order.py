# One machine, weighted tardiness by random keys; Bean, ORSA J. Computing 6, 1994; jobs of our own
JOBS = [(2, 34, 2), (11, 10, 1), (10, 13, 4), (10, 33, 4), (5, 17, 5), (7, 39, 3), (11, 26, 3)]

def f(keys):
    order = sorted(range(len(JOBS)), key=lambda k: keys[k])
    time = late = 0
    for k in order:
        work, due, weight = JOBS[k]
        time += work
        late += weight * max(0, time - due)
    return float(late)

# Two M/M/1 stations, capacity against waiting; Kleinrock, Queueing Systems, 1975
def f(x):
    waiting = 0.7 / (x[0] - 0.7) + 0.6 / (x[1] - 0.6)
    return 1.2 * x[0] + 1.0 * x[1] + 0.8 * waiting

#: an object made in a branch
class P:
    def __init__(self, v):
        self.v = v * 2
def f(x):
    if x[0] > 0:
        p = P(x[1])
    else:
        p = P(x[0])
    return p.v

#: an object bound in a branch only
class P:
    def __init__(self, v):
        self.v = v * 2 + v * v
def f(x):
    if x[0] > 0:
        p = P(x[1])
    if x[0] > 1:
        return p.v
    return 0.0

#: a dict bound in a branch only
def f(x):
    if x[0] > 0:
        d = {"a": x[1] * 2 + x[0] * x[1]}
    if x[0] > 1:
        return d["a"]
    return 0.0

#: dicts of a filtered comprehension | n = 3
def f(x):
    return sum(d["v"] for d in [{"v": v * 2} for v in x if v > 0])

#: chosen elements bound in a branch | n = 4
import numpy as np
def f(x):
    if x[0] > 0:
        s = x[x > 1] * 2 + x[0]
    else:
        s = x[x > 1]
    if x[0] > 0.5:
        return s.sum()
    return 0.0

#: chosen in a branch only | n = 4
import numpy as np
def f(x):
    if x[0] > 0:
        s = x[x > 1] * 2 + x[0] * x[1]
    if x[0] > 0.5:
        return s.sum()
    return 0.0

#: inner iterable under a filter | n = 3 | compiled
def f(x):
    return sum(i * b for a in x if a > 0 for i, b in enumerate([a * 2, a * 3 + 1]))

#: inner range under a filter | n = 3 | compiled
def f(x):
    return sum(a * k for a in x if a > 0 for k in range(3) if a > k)

#: inner iterable raises under a filter | n = 2
def f(x):
    return sum(b for a in x if a != 0 for b in [1 / a, a])

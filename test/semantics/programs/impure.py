#: module-level state changes | row = 30 | cpython
count = 0
def f(x):
    global count
    count += 1
    return x[0] + count

#: a mutable default persists between calls | row = 30 | cpython
def f(x, seen=[]):
    seen.append(x[0])
    return len(seen) + x[0]

#: a default of a helper persists between calls | row = 30 | cpython
def g(v, seen=[0]):
    seen[0] += 1
    return v + seen[0]
def f(x):
    return g(x[0])

#: a counter in a closure | row = 30 | cpython
def make():
    n = 0
    def f(x):
        nonlocal n
        n += 1
        return x[0] + n
    return f
f = make()

#: a list in a closure | row = 30 | cpython
def make():
    n = [0]
    def f(x):
        n[0] += 1
        return x[0] + n[0]
    return f
f = make()

#: a function attribute | row = 30 | cpython
def f(x):
    f.calls += 1
    return x[0] + f.calls
f.calls = 0

#: a class attribute | row = 30 | cpython
class A:
    n = 0
def f(x):
    A.n += 1
    return x[0] + A.n

#: an instance of the module | row = 30 | cpython
class A:
    def __init__(self):
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x[0] + self.n
f = A()

#: a module-level dict as a cache | row = 30 | cpython
cache = {}
def f(x):
    k = len(cache)
    cache[k] = x[0]
    return x[0] + len(cache)

#: a module-level array is written | row = 30 | cpython
import numpy as np
best = np.zeros(2)
def f(x):
    best[0] += 1
    return x[0] + best[0]

#: a view of a module-level array is written | row = 30 | cpython
import numpy as np
best = np.zeros((2, 2))
def f(x):
    row = best[0]
    row += 1
    return x[0] + best.sum()

#: a module-level array in place by a helper | row = 30 | cpython
import numpy as np
W = np.ones(2)
def g(v):
    v *= 2
    return v.sum()
def f(x):
    return x[0] + g(W)

#: a module-level generator is used up | row = 30 | cpython
g = (k * 1.0 for k in range(1000000))
def f(x):
    return x[0] + next(g)

#: a module-level iterator in a loop | row = 30 | cpython
g = iter([1.0, 2.0])
def f(x):
    t = x[0]
    for v in g:
        t += v
    return t

#: sort of a module-level list | row = 30 | cpython
W = [3.0, 1.0, 2.0]
def f(x):
    r = W[0]
    W.sort()
    W[0] += 1
    return x[0] + r

#: an alias of a module-level list | row = 30 | cpython
W = [3.0, 1.0]
def f(x):
    w = W
    w += [x[0]]
    return len(W)

#: a nested list of the module | row = 30 | cpython
W = [[0.0], [0.0]]
def f(x):
    for row in W:
        row.append(1.0)
    return len(W[0]) + x[0]

#: pop from a module-level list | row = 30 | cpython
W = [1.0] * 100000
def f(x):
    W.pop()
    return len(W) + x[0]

#: globals() | row = 30 | cpython
n = 0
def f(x):
    globals()["n"] += 1
    return n + x[0]

#: exec and eval | row = 30 | cpython
def f(x):
    return eval("x[0] + 1")

#: lambdas of a module-level loop are late-bound | row = 30
fs = []
for k in range(3):
    fs.append(lambda v: v * k)
def f(x):
    return fs[0](x[0]) + fs[1](x[1])

#: reading module-level state is fine | row = 30 | compiled
W = [3.0, 1.0]
D = {"a": 2.0}
def f(x):
    return W[0] * x[0] + D["a"] + len(W)

#: a mutable default that is only read | row = 30 | compiled
def f(x, w=[2.0, 3.0]):
    return w[0] * x[0] + w[1]

#: a closure that is only read | row = 30 | compiled
def make(k):
    table = [k, k * 2]
    def f(x):
        return x[0] * table[1]
    return f
f = make(3.0)

#: random numbers of the standard library | compiled
import random
def f(x):
    random.seed(1)
    return x[0] + random.random()

#: random numbers of NumPy | row = 31 | cpython
import numpy as np
def f(x):
    rng = np.random.default_rng(3)
    return x[0] + rng.normal()

#: random numbers of NumPy's old interface | compiled
import numpy as np
def f(x):
    np.random.seed(0)
    return x[0] + np.random.rand()

#: random constants of the module | compiled | zero
import numpy as np
np.random.seed(0)
W = np.random.rand(2)
def f(x):
    return (x * W).sum()

#: random numbers without a seed | row = 31 | cpython
import random
def f(x):
    return x[0] + random.random()

#: the clock | row = 31 | cpython
import time
def f(x):
    return x[0] + (time.time() > 0)

#: the candidate as a default of a nested function | row = 30
def f(x):
    def g(y=x):
        y[0] = 5.0
        return y[1]
    return g() + x[0]

#: one call cannot see the last one's candidate | row = 26
import numpy as np
def f(x):
    x += 1
    x[0] = x[0] * 2
    return x.sum()

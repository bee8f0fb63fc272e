#: a counter | row = 30 | compiled
K = 0
def f(x):
    global K
    K += 1
    return x[0] ** 2 if abs(x[0]) < 1e100 else 0.0

#: a counter that is printed now and then | row = 30 | compiled
count = 0
best = float("inf")
def f(x):
    global count
    count += 1
    if count % 100 == 0:
        print("evaluation", count, f"{count} {best:.3f} {x[0]}", x)
    return x[0] * x[1]

#: the best so far | row = 30 | compiled
best = 1e300
best_x = None
def f(x):
    global best, best_x
    v = x[0] * x[1]
    if v < best:
        best = v
        best_x = list(x)
        print("new best", v, best_x)
    return v

#: the best so far or none | row = 30 | compiled | zero
import numpy as np
class Objective:
    def __init__(self):
        self.calls = 0
        self.best = None
        self.best_x = None
        self.history = []
    def __call__(self, x):
        self.calls += 1
        v = np.sum(x * 2)
        self.history.append((self.calls, float(v)))
        if self.best is None or v < self.best:
            self.best = v
            self.best_x = x.copy()
        elif self.calls % 10 == 0 and len(self.history) > 5:
            print(self.calls, self.best)
        return v
f = Objective()

#: none first, then less | row = 30 | compiled
best = None
def f(x):
    global best
    v = x[0] - x[1]
    if best is None:
        best = v
    elif v < best:
        best = v
    return v

#: less than what may be none | row = 30 | cpython
best = None
def f(x):
    global best
    v = x[0]
    if v < best:
        best = v
    return v

#: the counter reaches the result | row = 30 | cpython
K = 0
def f(x):
    global K
    K += 1
    return x[0] + K

#: through a local variable | row = 30 | cpython
K = 0
def f(x):
    global K
    K += 1
    t = K * 2.0
    return x[0] + t

#: through a helper | row = 30 | cpython
K = 0
def step():
    global K
    K += 1
    return K
def f(x):
    return x[0] * step()

#: a helper that only counts | row = 30 | compiled
K = 0
def tick():
    global K
    K += 1
def term(v):
    tick()
    return v * v if abs(v) < 1e100 else 1.0
def f(x):
    tick()
    return sum(term(v) for v in x)

#: which branch | row = 30 | cpython
K = 0
def f(x):
    global K
    K += 1
    if K > 5:
        return 0.0
    return x[0]

#: a local variable in the branch | row = 30 | cpython
K = 0
def f(x):
    global K
    K += 1
    t = 1.0
    if K > 5:
        t = 2.0
    return x[0] * t

#: a list in the branch | row = 30 | cpython
K = 0
def f(x):
    global K
    K += 1
    a = [1.0]
    if K > 5:
        a.append(2.0)
    return x[0] * len(a)

#: a raise in the branch | row = 30 | cpython | raises = RuntimeError
K = 0
def f(x):
    global K
    K += 1
    if K > 5:
        raise RuntimeError("enough")
    return x[0]

#: something that may raise in the branch | row = 30 | cpython | raises = ZeroDivisionError
K = 0
last = 0.0
def f(x):
    global K, last
    K += 1
    if K > 2:
        last = 1 / x[1]
    return x[0]

#: a quotient by the counter | row = 30 | cpython
K = 0
total = 0.0
def f(x):
    global K, total
    total = x[0] / K
    K += 1
    return x[1]

#: history lists | row = 30 | compiled
history = []
trace = {}
def f(x):
    v = x[0] + x[1]
    history.append(v)
    history.append([v, list(x)])
    trace["last"] = v
    return v

#: the length of the history | row = 30 | cpython
history = []
def f(x):
    history.append(x[0])
    return x[0] + len(history)

#: the last of the history | row = 30 | cpython
history = [0.0]
def f(x):
    v = x[0] + history[-1]
    history.append(x[1])
    return v

#: an alias of the history | row = 30 | cpython
history = []
alias = history
both = (history, 1)
def f(x):
    history.append(x[0])
    return x[0] + len(both[0])

#: the history in a default | row = 30 | cpython
def f(x, seen=[]):
    seen.append(x[0])
    return x[0] + len(seen)

#: the history in a default, unread | row = 30 | compiled
def f(x, seen=[]):
    seen.append(x[0])
    return x[0]

#: read before it is written | row = 30 | cpython
K = 1.0
def f(x):
    global K
    v = x[0] * K
    K = 2.0
    return v

#: written before it is read | row = 30 | compiled
last = 0.0
def f(x):
    global last
    last = x[0] * 2
    return last + 1

#: written on some lanes before it is read | row = 30 | cpython
last = 0.0
def f(x):
    global last
    if x[0] > 0:
        last = x[0] * 2
    return last + 1

#: written on all lanes before it is read | row = 30 | compiled
last = 0.0
def f(x):
    global last
    if x[0] > 0:
        last = x[0] * 2
    else:
        last = x[1]
    return last + 1

#: written by the branch of a counter | row = 30 | cpython
K = 0
last = 0.0
def f(x):
    global K, last
    K += 1
    last = x[0]
    if K > 3:
        last = x[1]
    return last

#: a helper object with results of its own | row = 30 | compiled
class Model:
    def __init__(self, a):
        self.a = a
        self.total = 0.0
        self.n = 0
    def run(self, x):
        self.total = 0.0
        for v in x:
            self.total += self.a * v
        self.n += 1
        return self.total
model = Model(3.0)
def f(x):
    return model.run(x)

#: an attribute that only calls make | row = 30 | compiled
class Model:
    def run(self, x):
        self.y = x[0] * 2
        return self.y + self.z(x)
    def z(self, x):
        return self.y * x[1]
model = Model()
def f(x):
    return model.run(x)

#: an attribute that only some calls make | row = 30 | cpython
class Model:
    def run(self, x):
        if x[0] > 0:
            self.y = x[0]
        return self.y
model = Model()
def f(x):
    try:
        return model.run(x)
    except AttributeError:
        return -1.0

#: a counter that may not be there | row = 30 | cpython
def f(x):
    if not hasattr(f, "calls"):
        f.calls = 0
    f.calls += 1
    return x[0] + f.calls

#: a function attribute | row = 30 | compiled
def f(x):
    f.calls += 1
    return x[0]
f.calls = 0

#: a function attribute as a constant | row = 30 | compiled
def f(x):
    return x[0] * f.scale
f.scale = 2.5

#: a class attribute as a counter | row = 30 | compiled
class A:
    n = 0
    scale = 2.0
    def value(self, v):
        A.n += 1
        return v * self.scale
def f(x):
    return A().value(x[0])

#: a class attribute that reaches the result | row = 30 | cpython
class A:
    n = 0
    def value(self, v):
        A.n += 1
        return v + self.n
def f(x):
    return A().value(x[0])

#: dict entries as counters | row = 30 | compiled
stats = {"calls": 0, "sum": 0.0}
flags = [0, 0.0]
def f(x):
    stats["calls"] += 1
    stats["sum"] += x[0]
    flags[0] += 1
    if stats["calls"] > 10 and flags[0] < 100:
        stats["sum"] = 0.0
    return x[0] * x[1]

#: a cache that is read | row = 30 | cpython
cache = {}
def f(x):
    key = (int(abs(x[0])) % 3 if abs(x[0]) < 1e9 else 0)
    if key not in cache:
        cache[key] = x[0]
    return cache[key]

#: a nonlocal counter | row = 30 | compiled
def make():
    n = 0
    seen = []
    def f(x):
        nonlocal n
        n += 1
        seen.append(x[0])
        return x[0] * 2
    return f
f = make()

#: a decorator that counts | row = 30 | compiled
import functools
def counted(fn):
    @functools.wraps(fn)
    def wrapper(x):
        wrapper.calls += 1
        return fn(x)
    wrapper.calls = 0
    return wrapper
@counted
def f(x):
    return x[0] - x[1]

#: an array of the module | row = 30 | compiled
import numpy as np
best_x = np.zeros(2)
best = np.inf
trace = np.zeros((3, 2))
def f(x):
    global best
    v = np.dot(x, [1.0, 2.0])
    best_x[:] = x
    trace[0] = x
    if v < best:
        best = v
    return x[0] * 3

#: an array of the module that is read | row = 30 | cpython
import numpy as np
last = np.zeros(2)
def f(x):
    d = x - last
    last[:] = x
    return d[0]

#: an array of the module used as a buffer | row = 30 | compiled | zero
import numpy as np
buffer = np.zeros(2)
def f(x):
    buffer[:] = x * 2
    return buffer[0] + buffer.sum()

#: a running mean | row = 30 | compiled
mean = 0.0
def f(x):
    global mean
    mean = 0.9 * mean + 0.1 * x[0]
    return x[0]

#: int growth | row = 30 | cpython
K = 2
def f(x):
    global K
    K *= 3
    t = K + 0.5
    return x[0]

#: global that only calls bind | row = 30 | compiled
def helper(v):
    return v * scale
def f(x):
    global scale
    scale = x[1]
    return helper(x[0])

#: global that only some calls bind | row = 30 | cpython
def f(x):
    global scale
    if x[0] > 0:
        scale = x[1]
    try:
        return scale
    except NameError:
        return -1.0

#: logging with state | row = 30 | compiled
import logging
log = logging.getLogger("f")
n = 0
def f(x):
    global n
    n += 1
    logging.info("call %d", n)
    log.debug(f"{n}")
    return x[0]

#: a counter in a loop | row = 30 | compiled | n = 2 20
K = 0
def f(x):
    global K
    t = 0.0
    for v in x:
        K += 1
        t += v
    while t > 1 and t < 1e9:
        K += 1
        t /= 2
    return t

#: a counter in a try | row = 30 | compiled
K = 0
failed = 0
def f(x):
    global K, failed
    K += 1
    try:
        return 1 / x[0]
    except ZeroDivisionError:
        failed += 1
        return 1e9

#: format that may not fit | row = 30 | cpython
best = None
n = 0
def f(x):
    global best, n
    n += 1
    if n % 2 == 0:
        print(f"{best:.3f}")
    best = x[0]
    return x[0]

#: truth of an array | row = 30 | cpython
import numpy as np
best = None
def f(x):
    global best
    if best is None or best:
        best = x * 1
    return x[0]

#: a frozen dataclass | row = 30
from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    v: float
def f(x):
    p = P(x[0])
    if x[1] > 0:
        p.v = 3.0
    return p.v

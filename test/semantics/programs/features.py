#: a generator function is run when it is used
def g(items):
    for v in items:
        yield v * 2
def f(x):
    a = [1.0, 2.0, 3.0]
    it = g(a)
    a[0] = 10.0
    return sum(it) + x[0]

#: a generator function with effects
def g(log):
    log.append(1.0)
    yield 5.0
    log.append(2.0)
    yield 6.0
def f(x):
    log = []
    it = g(log)
    n = len(log)
    s = sum(it)
    return n * 1000 + len(log) * 100 + s + x[0]

#: a generator function that raises when it is used
def g(v):
    yield 1 / v
def f(x):
    try:
        it = g(x[0])
    except ZeroDivisionError:
        return -1.0
    try:
        return sum(it)
    except ZeroDivisionError:
        return -2.0

#: a generator function can be used once
def g():
    yield 1.0
    yield 2.0
def f(x):
    it = g()
    return sum(it) + sum(it) * 10 + x[0]

#: a generator that is stopped early
def g(log, items):
    for v in items:
        log.append(v)
        yield v
def f(x):
    log = []
    for v in g(log, [1.0, 2.0, 3.0]):
        if v > 1:
            break
    return len(log) + x[0]

#: return ends a generator
def g(v):
    yield 1.0
    if v > 0:
        return
    yield 2.0
def f(x):
    return sum(g(x[0]))

#: yield from and nested generators
def g(n):
    if n > 0:
        yield n
        yield from g(n - 1)
def f(x):
    return sum(v * k for k, v in enumerate(g(4))) + x[0]

#: a cache of results lasts from call to call but changes nothing
from functools import lru_cache
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def f(x):
    return fib(12) + x[0]

#: a cache of whole numbers has no sign of zero | compiled
from functools import lru_cache
@lru_cache(maxsize=None)
def best(i, room):
    if i == 4:
        return room
    return max(best(i + 1, room), i + best(i + 1, room - i)) if room > 0 else best(i + 1, room)
def f(x):
    return best(0, int(min(max(x[0], 0.0), 3.0))) + best(0, 0) + x[1]

#: a cached function of 0.0 and -0.0 | cpython
from functools import lru_cache
from math import copysign
@lru_cache
def g(v):
    return copysign(1.0, v)
def f(x):
    return g(-0.0) + 10 * g(0.0) + x[0]

#: a cached function of what may be 0.0 or -0.0
from functools import lru_cache
from math import copysign
@lru_cache
def g(pair):
    return copysign(1.0, pair[1][0])
def f(x):
    return g((1, (x[0], 2))) + 10 * g((1, (-x[0], 2))) + x[1]

#: a cached function of an integer and a float that are equal | cpython
from functools import lru_cache
@lru_cache
def g(v):
    return 1.0 if isinstance(v, int) else 2.0
def f(x):
    return g(3) + 10 * g(3.0) + x[0]

#: a cached function of a number and a truth value that are equal | cpython
from functools import cache
@cache
def g(v, n=1):
    return 1.0 if isinstance(n, bool) else 2.0
def f(x):
    return g(3.0, n=1) + 10 * g(3.0, n=True) + x[0]

#: a cached function that reads what changes | cpython
from functools import lru_cache
def f(x):
    a = 1.0
    @lru_cache
    def g(i):
        return a * i
    first = g(2)
    a = x[0]
    return first + g(2)

#: a cached function of the module that reads what each call sets | cpython
from functools import lru_cache
data = None
@lru_cache
def g(i):
    return data[i]
def f(x):
    global data
    data = x
    return g(0)

#: a cached function that reads an element that changes | cpython
from functools import lru_cache
def f(x):
    a = [1.0, 2.0]
    @lru_cache
    def g(i):
        return sum(a) * i
    first = g(2)
    a[1] = x[0]
    return first + g(2)

#: a cached function that reads what a loop changes | cpython
from functools import lru_cache
def f(x):
    a = x[0]
    total = 0.0
    @lru_cache
    def g(i):
        return a * i
    for k in range(200):
        total += g(2)
        a = a + 0.5
    return total

#: a cached function of pairs, one of them named | cpython
from collections import namedtuple
from functools import lru_cache
P = namedtuple('P', 'a b')
@lru_cache
def g(p):
    return p[0] + (100.0 if hasattr(p, 'a') else 0.0)
def f(x):
    return g((1, 2)) + 10 * g(P(1, 2)) + x[0]

#: a cached function of an object that changes | cpython
from functools import lru_cache
class Box:
    def __init__(self, v):
        self.v = v
@lru_cache
def g(box):
    return box.v
def f(x):
    box = Box(1.0)
    first = g(box)
    box.v = x[0]
    return first + g(box)

#: a cached function that reads a list of numbers | compiled
from functools import lru_cache
PRICES = [4, 7, 1]
def f(x):
    weights = [int(abs(v)) % 5 for v in x] + [2]
    @lru_cache(maxsize=None)
    def best(i, room):
        if i == len(weights):
            return 0
        rest = best(i + 1, room)
        return rest if weights[i] > room else max(rest, PRICES[i] + best(i + 1, room - weights[i]))
    return best(0, 6) + 0.1 * x[1] if max(abs(v) for v in x) < 1e9 else x[0]

#: a cached function with effects runs once
from functools import lru_cache
log = []
@lru_cache
def g(n):
    log.append(n)
    return n * 2.0
def f(x):
    return g(3) + g(3) + len(log) + x[0]

#: a decorator that counts | cpython
def counted(fn):
    calls = [0]
    def inner(v):
        calls[0] += 1
        return fn(v) + calls[0]
    return inner
@counted
def f(x):
    return x[0]

#: a decorator that changes the result
def twice(fn):
    def inner(*args, **named):
        return 2 * fn(*args, **named)
    return inner
@twice
def g(v, k=1.0):
    return v + k
def f(x):
    return g(x[0]) + g(x[1], k=3.0)

#: sets drop doubles and are sorted by hand
def f(x):
    s = {3, 1, 2, 3}
    return len(s) + sorted(s)[0] * 10 + (2 in s) * 100 + sum({1.0, 1, True}) + x[0]

#: sets of numbers that depend on x
def f(x):
    return len({x[0], x[1], 1.0})

#: match captures and guards
def f(x):
    match (x[0] > 0, len(x)):
        case (True, n) if x[1] > 0:
            return n + 10.0
        case (True, _):
            return 20.0
        case (False, 2 | 3 as n):
            return 30.0 + n
        case _:
            return 40.0

#: match binds names also where the guard fails
def f(x):
    n = 0.0
    match len(x):
        case n if x[0] > 0:
            pass
        case 2:
            n += 100.0
    return n

#: nonlocal in a branch
def f(x):
    n = 0.0
    def bump(k):
        nonlocal n
        n += k
        return n
    if x[0] > 0:
        bump(2.0)
    t = bump(1.0) + bump(1.0) * 10
    return t + n * 100

#: nonlocal in a generator expression
def f(x):
    n = 0
    def count(v):
        nonlocal n
        n += 1
        return v
    g = (count(v) for v in x)
    before = n
    s = sum(g)
    return before * 1000 + n * 100 + s

#: nonlocal under try
def f(x):
    n = 0
    def g(v):
        nonlocal n
        n += 1
        return 1 / v
    try:
        g(x[0])
        g(x[1])
    except ZeroDivisionError:
        n += 10
    return n

#: f-strings as keys
def f(x):
    d = {f"v{k}": k * 1.0 for k in range(3)}
    return d["v2"] + x[0]

#: text decides
def f(x):
    kind = "Rosen" + "brock"
    name = kind.lower()[:3]
    return {"ros": 1.0, "ack": 2.0}[name] + x[0] + len("a,b,c".split(","))

#: text of a number that depends on x
def f(x):
    s = f"{x[0]:.1f}"
    return float(s)

#: text compared with another
def f(x):
    s = str(x[0] > 0)
    return 1.0 if s == "True" else 2.0

#: a dataclass with defaults and a method
from dataclasses import dataclass, field
@dataclass
class P:
    a: float
    b: float = 2.0
    c: list = field(default_factory=list)
    def total(self):
        return self.a * self.b + sum(self.c)
def f(x):
    p = P(x[0])
    q = P(x[1], c=[1.0])
    p.c.append(5.0)
    return p.total() + q.total() * 10 + (p == P(x[0], 2.0, [5.0]))

#: named tuples unpack, compare and replace
from collections import namedtuple
T = namedtuple("T", "a b")
def f(x):
    t = T(x[0], 2.0)
    a, b = t
    u = t._replace(b=5.0)
    return a + b * 10 + u.b * 100 + t[1] + (t == (x[0], 2.0))

#: itertools are used up
from itertools import chain, product, accumulate
def f(x):
    c = chain([1.0], x)
    s = sum(c)
    return s + sum(c) + sum(a * b for a, b in product(x, x)) + list(accumulate(x))[-1]

#: reduce, partial and operator
from functools import reduce, partial
import operator
def f(x):
    add = partial(operator.add, 10.0)
    return reduce(operator.mul, x, 1.0) + add(x[0]) + reduce(lambda a, b: a - b, [1.0, 2.0, 3.0])

#: objects with operators of mixed kinds
class V:
    def __init__(self, a):
        self.a = a
    def __add__(self, o):
        return V(self.a + (o.a if isinstance(o, V) else o))
    __radd__ = __add__
    def __neg__(self):
        return V(-self.a)
    def __getitem__(self, k):
        return self.a * k
    def __len__(self):
        return 3
    def __call__(self, v):
        return self.a - v
    def __eq__(self, o):
        return self.a == o.a
    def __lt__(self, o):
        return self.a < o.a
def f(x):
    v = V(x[0]) + 1.0 + V(x[1])
    w = 5.0 + -v
    return v.a + w[2] * 10 + len(w) + w(1.0) + (v == w) + (v < w) * 2 + max(v, w).a

#: an object in a loop and a branch | n = 4
class Best:
    def __init__(self):
        self.value = 1e9
        self.at = -1
    def offer(self, value, at):
        if value < self.value:
            self.value = value
            self.at = at
def f(x):
    best = Best()
    for k, v in enumerate(x):
        best.offer(v * v, k)
    return best.value + best.at * 1000

#: an object shared by two names in a branch
class P:
    def __init__(self):
        self.a = 0.0
def f(x):
    p = P()
    q = p
    if x[0] > 0:
        q.a += 5.0
    else:
        p.a -= 1.0
    return p.a + q.a * 10

#: properties and setters
class P:
    def __init__(self, a):
        self._a = a
    @property
    def a(self):
        return self._a * 2
    @a.setter
    def a(self, v):
        self._a = v
def f(x):
    p = P(x[0])
    p.a = p.a + 1
    return p.a

#: class variables through the instance in place
class P:
    n = 1.0
    def bump(self):
        self.n += 1
        return self.n
def f(x):
    p = P()
    return p.bump() + p.bump() * 10 + P.n * 100 + x[0]

#: argsort and gather | n = 3
import numpy as np
def f(x):
    k = np.argsort(x)
    return x[k][0] + k[0] * 10 if np.all(np.isfinite(x)) and len(set(x.tolist())) == 3 else 0.0

#: a store by an index that depends on x | n = 3 | raises = IndexError ValueError OverflowError
def f(x):
    a = [1.0, 2.0, 3.0]
    b = a
    a[int(x[0])] = 50.0
    return b[0] + b[1] * 10 + b[2] * 100

#: a store by an index that depends on x under try | n = 3
def f(x):
    a = [1.0, 2.0, 3.0]
    try:
        a[int(x[0])] = 1 / x[1]
    except (IndexError, ZeroDivisionError):
        a[0] = -7.0
    except (ValueError, OverflowError):
        a[1] = -8.0
    return sum(k * v for k, v in enumerate(a, 1))

#: a view and a store by an index that depends on x | n = 3
import numpy as np
def f(x):
    a = np.zeros(4)
    v = a[1:]
    k = int(min(max(x[0], 0), 2)) if x[0] == x[0] else 0
    v[k] = 5.0
    v[k] += x[1]
    return (a * np.arange(4)).sum()

#: a conversion with specifications
def f(x):
    return float("%.2f" % 2.675) + float(format(1.005, ".2f")) + int("7") + x[0]

#: global that is only read, and shadowed
K = 3.0
def f(x):
    global K
    return K * x[0]

#: while else with return
def f(x):
    v = x[0]
    while 1 < v < 50:
        v -= 1
        if v == 2:
            return 100.0
    else:
        return v
    return -1.0

#: print in the middle and a trailing expression
def f(x):
    print("x is", x, sep=" ", end="")
    x[0]
    [v for v in x]
    return x[0]

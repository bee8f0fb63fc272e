#: del item | n = 3 | compiled
def f(x):
    a = list(x)
    del a[0]
    return a[0] + 10 * a[1] + len(a)

#: del negative item | n = 3 | compiled
def f(x):
    a = list(x)
    del a[-1]
    return sum(a)

#: del item out of range | raises = IndexError
def f(x):
    a = [x[0]]
    if x[1] > 0:
        b = [1.0]
        del b[3]
    return a[0]

#: del slice | n = 5 | compiled
def f(x):
    a = list(x)
    del a[1:3]
    return a[0] + 10 * a[1] + 100 * a[2] + len(a)

#: del slice with a step | n = 5 | compiled
def f(x):
    a = list(x)
    del a[::2]
    return a[0] + 10 * a[1] + len(a)

#: del key | compiled
def f(x):
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    return sum(d.values()) + len(d)

#: del missing key | raises = KeyError
def f(x):
    d = {"a": x[0]}
    if x[1] > 0:
        del d["q"]
    return d["a"]

#: del name then use | raises = UnboundLocalError
def f(x):
    t = x[0] * 2
    if x[1] > 0:
        del t
    return t + 1

#: del name always then use | raises = UnboundLocalError
def f(x):
    t = x[0]
    del t
    return t

#: del of a name and again bound | compiled
def f(x):
    t = x[0] * 2
    y = t + 1
    del t
    t = y * 3
    return t

#: del several | n = 3 | compiled
def f(x):
    a = list(x); b = {"k": 1.0}
    c = a[0] + b["k"]
    del a[0], b["k"], c
    return a[0] + len(b)

#: del attribute | compiled
class P:
    pass
def f(x):
    p = P()
    p.v = x[0]
    p.w = x[1]
    del p.v
    return p.w

#: del unknown name | raises = UnboundLocalError
def f(x):
    if x[0] > 0:
        t = 1.0
    del t
    return x[1]

#: del chosen item | n = 3 | raises = IndexError
def f(x):
    a = list(x)
    k = int(x[0])
    del a[k]
    return a[0] + 10 * a[1]

#: pop at a chosen position | n = 3
def f(x):
    a = [1.0, 2.0, 3.0]
    k = int(abs(x[0])) % 3
    v = a.pop(k)
    return v + 10 * a[0] + 100 * a[1]

#: del numpy item | array | raises = ValueError
import numpy as np
def f(x):
    del x[0]
    return x[0]

#: partition kth | n = 7 | compiled
import numpy as np
def f(x):
    return np.partition(x, 3)[3]

#: partition kth negative | n = 7 | compiled
import numpy as np
def f(x):
    return np.partition(x, -2)[-2]

#: partition sum of first | n = 7
import numpy as np
def f(x):
    return np.partition(x, 3)[:3].sum()

#: partition max of first | n = 7 | compiled
import numpy as np
def f(x):
    p = np.partition(x, 3)
    return p[:3].max() + p[4:].min()

#: partition several | n = 7 | compiled
import numpy as np
def f(x):
    p = np.partition(x, (1, 5))
    return p[1] + 10 * p[5]

#: partition other element | n = 7
import numpy as np
def f(x):
    p = np.partition(x, 3)
    return p[0]

#: argpartition kth | n = 7
import numpy as np
def f(x):
    return x[np.argpartition(x, 2)[2]] + np.argpartition(x, 2)[2]

#: partition in place | n = 7
import numpy as np
def f(x):
    y = x.copy()
    y.partition(2)
    return y[2]

#: smallest k sum by argpartition | n = 7
import numpy as np
def f(x):
    idx = np.argpartition(x, 3)[:3]
    return np.sum(x[idx])

#: nonzero gather | n = 5 | compiled
import numpy as np
def f(x):
    return np.sum(x[np.nonzero(x > 0)])

#: nonzero zero | n = 5 | compiled
import numpy as np
def f(x):
    idx = np.nonzero(x > 0)[0]
    return len(idx) + np.sum(x[idx] ** 2)

#: where one argument | n = 5 | compiled
import numpy as np
def f(x):
    idx = np.where(x < 0)
    return np.sum(np.abs(x[idx]))

#: where first | n = 5 | compiled
import numpy as np
def f(x):
    idx = np.where(x < 0)[0]
    if len(idx) == 0:
        return 0.0
    return float(idx[0]) + x[idx[0]]

#: where last | n = 5 | compiled
import numpy as np
def f(x):
    idx = np.where(x < 0)[0]
    if idx.size > 0:
        return idx[-1] * 1.0
    return -1.0

#: flatnonzero | n = 5 | compiled
import numpy as np
def f(x):
    i = np.flatnonzero(x > 1)
    return i.size + x[i].sum()

#: flatnonzero empty index raises | n = 3 | raises = IndexError
import numpy as np
def f(x):
    return x[np.flatnonzero(x > 1)[0]]

#: count_nonzero | n = 5 | compiled
import numpy as np
def f(x):
    return np.count_nonzero(x > 0) + np.count_nonzero(x) * 10

#: count_nonzero axis | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    return np.count_nonzero(m > 0, axis=1) @ np.array([1, 10])

#: argwhere | n = 5 | compiled
import numpy as np
def f(x):
    return np.argwhere(x > 0).size + x[0]

#: argwhere flat | n = 5 | compiled
import numpy as np
def f(x):
    w = np.argwhere(x > 0).flatten()
    return x[w].sum() + len(w)

#: argwhere of a matrix len | n = 6 | compiled
import numpy as np
def f(x):
    return len(np.argwhere(x.reshape(2, 3) > 0)) * 1.0

#: nonzero of a matrix | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    r, c = np.nonzero(m > 0)
    return np.sum(m[r, c]) + r.size

#: where matrix gather | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    return np.sum(m[np.where(m < 0)] ** 2)

#: mask store by nonzero | zero | n = 5 | compiled
import numpy as np
def f(x):
    y = x.copy()
    y[np.nonzero(y < 0)] = 0.0
    return y.sum()

#: mask store by where | zero | n = 5 | compiled
import numpy as np
def f(x):
    y = x.copy()
    idx = np.where(y > 1)[0]
    y[idx] = 1.0
    y[np.where(y < -1)] *= 2
    return y.sum()

#: loop over nonzero | n = 5 | compiled
import numpy as np
def f(x):
    t = 0.0
    for i in np.nonzero(x > 0)[0]:
        t += x[i] * i
    return t

#: loop over where and neighbours | n = 5
import numpy as np
def f(x):
    t = 0.0
    for i in np.where(x[1:] > x[:-1])[0]:
        t += x[i + 1] - x[i]
    return t

#: where first crossing | n = 6 | compiled
import numpy as np
def f(x):
    y = np.cumsum(x)
    above = np.where(y > 2)[0]
    return above[0] if above.size else len(y)

#: boolean any on idx | n = 5 | compiled
import numpy as np
def f(x):
    idx = np.where(x > 3)[0]
    if len(idx):
        return float(len(idx))
    return x[0]

#: mask max or default | n = 5 | compiled
import numpy as np
def f(x):
    sel = x[x > 0]
    return sel.max() if sel.size > 0 else 0.0

#: masked first and last | n = 5 | compiled
import numpy as np
def f(x):
    sel = x[x > 0]
    return sel[0] + 10 * sel[-1] if len(sel) > 0 else -1.0

#: masked sorted | n = 5
import numpy as np
def f(x):
    sel = np.sort(x[x > 0])
    return sel[0] if len(sel) else 0.0

#: masked diff | n = 5
import numpy as np
def f(x):
    sel = x[x > 0]
    return np.sum(np.diff(sel))

#: masked argmax | n = 5
import numpy as np
def f(x):
    sel = x[x > 0]
    return np.argmax(sel) if len(sel) else -1

#: masked of another array | n = 5 | compiled | ulp = 4 | zero
import numpy as np
W = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
def f(x):
    m = x > 0
    return np.dot(W[m], x[m])

#: masked min of integers | n = 5 | compiled
import numpy as np
def f(x):
    i = np.nonzero(x > 0)[0]
    return i.min() + 10 * i.max() if i.size else 0

#: negated mask | n = 5 | compiled
import numpy as np
def f(x):
    m = x > 0
    return x[m].sum() - x[~m].sum()

#: mask of rows | n = 6
import numpy as np
def f(x):
    m = x.reshape(3, 2)
    inside = m[:, 0] > 0
    return np.sum(m[inside])

#: mask of rows, column | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(3, 2)
    inside = m[:, 0] > 0
    return np.sum(m[inside, 1])

#: median of masked | n = 5
import numpy as np
def f(x):
    sel = x[x > 0]
    return np.median(sel) if sel.size else 0.0

#: mean of masked | n = 5 | compiled
import numpy as np
def f(x):
    sel = x[np.abs(x) < 2]
    return np.mean(sel) if len(sel) else 0.0

#: linspace keywords | compiled
import numpy as np
def f(x):
    t = np.linspace(start=0, stop=1, num=7, endpoint=False)
    return t.sum() * x[0]

#: linspace retstep | compiled
import numpy as np
def f(x):
    t, dt = np.linspace(0, x[0], 6, retstep=True)
    return dt * np.sum(t ** 2)

#: linspace dtype | compiled
import numpy as np
def f(x):
    t = np.linspace(0, 10, num=5, dtype=int)
    return t.sum() + x[0] + np.linspace(0, 1, 4, dtype=float).sum()

#: linspace of arrays | n = 2 | compiled
import numpy as np
def f(x):
    t = np.linspace(np.zeros(2), x, 4)
    return t[2].sum()

#: arange dtype | compiled
import numpy as np
def f(x):
    k = np.arange(1, 6, dtype=float)
    j = np.arange(stop=4, dtype=np.float64, start=0)
    return np.sum(k * x[0]) + j.sum()

#: zeros keywords | compiled
import numpy as np
def f(x):
    a = np.zeros(shape=(2, 3), dtype=float)
    b = np.ones(3, dtype=int)
    c = np.full(shape=3, fill_value=2.0, dtype=np.float64)
    d = np.zeros(2, dtype=bool)
    e = np.empty(3, dtype=np.float64, order="C")
    e[:] = x[0]
    a[0] = x[1]
    return a.sum() + b.sum() + c.sum() + d.sum() + e.sum()

#: dtype int truncates | compiled
import numpy as np
def f(x):
    a = np.zeros(3, dtype=np.int64)
    a[0] = 2.7
    a[1] = x[0] if abs(x[0]) < 1e6 else 0
    return a.sum()

#: eye dtype | compiled
import numpy as np
def f(x):
    return (np.eye(3, dtype=int) * x[0]).sum() + np.eye(2, M=3, k=1, dtype=float)[0, 1] + np.identity(2, dtype=float).sum()

#: zeros_like dtype | compiled
import numpy as np
def f(x):
    a = np.zeros_like(x, dtype=int)
    b = np.ones_like(x, dtype=float)
    c = np.full_like(x, 3, dtype=float)
    d = np.empty_like(x)
    d[:] = 1
    return a.sum() + b.sum() + c.sum() + d.sum() + x[0]

#: array ndmin dtype copy | compiled
import numpy as np
def f(x):
    a = np.array(x, dtype=float, copy=True, ndmin=2)
    return a[0, 0] + a.shape[0]

#: float32 | cpython
import numpy as np
def f(x):
    return float(np.array(x, dtype=np.float32).sum())

#: sum dtype and out | compiled
import numpy as np
def f(x):
    return np.sum(x, dtype=float) + np.sum(x > 0, dtype=int) + np.mean(x > 0, dtype=float)

#: sum where | n = 4
import numpy as np
def f(x):
    return np.sum(x, where=x > 0)

#: max initial | n = 3 | compiled
import numpy as np
def f(x):
    return np.max(x, initial=0.5) + np.min(x, initial=0.25)

#: global write only | compiled
K = 0
def f(x):
    global K
    K += 1
    return x[0] ** 2

#: global write only with print | compiled
count = 0
best = float("inf")
def f(x):
    global count
    count += 1
    if count % 100 == 0:
        print("evaluation", count)
    return x[0] * x[1]

#: global best so far | compiled
best = 1e300
def f(x):
    global best
    v = x[0] ** 2 + x[1] if abs(x[0]) < 1e9 else 0.0
    if v < best:
        best = v
    return v

#: global reaches the result | cpython
K = 0
def f(x):
    global K
    K += 1
    return x[0] + K

#: global reaches through a branch | cpython
K = 0
def f(x):
    global K
    K += 1
    if K > 5:
        return 0.0
    return x[0]

#: global history list | compiled
history = []
def f(x):
    v = x[0] + x[1]
    history.append(v)
    return v

#: global history of tuples | compiled
trace = []
def f(x):
    v = x[0] * x[1]
    trace.append((list(x), v))
    return v

#: global dict counter | compiled
stats = {"calls": 0}
def f(x):
    stats["calls"] += 1
    return x[0]

#: nonlocal counter | compiled
def make():
    n = 0
    def f(x):
        nonlocal n
        n += 1
        return x[0]
    return f
f = make()

#: nonlocal local counter | compiled
def f(x):
    calls = 0
    def g(v):
        nonlocal calls
        calls += 1
        return v * v
    s = g(x[0]) + g(x[1])
    return s + calls

#: self calls | compiled
class Objective:
    def __init__(self):
        self.calls = 0
    def __call__(self, x):
        self.calls += 1
        return x[0] * 2
f = Objective()

#: self calls reach the result | cpython
class Objective:
    def __init__(self):
        self.calls = 0
    def __call__(self, x):
        self.calls += 1
        return x[0] * 2 + self.calls
f = Objective()

#: self history | compiled
class Objective:
    def __init__(self, a):
        self.a = a
        self.history = []
        self.best = None
    def __call__(self, x):
        v = self.a * x[0] + x[1]
        self.history.append(v)
        if self.best is None or v < self.best:
            self.best = v
        return v
f = Objective(3.0)

#: function attribute | compiled
def f(x):
    f.calls += 1
    return x[0]
f.calls = 0

#: class attribute counter | compiled
class A:
    n = 0
def f(x):
    A.n += 1
    return x[0]

#: local object | compiled
class Acc:
    def __init__(self):
        self.total = 0.0
        self.n = 0
    def add(self, v):
        self.total += v
        self.n += 1
def f(x):
    acc = Acc()
    for v in x:
        acc.add(v)
    return acc.total / acc.n

#: local object in a branch | compiled
class S:
    def __init__(self, v):
        self.v = v
        self.hit = 0
def f(x):
    s = S(x[0])
    if x[1] > 0:
        s.v = s.v * 2
        s.hit += 1
    return s.v + s.hit

#: local object new attribute in a branch | raises = AttributeError
class S:
    pass
def f(x):
    s = S()
    if x[1] > 0:
        s.v = x[0]
    return s.v

#: dict in | compiled
def f(x):
    d = {"a": 1.0, "b": 2.0}
    t = 0.0
    for k in ("a", "c"):
        if k in d:
            t += d[k] * x[0]
        if k not in d:
            t += 1
    return t

#: dict get items values | compiled
P = {"a": 1.5, "b": 2.5}
def f(x):
    v = dict(zip(("a", "b"), x))
    return sum(P[k] * v.get(k, 0.0) for k in P) + sum(v.values()) + max(v.items(), key=lambda kv: kv[1])[1]

#: dict comprehension | n = 3 | compiled
def f(x):
    d = {f"x{i}": v for i, v in enumerate(x)}
    s = {k: v * 2 for k, v in d.items() if k != "x1"}
    return sum(s.values()) + len(s) + d["x1"]

#: dict pop update setdefault | compiled
def f(x):
    d = dict(a=x[0], b=x[1])
    d.update(c=3.0)
    d.update({"a": x[0] * 2})
    q = d.pop("b")
    r = d.pop("zz", 7.0)
    d.setdefault("n", 4.0)
    return d["a"] + q + r + d["n"] + len(d)

#: dict store in a branch | compiled
def f(x):
    d = {"cost": 0.0}
    if x[0] > 0:
        d["cost"] += x[0]
    else:
        d["cost"] = x[1]
    return d["cost"]

#: dict new key in a branch | raises = KeyError
def f(x):
    d = {}
    if x[0] > 0:
        d["v"] = x[1]
    return d["v"]

#: dict get of a key of a branch
def f(x):
    d = {}
    if x[0] > 0:
        d["v"] = x[1]
    return d.get("v", -1.0)

#: defaultdict counter
from collections import defaultdict
def f(x):
    d = defaultdict(float)
    d["a"] += x[0]
    d["b"] += x[1]
    d["a"] += 1
    return d["a"] * d["b"] + len(d)

#: dict of lists | n = 3 | compiled
def f(x):
    g = {"lo": [], "hi": []}
    for i, v in enumerate(x):
        g["lo" if i < 1 else "hi"].append(v)
    return sum(g["lo"]) * 10 + sum(g["hi"])

#: dict clear popitem
def f(x):
    d = {"a": x[0], "b": x[1]}
    k, v = d.popitem()
    d.clear()
    return v + len(d)

#: dict with number keys | compiled
def f(x):
    d = {0: 1.0, 1: 2.0, 2: 4.0}
    return sum(d[i] * v for i, v in enumerate(x)) + (5 if 3 in d else 0)

#: dict iteration sorted | compiled
def f(x):
    d = {"b": x[0], "a": x[1]}
    t = 0.0
    for i, k in enumerate(sorted(d)):
        t = t * 2 + d[k] * (i + 1)
    return t

#: dict fromkeys
def f(x):
    d = dict.fromkeys(["a", "b"], 0.0)
    d["a"] += x[0]
    return d["a"] + d["b"]

#: list of dicts | compiled
ITEMS = [{"w": 1.0, "v": 3.0}, {"w": 2.0, "v": 5.0}]
def f(x):
    return sum(it["w"] * t - it["v"] for it, t in zip(ITEMS, x))

#: isinstance on arrays | zero | n = 2 | compiled
import numpy as np
def f(x):
    if isinstance(x, np.ndarray):
        return np.sum(x)
    if isinstance(x, (list, tuple)):
        return sum(x)
    return x

#: isinstance numbers | n = 2 | compiled
import numpy as np
import numbers
def f(x):
    t = 0.0
    if isinstance(x[0], (float, int)): t += 1
    if isinstance(x[0], np.floating): t += 2
    if isinstance(len(x), numbers.Integral): t += 4
    if isinstance(x[0], numbers.Number): t += 8
    if isinstance(x, np.generic): t += 16
    if isinstance(x, (np.ndarray, list)): t += 32
    return t + x[0]

#: isscalar type
import numpy as np
def f(x):
    t = 0.0
    if np.isscalar(x[0]): t += 1
    if type(x) is np.ndarray: t += 2
    if type(x[0]) == np.float64: t += 4
    if hasattr(x, "shape"): t += 8
    if x.dtype == float: t += 16
    if callable(f): t += 32
    return t + x[0]

#: isiterable | compiled
import numpy as np
from collections.abc import Iterable, Sequence
def f(x):
    t = 0.0
    if isinstance(x, Iterable): t += 1
    if isinstance([1], Sequence): t += 2
    return t + x[0]

#: nextafter | compiled
import numpy as np, math
def f(x):
    return np.nextafter(x[0], x[1])

#: math nextafter ulp | list | compiled
import math
def f(x):
    return math.nextafter(x[0], math.inf) + math.ulp(x[1])

#: spacing
import numpy as np
def f(x):
    return np.spacing(x[0])

#: indices | zero | compiled
import numpy as np
def f(x):
    i, j = np.indices((3, 4))
    return np.sum(i * x[0] + j * x[1])

#: indices dtype sparse | compiled
import numpy as np
def f(x):
    g = np.indices((2, 3), dtype=float)
    i, j = np.indices((2, 3), sparse=True)
    return np.sum(g[0] * x[0]) + np.sum(i + j * x[1])

#: meshgrid | compiled
import numpy as np
def f(x):
    X, Y = np.meshgrid(np.linspace(0, 1, 3), np.arange(4), indexing="ij")
    U, V = np.meshgrid([1.0, 2.0], [3.0, 4.0, 5.0])
    return np.sum(X * x[0] + Y * x[1]) + U[2, 1] * V[2, 1]

#: meshgrid sparse | zero | compiled
import numpy as np
def f(x):
    X, Y = np.meshgrid(np.arange(3.0), np.arange(4.0), sparse=True)
    return np.sum(X * x[0] + Y * x[1])

#: mgrid ogrid
import numpy as np
def f(x):
    Y, X = np.mgrid[0:3, 0:4]
    a, b = np.ogrid[0:2, 0:3]
    g = np.mgrid[0:1:5j]
    return np.sum(X * x[0] + Y * x[1]) + np.sum(a * b) + g.sum()

#: percentile | n = 6 | compiled
import numpy as np
def f(x):
    return np.percentile(x, 25) + 10 * np.percentile(x, [10, 90])[1]

#: quantile methods | zero | n = 6
import numpy as np
def f(x):
    return np.quantile(x, 0.3, method="lower") + np.quantile(x, 0.3, method="nearest") + np.percentile(x, 40, method="higher") + np.percentile(x, 40, method="midpoint")

#: percentile interpolation keyword, which newer versions of NumPy refuse | cpython | n = 6
import numpy as np
def f(x):
    return np.percentile(x, 40, interpolation="lower")

#: quantile axis keepdims | zero | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    return np.quantile(m, 0.5, axis=0).sum() + np.median(m, axis=1, keepdims=True)[1, 0] + np.percentile(m, 50, axis=1, keepdims=True)[0, 0]

#: iqr | n = 6 | compiled
import numpy as np
def f(x):
    q1, q3 = np.percentile(x, (25, 75))
    return q3 - q1

#: fmin fmax | compiled
import numpy as np
def f(x):
    return np.fmin(x[0], x[1]) + np.fmax(x, 0.5).sum() + np.fmin.reduce(x)

#: list pop count index | n = 4 | compiled
def f(x):
    a = list(x)
    v = a.pop()
    w = a.pop(0)
    a.insert(1, 9.0)
    return v + 10 * w + a.count(9.0) + 100 * a.index(9.0) + a[0]

#: list insert negative and beyond | n = 3 | compiled
def f(x):
    a = list(x)
    a.insert(-1, 5.0)
    a.insert(100, 7.0)
    a.insert(-100, 3.0)
    return a[0] + 2 * a[1] + 3 * a[2] + 4 * a[3] + 5 * a[4] + 6 * a[5]

#: list remove | n = 3 | compiled
def f(x):
    a = [1, 2, 3, 2]
    a.remove(2)
    return a[1] + len(a) + x[0]

#: list remove of what depends | n = 3
def f(x):
    a = list(x)
    a.remove(min(a))
    return sum(a)

#: list remove missing | raises = ValueError
def f(x):
    a = [1.0, 2.0]
    if x[0] > 0:
        a.remove(5.0)
    return a[0] + x[1]

#: list extend reverse sort | n = 4 | compiled
def f(x):
    a = list(x)
    a.extend([1.0, 2.0])
    a.reverse()
    b = sorted(a, reverse=True)
    a.sort(key=lambda v: -v)
    return a[0] + b[1] + a[-1] * 10

#: list clear copy | n = 2 | compiled
def f(x):
    a = list(x)
    b = a.copy()
    a.clear()
    return len(a) + sum(b)

#: list slice assignment | n = 4 | compiled
def f(x):
    a = list(x)
    a[1:3] = [7.0]
    a[:0] = [1.0, 2.0]
    return sum(v * (i + 1) for i, v in enumerate(a))

#: list index with bounds | compiled
def f(x):
    a = [3, 1, 3]
    return a.index(3, 1) + x[0]

#: list iadd and imul | n = 2 | compiled
def f(x):
    a = [x[0]]
    a += [x[1]]
    a *= 2
    return a[0] + 10 * a[3]

#: modf numpy | zero | compiled
import numpy as np
def f(x):
    fr, w = np.modf(x)
    return fr.sum() + w.sum()

#: erf gamma comb | compiled
from math import erf, erfc, gamma, factorial, comb
def f(x):
    v = abs(x[0]) if abs(x[0]) < 20 else 1.0
    return erf(v) + erfc(v) + gamma(v + 1) + factorial(5) + comb(5, 2)

#: comb filter nested | n = 4 | compiled
def f(x):
    return sum(a * b for i, a in enumerate(x) for j, b in enumerate(x) if i < j if (i + j) % 2)

#: nested comprehension filter on x | n = 3
def f(x):
    return sum(a * b for a in x for b in x if a < b)

#: nested list comprehension filter on x | n = 3
def f(x):
    pairs = [(a, b) for a in x for b in x if a < b]
    return len(pairs) + sum(a - b for a, b in pairs)

#: dict comprehension filter on x | n = 3
def f(x):
    d = {i: v for i, v in enumerate(x) if v > 0}
    return sum(d.values()) + len(d)

#: while data dependent with list | n = 2
def f(x):
    v = abs(x[0])
    n = 0
    while v > 1 and n < 60:
        v /= 2
        n += 1
    return v + n

#: for over range of x with break | n = 2 | compiled
def f(x):
    n = int(abs(x[0])) % 7 if abs(x[0]) < 1e6 else 3
    t = 0.0
    for i in range(n):
        t += x[1] / (i + 1)
        if t > 3:
            break
    else:
        t += 100
    return t

#: list built in a while | n = 2
def f(x):
    v = abs(x[0]) if abs(x[0]) < 100 else 1.0
    path = []
    while v > 1:
        v /= 2
        path.append(v)
    return len(path)

#: errstate and warnings | compiled | ulp = 5
import numpy as np, warnings
def f(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / x[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = y + np.log(np.abs(x))
    return y[1]

#: seterr | compiled
import numpy as np
np.seterr(all="ignore")
def f(x):
    return x[0] / x[1]

#: statistics mean | list | n = 4
import statistics
def f(x):
    return statistics.mean(x)

#: statistics fmean | list | n = 4 | compiled
from statistics import fmean
def f(x):
    return fmean(x)

#: statistics median | list | n = 4 | compiled
import statistics as st
def f(x):
    return st.median(x) + st.median_low(x) + st.median_high(x)

#: statistics pstdev | list | n = 4
import statistics as st
def f(x):
    return st.pstdev(x)

#: nan functions | n = 5 | compiled
import numpy as np
def f(x):
    return np.nanmedian(x) if False else np.nansum(x) + np.nanmax(np.append(x, 1.0))

#: nanstd nanvar | n = 5
import numpy as np
def f(x):
    return np.nanvar(x) + np.nanstd(x)

#: nanargmin | n = 5
import numpy as np
def f(x):
    return np.nanargmin(x)

#: unpack star | n = 4 | compiled
def f(x):
    a, *b, c = x
    return a + sum(b) * 10 + c * 100

#: argsort gather | n = 5 | compiled | ulp = 8
import numpy as np
def f(x):
    order = np.argsort(x)
    w = np.arange(5.0)
    return np.dot(w[order], x[order])

#: array_equal and size checks | n = 3 | compiled
import numpy as np
def f(x):
    t = 0.0
    if np.array_equal(x, x): t += 1
    if np.array_equal(x[:2], x): t += 2
    return t + x[0]

#: searchsorted in a table of x | n = 4
import numpy as np
def f(x):
    return np.searchsorted(np.sort(x[:3]), x[3]) * 1.0

#: digitize bins | n = 3 | compiled
import numpy as np
def f(x):
    return np.sum(np.array([1.0, 5.0, 9.0])[np.digitize(x, [0.0, 1.0])])

#: where with broadcasting | n = 4 | compiled
import numpy as np
def f(x):
    return np.where(x[:, None] > x[None, :], 1, 0).sum() * 1.0

#: unique on rounded x | n = 4
import numpy as np
def f(x):
    return len(np.unique(np.round(x))) * 1.0

#: set of rounded x | n = 4
def f(x):
    return len(set(int(abs(v)) % 3 if abs(v) < 1e6 else 0 for v in x)) * 1.0

#: bincount of x | n = 5
import numpy as np
def f(x):
    k = np.abs(np.nan_to_num(np.clip(x, -3, 3))).astype(int)
    return np.bincount(k, minlength=4) @ np.array([1.0, 2.0, 3.0, 4.0])

#: ufunc at | n = 3 | compiled
import numpy as np
def f(x):
    a = np.zeros(2)
    np.add.at(a, [0, 1, 0], x)
    return a[0] + 10 * a[1]

#: put and place | n = 4
import numpy as np
def f(x):
    y = x.copy()
    np.put(y, [0, 2], [1.0, 2.0])
    np.place(y, y > 1, 0.5)
    return y.sum()

#: copyto | zero | n = 3
import numpy as np
def f(x):
    y = np.zeros(3)
    np.copyto(y, x)
    return y.sum()

#: out argument | zero | n = 3
import numpy as np
def f(x):
    y = np.empty(3)
    np.multiply(x, 2.0, out=y)
    return y.sum()

#: where argument of a ufunc | n = 3
import numpy as np
def f(x):
    y = np.divide(1.0, x, out=np.zeros_like(x), where=x != 0)
    return y.sum()

#: gradient edge | n = 5 | compiled
import numpy as np
def f(x):
    return np.gradient(x, 0.5)[1]

#: try except else finally del | compiled
def f(x):
    try:
        v = 1 / x[0]
    except ZeroDivisionError:
        v = 0.0
    finally:
        w = x[1]
    del w
    return v

#: tuple swap and multiple targets | compiled
def f(x):
    a = b = x[0]
    a, b = b, x[1]
    (c, d), e = (a, b), 3
    return a + b * 2 + c * 3 + d * 4 + e

#: walrus | compiled
def f(x):
    if (n := len(x)) > 1:
        return x[0] * n
    return 0.0

#: bool constants arithmetic | compiled
def f(x):
    ok = x[0] > 0
    bad = not ok
    return ok * x[1] + bad * 3 + (ok is True) + True

#: star args and kwargs helper | n = 3 | compiled
def g(*a, scale=1.0, **kw):
    return scale * sum(a) + kw.get("shift", 0.0)
def f(x):
    return g(*x, scale=2.0, shift=1.0) + g(*x, **{"scale": 3.0})

#: enumerate start zip strict | n = 3 | compiled
def f(x):
    return sum(i * v for i, v in enumerate(x, start=1)) + sum(a * b for a, b in zip(x, x[1:]))

#: itertools | n = 3 | compiled
from itertools import combinations, accumulate, product
def f(x):
    return sum(a * b for a, b in combinations(x, 2)) + list(accumulate(x))[-1] + sum(a * b for a, b in product(x, x))

#: deque | n = 3
from collections import deque
def f(x):
    q = deque([0.0, 0.0], maxlen=2)
    t = 0.0
    for v in x:
        q.append(v)
        t += sum(q)
    return t

#: Counter
from collections import Counter
def f(x):
    c = Counter(["a", "b", "a"])
    return c["a"] * x[0] + c["z"]

#: heapq
import heapq
def f(x):
    return sum(heapq.nsmallest(1, x))

#: bisect | n = 1
import bisect
def f(x):
    return bisect.bisect_left([0.0, 1.0, 2.0], x[0]) * 1.0

#: fractions decimal | cpython
from fractions import Fraction
def f(x):
    return float(Fraction(1, 3)) + x[0]

#: membership of elements that a mask chooses | compiled
import numpy as np
def f(x):
    x = np.array(x)
    return np.isin(x[x > 0], [1.0, 2.0]).sum() + x[0]

#: kinds in everyday use, 1
def f(x):
    best = None
    for v in x:
        if v > 0 and (best is None or v < best): best = v
    return -1.0 if best is None else best

#: kinds in everyday use, 2
def f(x):
    best, arg = None, None
    for i, v in enumerate(x):
        if best is None or v < best:
            best, arg = v, i
    return best * 10 + arg

#: kinds in everyday use, 3 | n = 3 12
def f(x):
    seen = []
    for v in x:
        seen.append("neg" if v < 0 else v)
    return sum(1 for s in seen if s == "neg") + sum(s for s in seen if s != "neg")

#: kinds in everyday use, 4
def f(x):
    a, b = (None, 1.0) if x[0] > 0 else (x[0], "t")
    return (1.0 if a is None else a) + (2.0 if b == "t" else b)

#: kinds in everyday use, 5
def f(x):
    a, b = [x[0], 1.0] if x[1] > 0 else (x[0], 2.0)
    return a + b

#: kinds in everyday use, 6
def f(x):
    v = [1.0, 2.0, 3.0] if x[0] > 0 else [4.0, 5.0]
    t = 0.0
    for e in v[1:]: t += e
    return t + len(v) + v[0] + sum(v) + max(v) - min(v)

#: kinds in everyday use, 7 | raises = IndexError
def f(x):
    v = [1.0, 2.0, 3.0] if x[0] > 0 else [4.0, 5.0]
    return v[2]

#: kinds in everyday use, 8
def f(x):
    s = "abc" if x[0] > 0 else "de"
    return len(s) + (1.0 if s.startswith("a") else 2.0) + (1 if "d" in s else 0) + len(s.upper() + "x") + (s[0] == "a") * 3

#: kinds in everyday use, 9
def f(x):
    d = {"a": None, "b": x[0]}
    if x[1] > 0: d["a"] = x[1]
    t = 0.0
    for k, v in d.items():
        if v is not None: t += v
    return t + len([v for v in d.values() if v is None])

#: kinds in everyday use, 10
def f(x):
    v = x[0] if x[0] > 0 else None
    def inner(): return 1.0 if v is None else v
    return inner() + (lambda: 2.0 if v else 3.0)()

#: kinds in everyday use, 11
def f(x):
    v = None if x[0] > 0 else x[0]
    w = [v] * 2 + [v, None]
    return w.count(None) + len([q for q in w if q])

#: kinds in everyday use, 12 | raises = TypeError
def f(x):
    v = 3 if x[0] > 0 else None
    t = 0
    for i in range(v): t += i
    return t

#: kinds in everyday use, 13
def f(x):
    v = "a" if x[0] > 0 else None
    try:
        return float(v)
    except ValueError: return 1.0
    except TypeError: return 2.0

#: kinds in everyday use, 14
def f(x):
    v = None
    try:
        v = 1 / x[0]
    except ZeroDivisionError:
        pass
    return 0.5 if v is None else v

#: kinds in everyday use, 15
def g(*args): return sum(1 for a in args if a is not None)
def f(x):
    return g(None if x[0] > 0 else 1, *([None] if x[1] > 0 else [1, 2]))

#: kinds in everyday use, 16
def g(a=None, b=None): return (a or 0) + (b or 0)
def f(x):
    kw = {"a": x[0]} if x[1] > 0 else {"b": 2.0}
    return g(**kw)

#: kinds in everyday use, 17
def f(x):
    v = None if x[0] > 0 else x[0]
    v = v if v is not None else 3.0
    v += 1
    return v

#: kinds in everyday use, 18
def f(x):
    v = [] if x[0] > 0 else None
    if v is not None:
        v.append(x[1])
        return v[0]
    return -1.0

#: kinds in everyday use, 19
def f(x):
    a = [1.0]
    v = a if x[0] > 0 else None
    if v: v.append(5.0)
    return sum(a)

#: kinds in everyday use, 20
def f(x):
    a = [1.0, 2.0]
    v = a if x[0] > 0 else None
    if v: v[0] = x[1]
    return sum(a)

#: kinds in everyday use, 21
class A:
    def __init__(self, v): self.v = v
class B(A):
    def get(self): return self.v * 2
def f(x):
    o = B(x[0]) if x[1] > 0 else None
    return o.get() if o else -1.0

#: kinds in everyday use, 22
class A:
    def __init__(self): self.log = []
    def add(self, v): self.log.append(v)
def f(x):
    a = A()
    b = A()
    c = a if x[0] > 0 else b
    c.add(x[1])
    return len(a.log) * 10 + len(b.log)

#: kinds in everyday use, 23
class A:
    def __init__(self): self.v = 0.0
def f(x):
    a = A()
    b = A()
    c = a if x[0] > 0 else b
    c.v = x[1]
    c.v += 1
    return a.v * 10 + b.v

#: kinds in everyday use, 24
def f(x):
    v = (1, 2) if x[0] > 0 else 3
    return sum(v) if isinstance(v, tuple) else v

#: kinds in everyday use, 25
def f(x):
    v = None if x[0] > 0 else x[0]
    return [v, 2.0][0] if v is not None else {None: 4.0}[v]

#: kinds in everyday use, 26 | raises = KeyError
def f(x):
    k = "a" if x[0] > 0 else "b"
    return {"a": x[1]}[k]

#: kinds in everyday use, 27
def f(x):
    k = "a" if x[0] > 0 else "b"
    d = {}
    d[k] = x[1]
    return d.get("a", -1.0) + d.get("b", -2.0)

#: kinds in everyday use, 28
def f(x):
    k = ("a", 1) if x[0] > 0 else ("b", 2)
    d = {("a", 1): 3.0, ("b", 2): 4.0}
    return d[k] + (k in d)

#: kinds in everyday use, 29
def f(x):
    op = max if x[0] > 0 else min
    return op(x) + op(x[0], x[1])

#: kinds in everyday use, 30
import math
def f(x):
    fn = math.sqrt if x[0] > 0 else math.floor
    return fn(abs(x[1])) if abs(x[1]) < 1e9 else 0.0

#: kinds in everyday use, 31
def f(x):
    g = (lambda v: v + 1) if x[0] > 0 else (lambda v: v * 2)
    return g(x[1])

#: kinds in everyday use, 32
def f(x):
    def up(v): return v + x[0]
    def down(v): return v - x[0]
    g = {True: up, False: down}[bool(x[0] > 0)]
    return g(x[1])

#: kinds in everyday use, 33
def f(x):
    v = 1 if x[0] > 0 else True
    w = 1.0 if x[1] > 0 else True
    return (v is True) + (w is True) * 2 + (type(v) == bool if False else 0)

#: kinds in everyday use, 34
def f(x):
    v = None if x[0] > 0 else x[0]
    return 1.0 if v == None else 2.0

#: kinds in everyday use, 35
def f(x):
    r = [None if v < 0 else v for v in x]
    return sum(v for v in r if v is not None) + (10.0 if None in r else 0.0) + (r[0] is None) * 3

#: kinds in everyday use, 36
def f(x):
    r = sorted([("b", 1) if x[0] > 0 else ("a", 2), ("c", 0)])
    return r[0][1]

#: kinds in everyday use, 37
def f(x):
    s = ""
    for v in x:
        s += "+" if v > 0 else "-"
    return 1.0 if s == "+-" else (2.0 if s == "--" else len(s) * 3.0)

#: kinds in everyday use, 38 | raises = ValueError
def f(x):
    status = "ok" if x[0] > 0 else "fail"
    if status != "ok": raise ValueError(status)
    return x[1]

#: kinds in everyday use, 39
def f(x):
    try:
        if x[0] > 0: raise ValueError("a")
        if x[1] > 0: raise KeyError("b")
        r = "fine"
    except ValueError: r = None
    except KeyError: r = 5.0
    return 1.0 if r is None else (2.0 if r == "fine" else r)

#: kinds in everyday use, 40
def parse(v):
    if v > 2: return None
    if v < -2: return "low"
    return int(v)
def f(x):
    r = [parse(v) for v in x if abs(v) < 1e6]
    t = 0.0
    for p in r:
        match p:
            case None: t += 100
            case str(): t += 1000
            case 0: t += 0.5
            case int(n): t += n
    return t

#: kinds in everyday use, 41
def f(x):
    v = None if x[0] > 0 else x[0]
    return (v or 2.0) ** 2 + (v and 3.0 or 4.0) + (not v) * 5

#: kinds in everyday use, 42
def f(x):
    i = None
    for k in range(len(x)):
        if x[k] > 1:
            i = k
            break
    return -5.0 if i is None else x[i] + i

#: kinds in everyday use, 43
def f(x):
    n = 0
    v = None
    while n < 5:
        n += 1
        if x[0] * n > 3 and v is None: v = n
    return v if v else 0.25

#: kinds in everyday use, 44
def f(x):
    n = 0
    v = None
    while n < x[0] and n < 9:
        n += 1
        v = n * 2.0
    return -1.0 if v is None else v

#: kinds in everyday use, 45 | zero
import numpy as np
def f(x):
    x = np.asarray(x)
    if np.any(x > 2): return None
    r = x if x[0] > 0 else None
    return float(np.sum(x) if r is None else r.sum() * 2)

#: kinds in everyday use, 46
import numpy as np
def f(x):
    v = np.zeros(2) if x[0] > 0 else 3.0
    return np.sum(v + x[1])

#: kinds in everyday use, 47
import numpy as np
def f(x):
    v = np.zeros(2) if x[0] > 0 else np.ones(3)
    return v.sum() + v.shape[0] + len(v) + v[-1]

#: kinds in everyday use, 48
import numpy as np
def f(x):
    v = np.array([1, 2]) if x[0] > 0 else np.array([1.5, 2.5])
    return v[0] / 2 + (v // 2)[1] + v.sum()

#: kinds in everyday use, 49
def f(x):
    a = b = None
    if x[0] > 0: a = x[0]
    if x[1] > 0: b = "t"
    if a is None and b is None: return 1.0
    if a is None or b is None: return 2.0
    return a + len(b)

#: kinds in everyday use, 50
from dataclasses import dataclass
from typing import Optional
@dataclass
class R:
    ok: bool
    value: Optional[float] = None
    why: str = ""
def check(x):
    if x[0] < 0: return R(False, why="neg")
    return R(True, x[0])
def f(x):
    r = check(x)
    return r.value if r.ok else -1.0 - len(r.why)

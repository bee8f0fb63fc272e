#: f-strings, format and print on guard paths | compiled | raises = ValueError
def f(x):
    if x[0] > 3:
        raise ValueError(f"x[0] = {x[0]:.3f} of {len(x)} is too large: {x!r}")
    label = "value {:>8.2e} and {}".format(x[0], "text")
    print("at", x, label, "%.3f and %s" % (x[0], x[1]), str(x[1]), sep=", ")
    message = f"{x[0]}" + " " + label
    return x[0] ** 2 + x[1]

#: text of known parts | compiled
def f(x):
    p = {f"w{k}": k * 1.5 for k in range(3)}
    name = "W".lower() + str(2)
    words = "a,b , c".split(",")
    total = p[name] + p["w{}".format(1)] + p["w%d" % 1 if False else "w1"] + len(words) + len("ab" * 3)
    total += len("-".join(["x", "y"])) + len(f"{7:03d}") + ("b" in "abc") + "abc".startswith("ab") + int("12") + float("1.5")
    total += len(str(1e16)) + len(str(0.1)) + len(str(1e-5)) + len(str(True)) + len(str(None)) + len(str(100.0))
    return total * x[0] + x[1]

#: a mode chosen by x is only shown | compiled | raises = RuntimeError
def f(x):
    state = "low" if x[0] < 0 else "high"
    if x[1] > 3:
        raise RuntimeError("state " + state)
    return x[0] + x[1]

#: text that is one of two is compared | compiled
def f(x):
    state = "low" if x[0] < 0 else "high"
    return x[0] if state == "low" else x[1]

#: dicts of known keys | compiled
def f(x):
    p = {"a": x[0], "b": 2.0}
    p["c"] = x[1]
    q = {**p, "b": 3.0}
    q.update(d=1.0, a=5.0)
    t = sum(p.values()) + q["a"] + q.get("z", 7.0) + p.setdefault("a", 100.0) + p.pop("b")
    for k, v in q.items():
        if k in p:
            t += v
        elif k not in ("b",):
            t -= v
    r = dict(zip(["u", "v"], x))
    s = dict(r, w=2.0)
    return t + r["u"] * s["w"] + len(p) + len(list(q.keys())) + sorted(q)[0].count("a") + (p | r)["v"]

#: a dict of tuples and numbers | compiled
D = {(i, j): i + 2.0 * j for i in range(2) for j in range(2)}
E = {0: 1.0, 1: 4.0, 2: 9.0}
def f(x):
    k = int(abs(x[0])) % 3
    return D[1, 0] + D[(0, 1)] * x[1] + E[k] + (k in E) + (k in {0, 2})

#: a key that is not there | compiled | raises = KeyError
E = {0: 1.0, 1: 4.0}
def f(x):
    return E[int(abs(x[0])) % 3] if x[1] < 3 else E["none"]

#: keys made after an early return | compiled
def f(x):
    if x[0] > 2:
        return 0.5
    d = {}
    d["s"] = x[0] + 1
    d["t"] = d["s"] * 2
    return d["t"] + x[1]

#: sets of known values | compiled
ODD = {1, 3, 5}
def f(x):
    n = int(abs(x[0]))
    s = {v % 4 for v in range(10)} | {7} - {1}
    t = 3.0 if n in ODD else 4.0
    return t + len(s) + (7 in s) + (n in s) + sum(sorted(s)) + len(set([1, 1, 2])) + max({2, 5}) + x[1] + ("a" in {"a", "b"})

#: the order of a set is CPython's | cpython
def f(x):
    t = 0.0
    for v in {3, 1, 2}:
        t = t * 2 + v
    return t + x[0]

#: match on numbers | compiled
def f(x):
    match int(abs(x[0])):
        case 0:
            return x[1]
        case 1 | 2:
            y = x[1] * 2
        case n if n > 5:
            y = n + x[1]
        case _:
            y = -1.0
    return y + 1

#: match on structure | compiled
def g(shape):
    match shape:
        case ("circle", r):
            return 3.0 * r * r
        case ["rect", w, h] if w > 0:
            return w * h
        case {"kind": "box", **rest}:
            return sum(rest.values())
        case [first, *others]:
            return len(others) + 0.5
        case None:
            return 9.0
        case str():
            return 11.0
        case float(v) | int(v):
            return v
def f(x):
    return g(("circle", x[0])) + g(["rect", x[0], x[1]]) * 10 + g({"kind": "box", "a": x[0], "b": 2.0}) + g(None) + g("t") + g(2)

#: nonlocal inside one call | compiled
def f(x):
    count = 0
    best = float("inf")
    def visit(v):
        nonlocal count, best
        count += 1
        if v < best:
            best = v
        return v * v
    total = sum(visit(v) for v in x)
    t = 0.0
    for v in x:
        t += visit(v)
    return t + count + best

#: global that is only read | compiled
K = 3.0
def f(x):
    global K
    return K * x[0] + x[1]

#: a generator function | compiled | n = 3
def pairs(values, step=1):
    for k in range(0, len(values) - 1, step):
        yield values[k], values[k + 1]
    yield from [(1.0, 2.0)]
def f(x):
    t = 0.0
    for a, b in pairs(x):
        t += a * b
    return t + sum(a for a, _ in pairs(x, step=2)) + len(list(pairs(x)))

#: a generator that reads what changes while it runs | cpython
def items(values):
    for k in range(len(values)):
        yield values[k]
def f(x):
    y = list(x)
    t = 0.0
    for v in items(y):
        y[-1] = 100.0
        t += v
    return t

#: decorators | compiled
import functools
def twice(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return 2 * fn(*args, **kwargs)
    return wrapper
def scaled(k):
    def deco(fn):
        return lambda v: k * fn(v)
    return deco
@twice
def g(a, b=1.0):
    return a + b
@scaled(3)
def h(v):
    return v * v
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@twice
def f(x):
    return g(x[0], b=x[1]) + h(x[1]) + fib(20)

#: functools and operator | compiled | n = 3
from functools import partial, reduce
import operator
from operator import itemgetter, mul
def power(b, e):
    return b ** e
square = partial(power, e=2)
def f(x):
    t = reduce(lambda a, b: a * 0.5 + b, x) + reduce(mul, x, 2.0) + square(x[0])
    t += sum(map(operator.mul, x, range(3))) + operator.add(x[0], 1.0) - operator.neg(x[1])
    rows = sorted([("b", 2.0), ("a", 3.0)], key=itemgetter(0))
    return t + rows[0][1] + max([(1, 5.0), (2, 4.0)], key=itemgetter(1))[0]

#: itertools | compiled | n = 3
import itertools as it
from itertools import accumulate, chain, combinations, permutations, product
def f(x):
    t = sum(a * b for a, b in combinations(x, 2))
    t += sum(x[i] * x[j] * (i - j) for i, j in permutations(range(3), 2))
    t += sum(a * b for a, b in product(x, [1.0, 2.0])) + len(list(product([0, 1], repeat=3)))
    t += sum(accumulate(x)) + list(accumulate(x, lambda a, b: a * b))[-1]
    t += sum(chain(x, [1.0, 2.0])) + sum(it.chain.from_iterable([x, x])) + sum(it.repeat(0.5, 4))
    t += sum(it.islice(x, 1, None)) + sum(it.starmap(pow, [(2, 3), (3, 2)]))
    for a, b in zip(x, it.islice(x, 1, 3)):
        t += a - b
    return t + sum(1 for _ in it.combinations_with_replacement(range(3), 2)) + sum(a * b for a, b in it.zip_longest([1], [2, 3], fillvalue=4))

#: a named tuple | compiled
from collections import namedtuple
from typing import NamedTuple
Point = namedtuple("Point", "a b")
class Box(NamedTuple):
    w: float
    h: float = 2.0
def f(x):
    p = Point(x[0], b=x[1])
    a, b = p
    q = p._replace(a=1.0)
    box = Box(x[0])
    return p.a * b + p[1] + q.a + q.b + box.w * box.h + len(box)

#: dataclasses | compiled
from dataclasses import dataclass, field
from typing import ClassVar, List
@dataclass
class Material:
    density: float
    cost: float = 2.5
    factors: List[float] = field(default_factory=lambda: [1.0, 2.0])
    unit: ClassVar[str] = "kg"
    def price(self, v):
        return self.cost * v + self.density * self.factors[1]
@dataclass
class Alloy(Material):
    share: float = 0.5
    def __post_init__(self):
        self.rest = 1 - self.share
@dataclass(frozen=True)
class Limits:
    low: float
    high: float = 9.0
STEEL = Material(7.8)
def f(x):
    m = Material(x[0], cost=x[1])
    m.factors.append(x[0])
    m.cost += 1.0
    a = Alloy(1.0, 2.0, share=0.25)
    return m.price(2.0) + STEEL.price(x[1]) + len(m.factors) + a.share * a.rest + Limits(low=x[1]).low

#: classes with super, operators and properties | compiled
from abc import ABC, abstractmethod
class Shape(ABC):
    def __init__(self, scale):
        self.scale = scale
    @abstractmethod
    def area(self):
        ...
    @property
    def cost(self):
        return self.scale * self.area()
class Square(Shape):
    def __init__(self, side, scale=2.0):
        super().__init__(scale)
        self.side = side
    def area(self):
        return self.side ** 2
class Cut(Square):
    def area(self):
        return super().area() - 1.0
class Vec:
    def __init__(self, *items):
        self.items = list(items)
    def __add__(self, other):
        return Vec(*[a + b for a, b in zip(self.items, other.items)])
    def __mul__(self, k):
        return Vec(*[a * k for a in self.items])
    __rmul__ = __mul__
    def __neg__(self):
        return self * -1.0
    def __len__(self):
        return len(self.items)
    def __getitem__(self, k):
        return self.items[k]
def f(x):
    v = Vec(x[0], x[1]) + 2.0 * Vec(1.0, x[0])
    w = -v
    return Square(x[0]).cost + Cut(x[1], scale=3.0).cost + v[0] * w[1] + len(v) + isinstance(Cut(1.0), Shape)

#: an attribute made in a branch | compiled | raises = AttributeError
class A:
    pass
def f(x):
    a = A()
    a.k = 1.0
    if x[0] > 0:
        a.k = 2.0
        a.extra = 5.0
    return a.k + (a.extra if x[1] > 1 else 0.0) + getattr(a, "k", 0) + hasattr(a, "none") + getattr(a, "none", 4.0)

#: sorting by a key | compiled | n = 4
def f(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    y = list(x)
    y.sort(key=abs, reverse=True)
    pairs = sorted(zip(x, [3.0, 1.0, 2.0, 5.0]))
    t = 0.0
    for rank, i in enumerate(order):
        t += rank * x[i] + 0.25 * i
    return t + y[0] * 2 + y[-1] + pairs[0][1] + sorted(x, key=lambda v: -v)[0]

#: filter, copies, statistics | compiled | n = 3 | ulp = 2
import copy
import statistics
def f(x):
    a = [[1.0, 2.0], [3.0]]
    b = copy.deepcopy(a)
    b[0][0] = x[0]
    c = copy.copy(a)
    c[0][1] = x[1]
    t = a[0][0] + a[0][1] + b[0][0]
    t += sum(filter(lambda k: k % 2 == 0, range(6))) + len(list(filter(None, [0, 1, 2])))
    return t + statistics.fmean(x) + statistics.median(x)

#: star arguments and star targets | compiled | n = 4
def g(a, *rest, scale=1.0, **options):
    return a + scale * sum(rest) + options.get("offset", 0.0)
def f(x):
    first, *middle, last = x
    args = [1.0, 2.0]
    options = {"offset": 3.0}
    return g(first, *middle, *args, scale=last, **options) + g(*x) + [*middle, *args][-1] + max(*middle)

#: type hints and typing | compiled
from __future__ import annotations
from typing import Callable, Optional, Sequence, cast
import typing as t
Vector = Sequence[float]
def apply(fn: Callable[[float], float], v: Optional[float] = None) -> float:
    total: float = 0.0
    count: int
    return fn(v) if v is not None else total
def f(x: t.List[float]) -> float:
    y = cast(float, x[0])
    return apply(lambda v: v + 1, y) + apply(abs) + x[1]

#: a main block | compiled
import sys
def f(x):
    """Cost of x."""
    return x[0] ** 2 + x[1]
if __name__ == "__main__":
    print(f([float(v) for v in sys.argv[1:]]))

#: isinstance on what x is | compiled
import numpy as np
import numbers
def g(v):
    if isinstance(v, (list, tuple)):
        return 1.0
    if isinstance(v, np.ndarray):
        return 2.0
    if isinstance(v, numbers.Number) or np.isscalar(v):
        return 3.0
    return 4.0
def f(x):
    return g(x) + 10 * g(x[0]) + 100 * g([1]) + isinstance(x[0], float) + isinstance(3, (int, str)) + x[0]

#: warnings and logging are no part of the result | compiled
import logging
import warnings
log = logging.getLogger(__name__)
def f(x):
    if x[0] > 2:
        warnings.warn(f"large x: {x[0]}")
        log.debug("at %s", x)
    return x[0] + x[1]

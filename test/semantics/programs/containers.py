# Containers of the standard library, slices as objects, keys that depend on x, and attributes that types do not have.

#: deque: a window | n = 5 | compiled
from collections import deque
def f(x):
    window = deque(maxlen=3)
    total = 0.0
    for v in x:
        window.append(v)
        total += sum(window) / len(window) + window[0] - window[-1]
    return total

#: deque: both ends | n = 4 | compiled
import collections
def f(x):
    q = collections.deque([0.5, 1.5])
    out = 0.0
    for k, v in enumerate(x):
        q.appendleft(v)
        if len(q) > 3:
            out += q.pop() * (k + 1)
    q.rotate(1)
    out += q[0] - 2 * q[1]
    q.rotate(-2)
    q.reverse()
    q.extend([1.0, 2.0])
    q.extendleft([3.0, 4.0])
    out += sum(v * k for k, v in enumerate(q))
    return out + q.popleft() + max(q) + len(q) + q.count(3.0) + (4.0 in q)

#: deque: as a queue of a search | compiled
from collections import deque
EDGES = {0: [1, 2], 1: [3], 2: [3], 3: []}
def f(x):
    cost = [x[0], x[1], 2.0, x[0] * x[1]]
    seen, todo, total = [0], deque([0]), 0.0
    while todo:
        node = todo.popleft()
        total = total * 0.5 + cost[node]
        for other in EDGES[node]:
            if other not in seen:
                seen.append(other)
                todo.append(other)
    return total

#: deque: empty, copied, compared, changed | raises = IndexError
from collections import deque
import copy
def f(x):
    a = deque([x[0], x[1]], 4)
    b = copy.copy(a)
    b.append(1.0)
    c = a.copy()
    c[0] = 7.0
    same = (a == deque([x[0], x[1]])) + 2 * (a == [x[0], x[1]]) + 4 * (a != b)
    a.clear()
    if x[0] > 1:
        a.pop()
    return same + len(b) + c[0] + (10 if a else 20) + isinstance(b, list) + isinstance(b, deque) + b.maxlen

#: deque: names of the source do not reach it | compiled
from collections import deque
def len(v):
    return 100
def isinstance(a, b):
    return False
def f(x):
    d = deque([x[0], 1.0], maxlen=1)
    d.append(x[1])
    return sum(d)

#: deque: of mean and array functions, and of slices | raises = TypeError
from collections import deque
def f(x):
    d = deque(x)
    return d[0:1][0]

#: deque: what is kept from call to call | cpython
from collections import deque
LAST = deque(maxlen=2)
def f(x):
    LAST.append(x[0])
    return sum(LAST)

#: defaultdict: groups | n = 4 | compiled
from collections import defaultdict
GROUP = ["a", "b", "a", "c"]
def f(x):
    sums, items = defaultdict(float), defaultdict(list)
    for g, v in zip(GROUP, x):
        sums[g] += v ** 2
        items[g].append(v)
    return max(sums.values()) - sums["c"] + len(items["a"]) + len(sums) + len(items["none"]) + len(items)

#: defaultdict: missing keys | raises = KeyError
from collections import defaultdict
def f(x):
    d = defaultdict(lambda: 2.5, a=1.0)
    plain = dict(d)
    e = d.copy()
    v = d.get("z", -1.0) + e["q"] + ("q" in d) + isinstance(d, dict)
    if x[0] > 1:
        return v + plain["q"]
    n = defaultdict(None, b=2.0)
    if x[1] > 1:
        return n["c"]
    return v + n["b"]

#: an object with __iter__, __contains__, __setitem__ | compiled
class Bag:
    def __init__(self, items):
        self.items = list(items)
    def __iter__(self):
        return iter(self.items)
    def __contains__(self, v):
        return v > 2
    def __setitem__(self, k, v):
        self.items[k] = v + 1
class Steps:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        for k in range(self.n):
            yield 0.5 * k
class Called:
    def __call__(self, v):
        return v
def f(x):
    bag = Bag(x)
    bag[0] = 2.0
    a, b = bag
    return sum(bag) + max(bag) + a * b + (1 in bag) + (3 in bag) + sum(v * w for v, w in zip(bag, Steps(3))) + len(
        list(Steps(3))) + callable(Called()) + 2 * callable(bag) + sum(iter(bag))

#: slice objects | n = 4 | compiled
import numpy as np
HEAD, TAIL = slice(2), slice(1, None, 2)
PARTS = {"a": slice(0, 2), "b": slice(2, None)}
def f(x):
    m = x.reshape(2, 2)
    every = [slice(None), 0]
    rows = [v for v in range(10)][slice(8, 2, -2)]
    return (np.sum(x[HEAD]) - x[TAIL].sum() + x[PARTS["a"]] @ x[PARTS["b"]] + m[tuple(every)].sum() + sum(rows)
            + TAIL.start + (TAIL.stop is None) + TAIL.step + isinstance(HEAD, slice) + m[np.s_[0, :]].sum()
            + x[np.s_[1:3]][0])

#: keys that are tuples of what depends on x | compiled
T = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): 0.5, "other": 9.0, (1,): 7.0, 5: 1.5}
def f(x):
    i, j = int(x[0] > 0), int(x[1] > 0)
    name = "p" if x[0] > 1 else "q"
    named = {("p", 0): 10.0, ("q", 0): 20.0, ("p", 1): 30.0, ("q", 1): 40.0}
    return T[(i, j)] + T[i, j] * 2 + T.get((i, 5), 9.0) + ((i, j) in T) + ((i, 2) in T) + named[name, j]

#: keys that are tuples of what depends on x and are missing | raises = KeyError | at = 0 0; 1 1; 2 2
T = {(0, 0): 1.0, (1, 1): 2.0}
def f(x):
    return T[(x[0], x[1])]

#: a store under a key that depends on x | compiled | at = 0 0; 1 1; 2 2
def f(x):
    counts = {0: 0, 1: 0.5, "a": 3.0}
    k = x[0] > 0
    counts[int(k)] += 1
    counts[int(x[1] > 1)] = counts.get(int(k), 0) + x[1]
    return counts[0] + 10 * counts[1] + counts["a"] + len(counts)

#: a store under a key that is new on some lanes | at = 0 0; 1 1; 5 2
def f(x):
    counts = {0: 1.0, 1: 2.0}
    k = int(abs(x[0])) if abs(x[0]) < 1e6 else 0
    counts[k] = x[1]
    return sum(counts.values()) + len(counts)

#: attributes that a number does not have | compiled
def parse(v):
    try:
        return float(v.lstrip())
    except AttributeError:
        return v
def f(x):
    n = parse(x[0]) + parse(" 2.5")
    n += 1 if hasattr(x[1], "shape") else 2
    n += getattr(x[1], "size", 5) + (0 if hasattr("text", "append") else 1) + hasattr([], "append")
    try:
        x[0].append(1.0)
    except AttributeError:
        n += 10
    try:
        None.value
    except AttributeError:
        n += 20
    return n

#: attributes that arrays and NumPy's numbers do not have | compiled
import numpy as np
def f(x):
    n = 0.0
    for what in (x, x[0], np.sum(x)):
        try:
            what.append(1.0)
        except AttributeError:
            n += 1
        n += hasattr(what, "keys") + 2 * hasattr(what, "shape")
    return n + np.sum(x)

#: an attribute that a number does not have, not caught | raises = AttributeError
def f(x):
    if x[0] > 0:
        return x[0].lstrip()
    return 1.0

#: items that NumPy's numbers do not have | compiled
import numpy as np
def f(x):
    try:
        return x[0][0]
    except TypeError:
        return 5.0
    except IndexError:
        v = np.sum(x)
        return x[0] + 1.0 + v[()] + v[None][0]

#: items that Python's numbers do not have | compiled
def f(x):
    try:
        return x[0][0]
    except IndexError:
        return 5.0
    except TypeError:
        try:
            x[0][0] = 1.0
        except TypeError:
            try:
                (1, 2)[0] = x[1]
            except TypeError:
                return x[0] + 1.0

#: columns of single numbers | compiled
import numpy as np
def f(x):
    F = np.column_stack([x[0], x[1]])
    return F[0, 1] + F.shape[0] + np.dstack([x[0], x[1]])[0, 0, 1] + np.vstack([x[0], x[1]])[1, 0]

#: leaving a finally block after an exception | cpython
def f(x):
    try:
        raise 'text'
    finally:
        return 1.0

#: dataclasses: helpers | compiled
from dataclasses import dataclass, field, is_dataclass, asdict, astuple, fields, replace
@dataclass
class Part:
    size: float = 1.0
    kinds: list = field(default_factory=lambda: [1.0, 2.0])
@dataclass
class Whole:
    a: float
    part: Part
    b: float = 2.0
    def __post_init__(self):
        self.total = self.a + self.b
class Below(Whole):
    pass
def f(x):
    w = Whole(x[0], Part(x[1]))
    d, t = asdict(w), astuple(w)
    d["part"]["kinds"].append(5.0)
    e = replace(w, b=x[1])
    named = sum(getattr(e, q.name) for q in fields(e) if q.name != "part")
    return (d["a"] * 2 + d["part"]["size"] + len(w.part.kinds) + t[2] + t[1][0] + e.total + named + len(fields(Whole))
            + 10 * is_dataclass(w) + 20 * is_dataclass(Below) + 40 * is_dataclass(Below(1.0, Part())) + is_dataclass(3))

#: dataclasses: helpers of what is none | raises = TypeError
from dataclasses import asdict, fields, is_dataclass
class Plain:
    pass
def f(x):
    if x[0] > 1:
        return asdict(Plain())["a"]
    if x[1] > 1:
        return len(fields(Plain))
    return is_dataclass(Plain())

#: methods of text | compiled
LINE = " a=1, b=2,c = 3 \n"
TABLE = """
1 2.5
3 4
"""
def f(x):
    pairs = {k.strip(): float(v) for k, v in (part.split("=", 1) for part in LINE.strip().split(","))}
    rows = [[float(t) for t in line.split()] for line in TABLE.strip().splitlines()]
    n = "xxabxx".strip("x").count("a") + len("..a.".lstrip(".")) + len("a,b,c".split(",", 1)) + "abc".find("c")
    n += "name".startswith(("x", "na")) + "name".endswith("me") + len("ab.py".removesuffix(".py")) + "abcabc".index("b")
    n += len("a  b".split(" ")) + len(" a  b ".split()) + len("a\r\nb\n\nc".splitlines()) + len("aXbX".replace("X", ""))
    n += "a=b=c".partition("=")[2].count("=") + len("x".split(",")) + len("a,b".split(",", 5)) + ("ab".find("z") == -1)
    return sum(pairs.values()) * x[0] + sum(a * b for a, b in rows) * x[1] + n

#: methods of text with further arguments
def f(x):
    return (len("a,b,c".split(sep=",")) + "abab".count("a", 1) + "abab".startswith("b", 1) + len("aaa".replace("a", "b", 1))
            + len("abc".replace("", "-")) + x[0])

#: next: the first of some | compiled
def f(x):
    first = next(v for v in [x[0] + 1, x[1]])
    found = next((k for k, v in enumerate(x) if v > 0), -1)
    none = next((v for v in x if v > 1e9), None)
    return first + 10 * found + (1 if none is None else none) + next(iter([]), 4.0) + next(iter({"a": 2.0}.values()))

#: next: of none | raises = StopIteration
def f(x):
    return next(v for v in x if v > 0)

#: next: twice
def f(x):
    it = iter(x)
    return next(it) - 2 * next(it)

#: sorting backwards keeps equal elements in order | n = 3 | row = 28 | compiled | at = 0 -0 0; -0 0 1; 0 -0 -0
import math
def f(x):
    s = sorted(x, reverse=True)
    t = list(x)
    t.sort(reverse=True)
    k = sorted([1, 1.0, True], reverse=True)
    return sum(math.copysign(1.0, v) * 10 ** i for i, v in enumerate(s + t)) + isinstance(k[0], bool) * 0.5

#: sorting tuples with NaN | n = 3 | at = nan 1 2; 1 nan 0; nan nan 1; 2 nan 1; 3 2 nan
def f(x):
    s = sorted(zip(x, [3.0, 1.0, 2.0]))
    k = sorted(range(3), key=lambda i: (x[i], i))
    return s[0][1] + 10 * s[1][1] + 100 * s[2][1] + 1000 * k[0] + 10000 * k[1]

#: nothing is removed where nothing is found | n = 3 | at = 1 1 1; 2 1 0
def f(x):
    b = [x[0], x[1]]
    try:
        b.remove(x[2])
        s = 1.0
    except ValueError:
        s = 2.5
    return s + sum(b) + 10 * len(b)

#: nothing is taken out where there is no such position, and nothing sorted where a key raises | n = 3 | at = 0 1 2; 9 1 0
def f(x):
    b = [x[1], x[2], 3.0]
    k = int(x[0]) if abs(x[0]) < 100 else 0
    s = 0.0
    try:
        s += b.pop(k)
    except IndexError:
        s += 50.0
    c = list(x)
    try:
        c.sort(key=lambda v: -1 / v)
    except ZeroDivisionError:
        s += 500.0
    return s + sum(v * 10 ** i for i, v in enumerate(b)) + c[0] * 7

#: a feasibility check that gives None or a text, used directly | compiled
def feasible(x): return x[0] + x[1] > 1 and "ok" or None
def f(x):
    if not feasible(x): return 1e6
    return x[0] ** 2 + x[1] ** 2

#: a check that gives an empty list or a filled one | compiled
def check(x): return [] if x[0] > 0 else ["neg"]
def f(x):
    if check(x): return 1e6
    return x[0]

#: a check that gives lists of several lengths, run over and counted | compiled
def problems(x):
    if x[0] > 2: return ["high", "wide"]
    if x[1] > 0: return ["up"]
    return []
def f(x):
    total = len(problems(x)) * 100.0
    for p in problems(x): total += len(p)
    return total + x[0] if problems(x) == ["up"] else total - x[0]

#: a dict's get without and with what is not there | compiled | at = 0 1; 1 1; 2 1; -1 0
D = {0: 3.0, 1: 5.0}
def f(x):
    k = int(x[0]) if abs(x[0]) < 10 else 7
    a = 10.0 if D.get(k) == 5.0 else 1.0
    b = 1e6 if not D.get(k) else 2.0
    c = 1.0 if D.get(k) is None else 2.0
    d = 1.0 if D.get(k, "none") == "none" else 2.0
    return a + b * 3 + c * 7 + d * 11

#: a number or a text, compared | compiled
def f(x):
    a = 1.0 if (x[0] or "zero") == "zero" else 2.0
    b = 1.0 if (x[1] or None) is None else 2.0
    c = 1.0 if "zero" != (x[0] or "zero") else 2.0
    return a + 3 * b + 7 * c

#: the key of the largest value, of several kinds | compiled
def f(x):
    d = {"a": x[0], "b": x[1], 0: 0.5}
    k = max(d, key=d.get)
    return 1.0 if k == 0 else (2.0 if k == "a" else 3.0)

#: filters of several kinds | compiled
def f(x):
    a = sum(v for v in x if (v if v > 0 else None))
    b = len([v for v in x if (None if v < 0 else "yes")])
    return a + 10 * b

#: lists of two lengths are compared | compiled
def f(x):
    a = 1.0 if ([1] if x[0] > 0 else [1, 2]) == [1] else 2.0
    b = 1.0 if ([x[0]] if x[1] > 0 else [1, 2]) == [x[0]] else 2.0
    return a + 3 * b

#: which of two objects it is | compiled
class P:
    def __init__(self, v): self.v = v
a = P(1.0)
b = P(2.0)
def f(x):
    p = a if x[0] > 0 else b
    s = 1.0 if p is a else 2.0
    s += 4.0 if (a if x[1] > 0 else b) is a else 8.0
    return s + p.v

#: a pattern for None or a number | compiled
def f(x):
    match (None if x[0] > 0 else 2):
        case None: a = 1.0
        case 2: a = 2.0
        case _: a = 3.0
    match ("low" if x[1] < 0 else x[1]):
        case "low": b = 1.0
        case _: b = 2.0
    match (True if x[0] > 1 else None):
        case True: c = 1.0
        case None: c = 2.0
    return a + 3 * b + 7 * c

#: tuples that hold one kind or another | compiled
def f(x):
    a = 1.0 if (None if x[0] > 0 else 7, x[1])[0] == 7 else 2.0
    b = 1.0 if (None if x[0] > 0 else 7) in (None, 3.0) else 2.0
    c = 1.0 if [(1, None), (1, 2)][int(x[0] > 0)] == (1, None) else 2.0
    t = (None, x[0]) if x[1] > 0 else ("t", x[0])
    d = 1.0 if t[0] is None else 2.0
    return a + 3 * b + 7 * c + 13 * d + t[1]

#: None or a number is told apart and used | compiled
def root(v):
    if v < 0: return None
    return v ** 0.5
def f(x):
    r = root(x[0])
    if r is None: return 1e3 - x[0]
    s = root(x[1])
    return r + (s if s is not None else 0.0)

#: a function that falls off its end | compiled
def g(v):
    if v > 1: return v
def f(x):
    a = g(x[0])
    if a is None: a = -1.0
    return a + (g(x[1]) or 0.5)

#: what falls off the end is used as a number | compiled | raises = TypeError
def g(v):
    if v > 1: return v
def f(x): return g(x[0]) + 1.0

#: the objective itself gives None on some lanes | compiled
def f(x):
    if x[0] > 0: return x[0]

#: the objective itself gives text on some lanes | compiled
def f(x): return x[1] if x[0] > 0 else "bad"

#: status and value | compiled
def evaluate(x):
    if x[0] < -1: return None, "too low"
    if x[0] > 3: return None, "too high"
    return x[0] ** 2, None
def f(x):
    value, error = evaluate(x)
    if error is not None: return 1e6 if error == "too low" else 2e6
    return value

#: a message that is empty or not | compiled
def validate(x):
    message = ""
    if x[0] < 0: message += "negative;"
    if x[1] > 2: message += "large;"
    return message
def f(x):
    m = validate(x)
    if m: return 1000.0 * m.count(";") + len(m)
    return x[0] + x[1]

#: an attribute that is None at first | compiled
class State:
    def __init__(self): self.best = None
    def offer(self, v):
        if v > 0 and (self.best is None or v < self.best): self.best = v
def f(x):
    s = State()
    s.offer(x[0])
    s.offer(x[1])
    return -1.0 if s.best is None else s.best

#: isinstance, callable, float, str of several kinds | compiled
def f(x):
    v = None if x[0] > 1 else (x[0] if x[0] > 0 else "text")
    a = 1.0 if isinstance(v, str) else 2.0
    b = 1.0 if isinstance(v, (float, int)) else 2.0
    c = 1.0 if callable(v) else 2.0
    d = 1.0 if v else 2.0
    e = len(v) if isinstance(v, str) else 0
    return a + 3 * b + 7 * c + 13 * d + 29 * e

#: arithmetic with None is the lane's own exception | compiled | raises = TypeError
def f(x):
    v = None if x[0] > 1 else x[0]
    return v * 2 + x[1]

#: arithmetic with None, caught | compiled
def f(x):
    v = None if x[0] > 1 else x[0]
    try:
        return v * 2 + x[1]
    except TypeError:
        return -1.0

#: assert and conditional calls of several kinds | compiled | raises = AssertionError
def double(v): return 2 * v
def f(x):
    g = double if x[0] > 0 else abs
    assert (x[1] if x[1] < 3 else None) is not None
    return g(x[1])

#: an index and a key of several kinds | compiled | raises = TypeError
def f(x):
    i = 0 if x[0] > 0 else None
    t = {None: 3.0, 0: 4.0}
    return t[i] + [10.0, 20.0][i]

#: default arguments and f-strings of several kinds | compiled
def g(v, limit=None):
    return v if limit is None else min(v, limit)
def f(x):
    limit = None if x[0] > 0 else x[0]
    text = f"{limit} of {x[1]}"
    return g(x[1], limit) + g(x[1]) + g(x[1], limit=2.0 if x[0] > 1 else None)

#: any and all of several kinds | compiled
def f(x):
    rules = [None if x[0] > 0 else "x0", None if x[1] > 0 else "x1"]
    a = 1.0 if any(rules) else 2.0
    b = 1.0 if all(r is None for r in rules) else 2.0
    c = sum(1 for r in rules if r)
    d = len([r for r in rules if r is not None])
    return a + 3 * b + 7 * c + 13 * d

#: errors that are collected | compiled
def errors(x):
    found = [None, None]
    if x[0] < 0: found[0] = "low"
    if x[1] > 1: found[1] = "high"
    return found
def f(x):
    e = errors(x)
    if e[0] is None and e[1] is None: return x[0] + x[1]
    return 100.0 if e[0] else 200.0

#: the same list under two names on some lanes | cpython
def f(x):
    a = [1.0, x[0]]
    b = [2.0, x[1]]
    c = a if x[0] > 0 else b
    return 1.0 if c is a else 2.0

#: a range is no tuple, a view of a dict no list | n = 3
def f(x):
    r = range(2)
    a = 1.0 if r == (0, 1) else 2.0
    d = {1: x[0]}
    b = 1.0 if isinstance(r, tuple) else 2.0
    return a + 3 * b + x[0]

#: truth of objects that say so themselves | compiled
class Box:
    def __init__(self, v): self.v = v
    def __bool__(self): return self.v > 0
class Bag:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
def f(x):
    return (1.0 if Box(x[0]) else 2.0) + (4.0 if Bag(0) else 8.0) + (16.0 if not Bag(2) else 32.0)

#: equality of objects that say so themselves
class Point:
    def __init__(self, a): self.a = a
    def __eq__(self, other): return other is None or self.a == other.a
def f(x):
    return (1.0 if Point(1) == None else 2.0) + (4.0 if Point(x[0]) == Point(1.0) else 8.0)

#: more than eight texts | cpython
def name(v):
    return ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][int(abs(v)) % 10 if abs(v) < 1e9 else 0]
def f(x):
    return 1.0 if name(x[0]) == "c" else 2.0

#: functions made on some lanes | raises = TypeError
def f(x):
    if x[0] > 0:
        k = x[0] * 2
        g = lambda v: v + k
    else:
        g = None
    return g(x[1])

#: appended on every lane, of several kinds | compiled
def f(x):
    log = []
    log.append(None if x[0] > 0 else x[0])
    log.append("t" if x[1] > 0 else None)
    return (1.0 if log[0] is None else log[0]) + (3.0 if log[1] == "t" else 4.0) + len(log)

#: a loop over None or numbers | compiled
def f(x):
    total = 0.0
    for v in [x[0] if x[0] > 0 else None, x[1] if x[1] > 0 else None, 2.0]:
        if v is None: continue
        total += v
    return total

#: walrus and chained comparisons of several kinds | compiled | raises = TypeError
def g(v): return v if v > 0 else None
def f(x):
    if (a := g(x[0])) is not None and 0 < a < 3: return a
    return 0 < g(x[1]) < 2

#: the type of a value that is missing on some lanes, in a filter | at = 1.855 1; 0.5 1
def f(x):
    return sum((v for v in x if type({0: v, 1: 3, 2: 0.1}.get(int(x[0]))).__name__ == 'int'))

#: a number of several types or None: is it an int? | at = 1.5 1; 0.5 1
def f(x):
    r = {0: x[0], 1: 3, 2: 0.1}.get(int(x[0]))
    return 1.0 if isinstance(r, int) else 2.0

#: a number of several types or None: its type | at = 1.5 1; 0.5 1
def f(x):
    r = {0: x[0], 1: 3, 2: 0.1}.get(int(x[0]))
    return 1.0 if type(r) is int else 2.0

#: a function that gives numbers of two types or nothing
def f(x):
    def g():
        if x[0] > 0:
            return 2 if x[1] > 0 else 1.5
    t = g()
    return 1.0 if isinstance(t, int) else 0.0

#: a number of two types or a text
def f(x):
    t = (2 if x[1] > 0 else 1.5) if x[0] > 0 else "a"
    return 1.0 if isinstance(t, int) else 0.0

#: NumPy's number or an integer or a text divides
import numpy as np
def f(x):
    t = (max(0, np.float64(x[1]))) if x[0] > 0 else "a"
    try:
        return 0.0 if t == "a" else 1.0 / t
    except ZeroDivisionError:
        return 9.0

#: an array of integers or floats, or nothing
import numpy as np
def f(x):
    if x[0] > 0:
        a = np.array([max(0, x[1]), 1])
    else:
        a = None
    if a is None:
        return 3.0
    a[0] = 0.5
    return np.sum(a)

#: integers and floats of a list by the index of a loop | n = 2 300 | compiled
def f(x):
    w = [1, 2.5] * 200
    n = 0
    for i in range(len(x)):
        if isinstance(w[i], int):
            n += x[i]
    return n

#: integers and floats in pairs with the elements | n = 2 300 | compiled
def f(x):
    n = 0
    for w, v in zip([1, 2.5] * 200, x):
        if type(w) is int:
            n += v
    return n

#: integers and floats of a matrix of lists | n = 2 300 | compiled
def f(x):
    w = [[x[0], 1], [2.5, 3]] * 200
    n = 0
    for i in range(len(x)):
        if isinstance(w[i][1], int):
            n += x[i]
    return n

#: rows of integers and rows of floats as arrays | n = 2 300 | compiled
import numpy as np
def f(x):
    w = [[1, 2], [2.5, 3]] * 200
    n = 0
    for i in range(len(x)):
        a = np.array(w[i])
        a[0] = 0.7
        n += np.sum(a)
    return n

#: text that depends on x is in a text or not
def f(x):
    return 1.0 if str(x) in "lowbad" else 2.0

#: text that depends on x is in a text or not, and what raises is caught
def f(x):
    try:
        return 1.0 if f"{x[0]}" not in "nan" else 2.0
    except TypeError:
        return 3.0

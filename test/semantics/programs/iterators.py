#: next of what is chosen by a function that counts
def f(x):
    seen = []
    def chosen(v):
        seen.append(v)
        return v > 0
    r = next((v for v in x if chosen(v)), -9.0)
    return len(seen) + 10 * r

#: next stops before what raises | n = 3 | at = 2 0 1; 0 1 1
def f(x):
    try:
        return next(v for v in x if 1 / v > 0)
    except ZeroDivisionError:
        return -1.0
    except StopIteration:
        return -2.0

#: zip asks the first for one more | n = 3
def f(x):
    n = 0
    def counted(v):
        nonlocal n
        n += 1
        return v * 2
    return sum(a * b for a, b in zip((counted(v) for v in x), x[:1])) + n

#: zip does not ask the second for one more | n = 3 | at = 1 0 0; -3 2 0
def f(x):
    try:
        return sum(p * q for p, q in zip(x[:1], (1 / v for v in x)))
    except ZeroDivisionError:
        return -1.0

#: two iterators over one state take turns | n = 3
class S:
    def __init__(self): self.n = 1.0
    def a(self, v):
        self.n = self.n * 2 + v
        return self.n
def f(x):
    s = S()
    return sum(p * q for p, q in zip(map(s.a, x), map(s.a, x)))

#: a loop leaves a generator before it raises | n = 3 | at = 1 0 0; 2 1 0
def f(x):
    t = 0.0
    try:
        for q in (1 / v for v in x):
            t += q
            if q > 0.3: break
    except ZeroDivisionError:
        t += 100
    return t

#: a loop and its generator take turns | n = 3
def f(x):
    n = 1.0
    t = 0.0
    for q in ((n := n * 2 + v) for v in x):
        t = t * 3 + q + n
    return t

#: a loop and a filter that counts take turns | n = 3
class S:
    def __init__(self): self.n = 1.0
    def a(self, v):
        self.n = self.n * 2 + v
        return self.n
def f(x):
    t = 0.0
    s = S()
    for q in (v for v in x if s.a(v) > 0):
        t = t * 2 + q + s.n
    return t

#: a comprehension and its source take turns | n = 3
class S:
    def __init__(self): self.n = 1.0
    def a(self, v):
        self.n = self.n * 2 + v
        return self.n
def f(x):
    s = S()
    return sum(v * s.n for v in map(s.a, x)) + sum([s.a(p) + q for q in (s.a(v) for v in x) for p in x])

#: in, any and all stop before what raises | n = 3 | at = 1 2 0; 1 0 0; 0 0 0
def f(x):
    t = 0.0
    try:
        t += 1.0 if 1.0 in (1 / v for v in x) else 2.0
    except ZeroDivisionError:
        t += 5.0
    try:
        t += 10.0 if any(map(lambda v: 1 / v > 0.5, x)) else 20.0
    except ZeroDivisionError:
        t += 50.0
    try:
        t += 100.0 if any(1 / a > b for a in x for b in x) else 200.0
    except ZeroDivisionError:
        t += 500.0
    return t

#: arguments behind an iterator are evaluated before its items
class S:
    def __init__(self): self.n = 1.0
    def a(self, v):
        self.n = self.n * 2 + v
        return self.n
def f(x):
    s = S()
    return sum(map(s.a, x), s.n)

#: an iterator in a tuple
class S:
    def __init__(self): self.n = 1.0
    def a(self, v):
        self.n = self.n * 2 + v
        return self.n
def f(x):
    s = S()
    t = (map(s.a, x), s.n)
    return t[1] + sum(t[0])

#: a list that grows by what reads it
def f(x):
    a, b, c = [x[0]], [x[0]], [x[0]]
    a.extend(a[-1] + v for v in x)
    b += (b[-1] + v for v in x)
    c.extend(map(lambda v: c[-1] + v, x))
    return a[-1] + 10 * b[-1] + 100 * c[-1]

#: a generator function with a list of its own | n = 3 | compiled
def sums(values):
    seen = []
    for v in values:
        seen.append(v)
        yield sum(seen)
def f(x):
    t = 0.0
    for s in sums(x):
        t = t * 2 + s
    return t

#: a generator function that hands out its own list | n = 3
def parts(values):
    seen = []
    for v in values:
        seen.append(v)
        yield seen
def f(x):
    t = 0.0
    for s in parts(x):
        t = t * 2 + len(s) * x[0]
    return t

#: generators that only compute, used one by one | n = 3 | compiled
def f(x):
    t = 0.0
    for q in (v * 2 for v in x):
        t = t * 3 + q
        if t > 5: break
    return t + sum(a * b for a, b in zip((v + 1 for v in x), x[1:])) + (x[1] in (v - 1 for v in x))

#: a view of a dict that has changed since
def f(x):
    d = {'a': x[0]}
    vs = d.values()
    d['a'] = x[1]
    d['c'] = 4.0
    return sum(vs)

#: items of a large dict that changes in the loop or before it | n = 60
def f(x):
    d = {k: v for k, v in enumerate(x)}
    items = d.items()
    d[3] = 7.0
    t = sum(k * v for k, v in items)
    for k, v in d.items():
        d[k] = v * 2
        t = t / 2 + v
    return t + max(d.values())

#: what a loop runs over calls a method of an object that the loop changes
class S:
    def __init__(self): self.s = 1.0
    def get(self, v): return v * self.s
    def __call__(self, v): return v * self.s
def f(x):
    o = S()
    t = 0.0
    for v in map(o.get, x):
        o.s += 1
        t = t * 2 + v
    for v in map(o, x):
        o.s += 1
        t = t * 2 + v
    return t

#: what a loop runs over calls a function with an object that the loop changes
import itertools
class S:
    def __init__(self): self.s = 1.0
    def add(self, a, b): return a + b * self.s
def get(v, o): return v * o.s
def f(x):
    o = S()
    t = 0.0
    for v in map(get, x, [o, o]):
        o.s += 1
        t = t * 2 + v
    for v in itertools.accumulate(x, o.add):
        o.s += 1
        t = t * 2 + v
    return t

#: what a loop runs over looks into a dict that the loop changes
def f(x):
    d = {0: 1.0, 1: 2.0}
    t = 0.0
    for v in map(d.get, [0, 1]):
        d[1] = x[0]
        t = t * 2 + v
    return t

#: what a loop runs over reads a variable of the module that the loop changes
G = 1.0
def get(v): return v * G
def f(x):
    global G
    G = 1.0
    t = 0.0
    for v in (get(w) for w in x):
        G += 1
        t = t * 2 + v
    for v in map(get, x):
        G += 1
        t = t * 2 + v
    return t

#: functions of numbers, one by one | n = 3 | compiled
def double(v): return v * 2
def f(x):
    t = 0.0
    for v in map(double, x): t = t * 2 + v
    for v in map(abs, x): t = t * 2 + v
    for v in (double(w) for w in x): t = t * 2 + v
    return t

#: a list grows by what functions defined elsewhere read of it
def f(x):
    L = [1.0, x[0]]
    M = L
    h = lambda v: v + len(L)
    L.extend(map(h, x))
    L += (v + sum(M) for v in x)
    return L[-1] + L[2] * 2

#: a deque and a dict grow by generators that read them
from collections import deque
def f(x):
    q = deque([x[0]])
    d = {0: x[0]}
    def g():
        for v in x: yield v + len(q)
    def p():
        for k, v in enumerate(x): yield k + 1, v + len(d)
    q.extend(g())
    d.update(p())
    return q[-1] + d[2]

#: a list grows by a method's generator and by an object that runs over it
class C:
    def __init__(self, L): self.L = L
    def __iter__(self):
        for v in [1.0, 2.0]: yield v + len(self.L)
def f(x):
    L = [x[0]]
    L.extend(C(L))
    return L[-1]

#: a list that its key reads is empty while it is sorted
def f(x):
    L = [x[0], x[1], 1.0]
    seen = []
    def k(v):
        seen.append(len(L))
        return v
    L.sort(key=k)
    return L[0] + sum(seen)

#: the largest of a list that the key changes
def f(x):
    L = [x[0], x[1], 1.0]
    def k(v):
        L[2] = 9.0
        return v
    return max(L, key=k) + L[2]

#: containers that grow by what reads others | n = 2 | compiled
def f(x):
    L, w = [], [1.0, 2.0]
    d = {}
    L.extend(v * w[i] for i, v in enumerate(x))
    L += map(lambda v: v + w[0], x)
    d.update((i, v * w[i]) for i, v in enumerate(x))
    L.sort(key=lambda v: -v * w[1])
    return L[0] + L[-1] * 2 + d[1]

#: comprehensions over a list that they change
def f(x):
    L = [x[0], x[1], 1.0]
    def k(v):
        L[2] = 9.0
        return v
    return sum([k(v) for v in L])

#: generators with effects of their own fill a slice whose bounds they change
def f(x):
    L = [x[0], x[1], 1.0]
    L[len(L) - 1:] = (L.pop() + v for v in x)
    return L[0] + len(L) * 10 + L[-1]

#: a comprehension over an iterator over a list that its body changes | cpython
def f(x):
    L = [x[0], x[1], 1.0]
    def k(v):
        L[2] = 9.0
        return v
    return {i: k(v) for i, v in enumerate(L)}[2]

#: any over an iterator over a list that its condition changes late | cpython
def f(x):
    L = [0.0, 0.0, 0.0, x[0]]
    def k(i, v):
        if i == 0: L[3] = 7.0
        return v == 7.0
    return 1.0 if any(k(i, v) for i, v in enumerate(L)) else 2.0

#: a list comprehension over zip whose body changes what is still to come | cpython
def f(x):
    L = [x[0], x[1], 1.0]
    def k(a, b):
        L[2] = 4.0
        return a * b
    return sum([k(a, b) for a, b in zip(L, [1.0, 2.0, 3.0])])

#: a comprehension over an iterator whose body changes another list | compiled
def f(x):
    L = [x[0], x[1], 1.0]
    seen = [0.0, 0.0, 0.0]
    def k(i, v):
        seen[i] = v * 2
        return v
    d = {i: k(i, v) for i, v in enumerate(L)}
    return d[2] + seen[0] + seen[2]

#: a comprehension over an iterator whose body changes what has passed | compiled
def f(x):
    L = [x[0], x[1], 1.0]
    def k(i, v):
        L[i] = v * 2
        return v
    d = {i: k(i, v) for i, v in enumerate(L)}
    return d[2] + L[0] + L[2]

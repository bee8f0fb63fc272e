#: late-bound lambdas in a list | n = 3
def f(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v * k)
    return fs[0](x[0]) + fs[1](x[1])

#: early-bound by a default
def f(x):
    fs = [lambda v, k=k: v * k for k in range(3)]
    return fs[0](x[0]) + fs[1](x[1]) * 10 + fs[2](1.0)

#: late-bound lambdas of a comprehension
def f(x):
    fs = [lambda v: v * k for k in range(3)]
    return fs[0](x[0]) + fs[1](x[1])

#: comprehension variables stay inside
def f(x):
    k = 100.0
    s = sum([k * v for k, v in enumerate(x)])
    return s + k

#: a nested comprehension reads the outer variable
def f(x):
    return sum(sum(a * b for b in x) for a in x)

#: a walrus in a comprehension binds outside
def f(x):
    y = 0.0
    s = sum([(y := v) for v in x])
    return s + y * 10

#: a walrus in a filter
def f(x):
    last = -1.0
    t = [last for v in x if (last := v) > 0]
    return last + len(t) * 100

#: class body names are not seen by methods or comprehensions
k = 5.0
class A:
    k = 2.0
    values = [k]
    def get(self):
        return k
def f(x):
    return A().get() * x[0] + A.values[0]

#: a name that becomes local raises | raises = UnboundLocalError
y = 3.0
def f(x):
    if x[0] > 0:
        y = 1.0
    return y

#: del unbinds | raises = UnboundLocalError
def f(x):
    y = x[0]
    if x[1] > 0:
        del y
    return y

#: arguments are bound by reference
def change(items):
    items[0] = 100.0
    items = [1.0]
    items[0] = 5.0
    return items[0]
def f(x):
    a = [x[0], x[1]]
    r = change(a)
    return r + a[0]

#: a default list made in the call persists within it
def f(x):
    def g(v, acc=[]):
        acc.append(v)
        return len(acc)
    return g(x[0]) + g(x[1]) * 10

#: a slice of a list is a copy
def f(x):
    a = [x[0], x[1], 3.0]
    b = a[:]
    b[0] = 50.0
    return a[0] + b[0]

#: two names of one list
def f(x):
    a = [x[0], x[1]]
    b = a
    b += [7.0]
    b[0] = 1.0
    return a[0] + len(a)

#: list times in place keeps the alias
def f(x):
    a = [x[0], x[1]]
    b = a
    b *= 2
    return len(a) + len(b) * 10 + a[-1]

#: list plus makes a new one
def f(x):
    a = [x[0]]
    b = a
    b = b + [1.0]
    return len(a) + len(b) * 10

#: rows of a repeated list are one list
def f(x):
    m = [[0.0] * 2] * 2
    m[0][0] = x[0]
    return m[1][0] + m[1][1]

#: tuple in place makes a new one
def f(x):
    a = (x[0],)
    b = a
    b += (x[1],)
    return len(a) + len(b) * 10

#: the candidate as a list is changed and read again
def f(x):
    x[0] = x[0] + 1
    y = x
    y[1] = 3.0
    return x[0] + x[1]

#: swap in a tuple assignment
def f(x):
    a = list(x)
    a[0], a[1] = a[1], a[0]
    return a[0] * 10 + a[1]

#: targets are assigned from left to right
def f(x):
    a = [0.0, 0.0, 0.0]
    i = 0
    i, a[i] = 1, x[0]
    return a[0] * 10 + a[1]

#: chained assignment shares the object
def f(x):
    a = b = [x[0]]
    a.append(x[1])
    return len(b) + b[1]

#: augmented assignment reads the target before the operand
def f(x):
    a = [x[0], 1.0]
    def g():
        a[0] = 100.0
        return 1.0
    a[0] += g()
    return a[0]

#: a chained comparison evaluates the middle once | row = 22
def f(x):
    n = [0]
    def g(v):
        n[0] += 1
        return v
    r = 0.0
    if g(x[0]) < g(x[1]) < g(3.0):
        r = 1.0
    return r + n[0] * 10

#: a chained comparison stops early
def f(x):
    if x[0] < 0 < 1 / x[0]:
        return 1.0
    return 2.0

#: a chain of different operators | n = 3
def f(x):
    return 1.0 if x[0] <= x[1] != x[2] > -1 else 0.0

#: chain in a chain
def f(x):
    return (x[0] < x[1]) + (x[0] == x[0] == x[1]) * 2 + (1 < 2 < x[0]) * 4

#: and and or give operands | row = 23
def f(x):
    return (x[0] and x[1]) + (x[0] or 3.0) * 10 + (0 or None or 5.0) + ([] and 1 or 2)

#: or with a default list
def f(x):
    a = [] or [x[0]]
    b = [x[1]] and [7.0]
    return a[0] + b[0]

#: not gives bool
def f(x):
    return (not x[0]) + (not x[1]) * 2 + (not []) + (not None)

#: the side not taken raises nothing
def f(x):
    return 0.0 if x[0] == 0 else 1 / x[0]

#: and shields a division
def f(x):
    return 1.0 if x[0] != 0 and 1 / x[0] > 2 else 0.0

#: conditional expressions nest to the right
def f(x):
    return 1.0 if x[0] > 1 else 2.0 if x[0] > 0 else 3.0 if x[1] > 0 else 4.0

#: else of a while loop
def f(x):
    n = 0
    while n < x[0]:
        n += 1
        if n == 3:
            break
    else:
        n += 100
    return n

#: else of a for loop with a break deep inside | n = 3
def f(x):
    for a in x:
        for b in x:
            if a * b < 0:
                break
        else:
            continue
        break
    else:
        return 100.0
    return a + b * 10

#: the loop variable survives the loop
def f(x):
    for k in range(5):
        if k > x[0]:
            break
    return k

#: an empty loop leaves its variable unbound | raises = UnboundLocalError
def f(x):
    for k in range(int(x[0])):
        pass
    return k

#: the loop variable may be changed in the body
def f(x):
    t = 0.0
    for k in range(4):
        t += k
        k = 100
    return t + k + x[0]

#: range is evaluated once
def f(x):
    n = 3
    t = 0
    for k in range(n):
        n = 10
        t += 1
    return t + x[0]

#: a list that grows while it is run over
def f(x):
    a = [1.0, 2.0]
    t = 0.0
    for v in a:
        t += v
        if len(a) < 5:
            a.append(v + x[0])
    return t

#: items changed ahead of the loop
def f(x):
    a = [1.0, 2.0, 3.0]
    t = 0.0
    for k, v in enumerate(a):
        t += v
        if k == 0:
            a[2] = x[0]
    return t

#: a generator can be used once
def f(x):
    g = (v for v in x)
    return sum(g) + sum(g)

#: a generator sees later changes
def f(x):
    k = 1.0
    g = (v * k for v in x)
    k = 3.0
    return sum(g)

#: a generator with side effects runs when it is used
def f(x):
    a = [1.0, 2.0, 3.0, 4.0]
    g = (a.pop() for _ in range(2))
    n = len(a)
    s = sum(g)
    return n * 100 + len(a) * 10 + s + x[0]

#: zip stops at the shortest
def f(x):
    return sum(a * b for a, b in zip(x, [1.0, 2.0, 3.0, 4.0]))

#: zip of a generator takes one too many
def f(x):
    g = (v for v in [1.0, 2.0, 3.0, 4.0])
    s = 0.0
    for a, b in zip(g, x):
        s += a * b
    return s + sum(g)

#: enumerate from a start
def f(x):
    return sum(k * v for k, v in enumerate(x, 5))

#: reversed and slices with negative steps | n = 4
def f(x):
    return sum(k * v for k, v in enumerate(reversed(x))) + x[::-1][0] + x[::-2][1] * 10 + x[3:0:-1][0] * 100 + len(x[5:2]) + len(x[-3:-1]) * 1000

#: negative indices wrap once | n = 3 | row = 20
def f(x):
    return x[-1] + x[-3] * 10

#: an index too low raises | n = 3 | raises = IndexError | row = 20
def f(x):
    return x[-4]

#: an index too high raises | n = 3 | raises = IndexError | row = 20
def f(x):
    return x[3]

#: an index that depends on x wraps once | n = 3 | raises = IndexError ValueError OverflowError | row = 20
def f(x):
    return [10.0, 20.0, 30.0][int(x[0])]

#: slices clamp | n = 3 | row = 20
def f(x):
    return len(x[1:100]) + len(x[-100:2]) * 10 + len(x[2:1]) * 100 + sum(x[-2:])

#: a float is no index | raises = TypeError
def f(x):
    return x[1.0]

#: bools are indices
def f(x):
    return x[True] + x[False] * 10

#: a bool that depends on x is an index
def f(x):
    return [10.0, 20.0][x[0] > 0]

#: star arguments
def g(a, b=2.0, *rest, c=3.0, **named):
    return a + b * 10 + sum(rest) * 100 + c * 1000 + sum(named.values()) * 1e4
def f(x):
    return g(x[0]) + g(*x) + g(*x, 1.0, 2.0, c=4.0, d=5.0) + g(x[0], **{"b": 1.0, "e": 2.0})

#: starred unpacking | n = 4
def f(x):
    a, *b, c = x
    *d, e = b
    return a + sum(b) * 10 + c * 100 + len(d) + e

#: nested unpacking
def f(x):
    (a, b), [c, *d] = (x[0], x[1]), [1.0, 2.0, 3.0]
    return a + b * 10 + c + sum(d)

#: unpacking in calls and displays
def f(x):
    a = [*x, 1.0, *x]
    b = (*x,)
    return sum(a) + len(a) + b[0]

#: recursion of static depth
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)
def f(x):
    return fact(5) * x[0] + fact(len(x))

#: recursion that depends on x | raises = RecursionError
def g(v):
    return 0.0 if v < 1 else 1.0 + g(v - 1)
def f(x):
    return g(x[0])

#: mutual recursion
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
def f(x):
    return even(10) + odd(7) * 10 + x[0]

#: a closure sees the last value
def f(x):
    k = 1.0
    def g():
        return k * x[0]
    a = g()
    k = 10.0
    return a + g()

#: nonlocal
def f(x):
    n = 0
    def g():
        nonlocal n
        n += 1
        return n
    return g() + g() * 10 + x[0]

#: closures of two calls are apart
def make(k):
    def g(v):
        return v * k
    return g
def f(x):
    a, b = make(2.0), make(3.0)
    return a(x[0]) + b(x[1])

#: shadowed builtins
def f(x):
    max = lambda a, b: a - b
    len = 7.0
    return max(x[0], x[1]) + len

#: a module-level name that shadows a builtin
def abs(v):
    return 5.0
def f(x):
    return abs(x[0]) + x[1]

#: a helper returns on some lanes only | raises = TypeError
def g(v):
    if v > 0:
        return v
def f(x):
    return g(x[0]) + 1

#: None is compared with is
def g(v):
    if v > 0:
        return v
    return None
def f(x):
    r = g(x[0])
    return -1.0 if r is None else r

#: early returns in a helper inside a loop | n = 4
def clip(v):
    if v < -1:
        return -1.0
    if v > 1:
        return 1.0
    return v
def f(x):
    t = 0.0
    for v in x:
        t = t * 0.5 + clip(v)
    return t

#: while True with a state machine
def f(x):
    state = 0
    v = x[0]
    n = 0
    while True:
        n += 1
        if state == 0:
            state = 1 if v > 0 else 2
        elif state == 1:
            v -= 1.5
            if v < 0:
                state = 2
        else:
            break
        if n > 10:
            return -100.0
    return v + n * 10

#: dicts keep their order and their first key
def f(x):
    d = {1: x[0], 2: x[1]}
    d[1.0] = 5.0
    d[True] = 6.0
    t = 0.0
    for k in d:
        t = t * 10 + k
    return t + d[1] + len(d) * 100

#: dict methods
def f(x):
    d = {"a": x[0], "b": x[1]}
    d["c"] = 3.0
    d["a"] += 1
    return sum(d.values()) + d.get("z", 5.0) + len(d) + ("b" in d) + sum(v for k, v in d.items() if k != "a")

#: dict of lists
def f(x):
    d = {"p": [x[0]], "q": [x[1], 2.0]}
    d["p"].append(4.0)
    return sum(len(v) for v in d.values()) + d["p"][-1]

#: negative zero as a key
def f(x):
    d = {0.0: 1.0}
    return d[-0.0] + d[0] + x[0]

#: membership by identity or equality | n = 3
def f(x):
    return (x[0] in x) + (x.count(x[0])) * 10 + (x.index(x[2])) * 100

#: a list equals itself
def f(x):
    return 1.0 if x == x else 2.0

#: lists with equal items
def f(x):
    return (x == list(x)) + (x == [x[0], x[1]]) * 2 + (x != [1.0]) * 4

#: nan in a list literal
def f(x):
    n = float("nan")
    return (n in [n]) + (n == n) * 2 + ([n] == [n]) * 4 + x[0]

#: list methods change in place
def f(x):
    a = [3.0, 1.0, 2.0]
    b = a
    a.sort()
    a.reverse()
    a.insert(1, x[0])
    a.extend([5.0, 6.0])
    v = a.pop(0)
    return v + b[0] * 10 + b[-1] * 100 + len(b) * 1000

#: sort returns None | raises = TypeError
def f(x):
    a = [2.0, 1.0].sort()
    return a[0] + x[0]

#: insert beyond the ends
def f(x):
    a = [1.0, 2.0]
    a.insert(100, x[0])
    a.insert(-100, x[1])
    a.insert(-1, 9.0)
    return a[0] + a[1] * 10 + a[-1] * 100 + a[-2] * 1000

#: list pop of a negative index
def f(x):
    a = [x[0], 2.0, 3.0, 4.0]
    return a.pop(-2) + a.pop(0) * 10 + len(a)

#: slice assignment
def f(x):
    a = [1.0, 2.0, 3.0]
    a[0:2] = [x[0]]
    return sum(a) + len(a) * 10

#: del of an item
def f(x):
    a = [x[0], 2.0, 3.0]
    del a[1]
    return sum(a) + len(a) * 10

#: sorted with a key
def f(x):
    return sorted([3.0, -1.0, 2.0], key=lambda v: -v)[0] + sorted(x, key=abs)[0]

#: sorted in reverse is stable
def f(x):
    a = sorted([(1.0, 2.0), (1.0, 1.0), (0.0, 5.0)], key=lambda t: t[0], reverse=True)
    return a[0][1] + a[1][1] * 10 + x[0]

#: max with a key and ties
def f(x):
    pairs = [(1.0, x[0]), (2.0, x[1]), (3.0, x[0])]
    return max(pairs, key=lambda p: p[1])[0] + min(pairs, key=lambda p: p[1])[0] * 10

#: max with a default
def f(x):
    return max([], default=x[0]) + min((v for v in x if False), default=1.0)

#: string formatting on a guard path
def f(x):
    if x[0] > 1e299:
        raise ValueError(f"too large: {x[0]:.3f} at {x}")
    return x[0]

#: print has side effects through its arguments
def f(x):
    a = [1.0, 2.0, 3.0]
    print(a.pop())
    print("value", x[0], f"{x[1]:.2f}")
    return len(a) + x[0]

#: print of something that raises | raises = ZeroDivisionError
def f(x):
    print(1 / x[0])
    return x[1]

#: docstrings, ellipsis and pass
def f(x):
    """A docstring."""
    ...
    pass
    "another string"
    return x[0]

#: if main
def f(x):
    return x[0] + x[1]
if __name__ == "__main__":
    print(f([1.0, 2.0]))
    f = None

#: global constants from tuples and conditionals
import math
A, B = 2.0, 3.0
C = A if A > B else B
TABLE = [math.sqrt(k) for k in range(4)]
D = {k: v for k, v in zip("abc", TABLE)}
def f(x):
    return A * x[0] + B * x[1] + C + TABLE[3] + D["c"]

#: a module-level loop and a helper
W = []
for k in range(4):
    W.append(k * 0.5)
total = 0
while total < 10:
    total += 3
def f(x):
    return W[3] * x[0] + total

#: the last definition counts
def f(x):
    return 1.0
def f(x):
    return x[0] + 2.0

#: type hints and defaults
from typing import List
def f(x: List[float], scale: float = 2.0) -> float:
    y: float = x[0]
    z: int
    return y * scale

#: objects with state in the call
class Counter:
    step = 2
    def __init__(self, start):
        self.n = start
    def bump(self, by=None):
        self.n += self.step if by is None else by
        return self
def f(x):
    c = Counter(x[0])
    d = c
    d.bump().bump(10)
    return c.n + Counter.step

#: inheritance and super
class A:
    def __init__(self, k):
        self.k = k
    def value(self, v):
        return v * self.k
class B(A):
    def __init__(self, k):
        super().__init__(k + 1)
    def value(self, v):
        return super().value(v) + 0.5
def f(x):
    return B(2.0).value(x[0])

#: class attributes shadowed by the instance
class A:
    k = 1.0
def f(x):
    a, b = A(), A()
    a.k = x[0]
    return a.k + b.k * 10 + A.k * 100

#: operators of a class
class V:
    def __init__(self, a):
        self.a = a
    def __add__(self, other):
        return V(self.a + other.a)
    def __mul__(self, k):
        return V(self.a * k)
def f(x):
    return (V(x[0]) + V(x[1]) * 3.0).a

#: a bool is an int
def f(x):
    return True + True + (x[0] > 0) * 3 + isinstance(True, int) + (-True) * 10 + (True / 2) + True ** 2

#: is between equal numbers
def f(x):
    return 1.0 if x is not None and x[0] is not None else 2.0

#: match statement
def f(x):
    match len(x):
        case 1:
            return x[0]
        case 2:
            return x[0] + x[1]
        case _:
            return 0.0

#: nested functions with the same names
def f(x):
    def g(x):
        def f(x):
            return x + 1
        return f(x) * 2
    return g(x[0])

#: lambda in a dict
def f(x):
    ops = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b}
    return ops["add"](x[0], x[1]) * 10 + ops["sub"](x[0], x[1])

#: function attributes and identity
def g(v):
    return v
def f(x):
    h = g
    return (h is g) + h(x[0])

#: tuple comparison
def f(x):
    return 1.0 if (x[0], x[1]) < (1.0, 2.0) else 0.0

#: string comparison and membership
def f(x):
    mode = "linear"
    return x[0] * (2.0 if mode == "linear" else 3.0) + ("lin" in mode) + (mode != "x") + len(mode)

#: multiple exits in nested loops | n = 4
def f(x):
    c = 0
    for i in range(len(x)):
        for j in range(i):
            c += 1
            if x[i] < x[j]:
                break
            if x[i] == x[j]:
                continue
            if x[i] > x[j] + 3:
                return c * 100
        else:
            c += 10
    return c

#: all and any stop
def f(x):
    n = [0]
    def g(v):
        n[0] += 1
        return v > 0
    a = all(g(v) for v in x)
    b = any(g(v) for v in x)
    return a + b * 2 + n[0] * 10

#: all and any of a list evaluate everything | raises = ZeroDivisionError
def f(x):
    return any([v == 0 for v in x]) + all([1 / v > 0 for v in x]) * 2

#: iterating a dict while reading
def f(x):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for k, v in sorted(d.items()):
        t = t * 2 + v
    return t

#: two generators interleaved
def f(x):
    g = iter(x)
    return sum(a - b for a, b in zip(g, g))

#: semicolons, line continuation and odd spacing
def f(x): a = x[0]; b = \
        x[1]; return (a
                      + b
  )

#: unicode names are normalised
def f(x):
    ﬁ = x[0]
    return fi + 1.0

#: numbers in all notations
def f(x):
    return x[0] * 1_000 + 0xFF + 0b101 + 0o17 + 1e-3 + .5 + 5. + 1E5 + 00

#: precedence | row = 25
def f(x):
    a, b = x
    return -2 ** 2 + 2 ** -1 + 2 ** 3 ** 2 + (-a ** 2) + (not a == b) + (1 if a else 2) * 3 + 7 // 2 * 3 % 5 + (5 & 3 | 4 ^ 1) + (1 << 2 + 1) + ~3

#: attributes in a diamond of classes
class A:
    m = 1.0
    def who(self):
        return 1.0
class B(A):
    pass
class C(A):
    m = 2.0
    def who(self):
        return 2.0 + super().who() * 10
class D(B, C):
    pass
def f(x):
    return D().m * x[0] + D().who() * 100

#: super in a diamond goes to the sibling
class A:
    def v(self):
        return [1.0]
class B(A):
    def v(self):
        return [2.0] + super().v()
class C(A):
    def v(self):
        return [3.0] + super().v()
class D(B, C):
    def v(self):
        return [4.0] + super().v()
def f(x):
    return sum(k * v for k, v in enumerate(D().v())) + x[0]

#: classes in no consistent order
class A:
    pass
class B(A):
    pass
try:
    class C(A, B):
        pass
    bad = 0.0
except TypeError:
    bad = 1.0
def f(x):
    return bad + x[0]

#: an attribute that is not there fails a pattern | compiled
class P:
    pass
def f(x):
    p = P()
    p.a = x[0]
    try:
        match p:
            case P(a=_, b=_):
                return 100.0
            case P(a=v):
                return v
    except AttributeError:
        return 200.0

#: an attribute that some lanes have
class P:
    pass
def f(x):
    p = P()
    if x[0] > 0:
        p.a = 2.0
    try:
        match p:
            case P(a=v):
                return v
            case _:
                return 5.0
    except AttributeError:
        return 7.0

#: a deque matches a sequence
from collections import deque
def f(x):
    match deque([x[0], 2.0]):
        case [a, b]:
            return a + b
        case _:
            return 100.0

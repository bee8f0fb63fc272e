#: a class body is no scope around its comprehensions | list
def f(x):
    n = 3.0
    class A:
        n = 10
        t = [n + i for i in range(2)]
    return A.t[0] + A.t[1] + x[0]

#: but around the outermost iterable it is | list
def f(x):
    n = [1.0, 2.0]
    class A:
        n = [x[0], 5.0]
        t = sum([v for v in n])
    return A.t + n[0]

#: a class body is no scope around lambdas, functions and classes | list
def f(x):
    n = 2.0
    class A:
        n = 7.0
        g = lambda self: n
        def h(self):
            return n
        class B:
            m = n
    a = A()
    return a.g() + 10 * a.h() + 100 * A.B.m + x[0]

#: defaults and decorators of methods are evaluated in the class body | list
def f(x):
    n = 2.0
    class A:
        n = x[0]
        def m(self, k=n, *, j=n * 10):
            return k + j + n
    return A().m()

#: a name that the class body binds later is the module's until then | list
n = 5.0
def f(x):
    n = 1.0
    class A:
        m = n
        n = 7.0
        p = n
    return A.m * 10 + A.p + n + x[0]

#: a name that only the function binds is not seen by a class body that binds it, too | list | raises = NameError
def f(x):
    k = x[0]
    class A:
        k = k
    return A.k

#: a class in a class sees neither body | list | raises = NameError
def f(x):
    class A:
        n = x[0]
        class B:
            m = n
    return A.B.m

#: default factories see the module, not the class body
from dataclasses import dataclass, field
n = 3.0
@dataclass
class P:
    n: float = 9.0
    items: list = field(default_factory=lambda: [n, n])
def f(x):
    return P().items[0] + P().n * 10 + x[0]

#: a variable of a comprehension is its own throughout | list | raises = UnboundLocalError
def f(x):
    a = 1.0
    return sum([a for b in x for a in [a + b]])

#: a later loop of a comprehension may use an earlier one's variable | list
def f(x):
    return sum([a for b in x for a in [b, b + 1] for b in [a * 2]]) + sum(b for b in x)

#: comprehensions leave no variables behind | list
def f(x):
    a = 5.0
    s = [a for a in x]
    t = {1: a for a in x}
    u = sum(a for a in x)
    return a + len(s) + u

#: an assignment expression in a comprehension binds outside | list | compiled
def f(x):
    total = 0.0
    parts = [total := total + v for v in x]
    return total * 10 + parts[0]

#: an assignment expression in a lambda is the lambda's | list
def f(x):
    y = 1.0
    g = lambda v: (y := v) + y
    return g(x[0]) + 10 * y

#: unbound, local and free | list
def f(x):
    r = 0.0
    try:
        r += a
    except UnboundLocalError:
        r += 1.0
    def g():
        return a
    try:
        r += g()
    except UnboundLocalError:
        r += 10.0
    except NameError:
        r += 100.0
    a = x[0]
    return r + g()

#: deleting makes a name local and unbound | list
def f(x):
    a = x[0]
    del a
    try:
        return a
    except UnboundLocalError:
        return 2.0

#: the name of an except clause is gone behind it | list
def f(x):
    e = 1.0
    try:
        1 / 0
    except ZeroDivisionError as e:
        r = 2.0
    try:
        return e
    except UnboundLocalError:
        return r + x[0]

#: gone on those lanes only that took the clause | list | raises = UnboundLocalError
def f(x):
    e = 1.0
    try:
        r = 1 / x[0]
    except ZeroDivisionError as e:
        r = 2.0
    return e + r

#: global in a function that another one calls | list
def f(x):
    def put(v):
        global box
        box = v
        return box
    return put(x[0]) + put(x[1])

#: global reaches past the function around it | list
n = 4.0
def f(x):
    n = 1.0
    def g():
        global n
        def h():
            return n
        return n + 10 * h()
    return g() + 100 * n + x[0]

#: nonlocal finds the next function that binds the name, past classes | list
def f(x):
    n = 1.0
    class A:
        n = 50.0
        def m(self, v):
            nonlocal n
            n = n + v
            return n
    a = A()
    return a.m(x[0]) + a.m(x[1]) * 10 + n * 100 + A.n

#: nonlocal through a function in between | list
def f(x):
    n = x[0]
    def g():
        def h():
            nonlocal n
            n += 1.0
        h()
        return n
    return g() + 10 * n

#: a declaration holds for the whole function, wherever it stands | list
def f(x):
    n = 1.0
    def g(v):
        if v > 100:
            nonlocal n
        n = v
        return n
    g(x[0])
    return n

#: a loop variable is the function's, and stays | list
def f(x):
    for v in x:
        w = v
    return v + 10 * w

#: functions see variables as they are when they are called | list
def f(x):
    fs = [lambda: v for v in x]
    gs = [lambda v=v: v for v in x]
    return fs[0]() + 10 * gs[0]()

#: a module-level name can be bound by a function at load time
def setup():
    global scale
    scale = 3.0
setup()
def f(x):
    return scale * x[0]

#: arguments hide what is outside, defaults are evaluated outside | list
k = 2.0
def f(x):
    def g(k=k, m=k + 1):
        return k * 10 + m
    k_ = [k for k in x]
    return g() + g(x[0]) + k + k_[0]

#: names in nested comprehensions | list
def f(x):
    a = 2.0
    return sum([sum([a * b for b in x]) for a in x]) + a

#: a function's own name is the variable it is bound to | list
def f(x):
    def g(n):
        return x[0] if n == 0 else g(n - 1) + 1
    h = g
    def g(n):
        return 100.0
    return h(2)

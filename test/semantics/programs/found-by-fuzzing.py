#: a helper lengthens the argument | n = 2 100 | list
def change(q):
    q.append(1.0)
def f(x):
    change(x)
    return sum(x)

#: a large list is lengthened | n = 100 | compiled
def f(x):
    y = [v + 1.0 for v in x]
    y.append(x[0])
    return sum(y) + len(y)

#: a number of NumPy and a list are compared item by item | raises = ValueError | array
def f(x):
    x = x * 1.0
    return 1.0 if x[0] != [1.0, 2.0] else 2.0

#: a number of NumPy and a list of one item | array | compiled
def f(x):
    x = x * 1.0
    return (1.0 if x[0] == [2.0] else 2.0) + (10.0 if (2.0,) == x[1] else 20.0)

#: a list is repeated by no float, NumPy's neither | raises = TypeError | array
def f(x):
    x = x * 1.0
    y = [1.0] * x[0] if x[1] > 0 else [x[0]]
    return y[0]

#: a list is repeated by no float of NumPy, on its other side neither | compiled | array
def f(x):
    x = x * 1.0
    try:
        return len(x[0] * (1, 2))
    except TypeError:
        return 7.0 + x[0]

#: a plain class below a dataclass is made like it | compiled
from dataclasses import dataclass
@dataclass
class Point:
    a: float = 1.0
    b: float = 2.0
class Named(Point):
    b = 5.0
    def total(self):
        return self.a + self.b
def f(x):
    return Named(x[0]).total() + Named(b=x[1]).total()

#: a dataclass below a class with a constructor has one of its own | compiled
from dataclasses import dataclass
class Base:
    def __init__(self, a):
        self.a = -a
@dataclass
class Point(Base):
    a: float = 1.0
def f(x):
    return Point(x[0]).a + Base(x[1]).a

#: fields of a frozen dataclass stay so in a plain class below it | raises = FrozenInstanceError
from dataclasses import dataclass
@dataclass(frozen=True)
class Point:
    a: float = 1.0
class Named(Point):
    pass
def f(x):
    p = Named(x[0])
    p.extra = 3.0
    if x[1] > 0:
        p.a = 2.0
    return p.a + p.extra

#: frozensets are no sets | compiled
def f(x):
    s = frozenset([1, 2])
    kinds = isinstance(s, frozenset) + 10 * isinstance(s, set) + 100 * isinstance({1}, frozenset)
    try:
        s.add(3)
    except AttributeError:
        kinds += 1000
    t = s | {3}
    return kinds + isinstance(t, frozenset) * 7 + isinstance({3} | s, frozenset) * 9 + len(t) + x[0]

#: a class whose base is no class | raises = TypeError
def f(x):
    if x[0] > 0:
        class C(1.0):
            pass
    return x[0]

#: a name that both sides of a branch delete | raises = UnboundLocalError
def f(x):
    t = 5
    if x[0] > 0:
        del t
    else:
        del t
    return t

#: a name that is deleted for each kind of a subject | compiled
def f(x):
    t = 5
    match 'a' if x[0] else 'b':
        case _:
            del t
    try:
        return t
    except UnboundLocalError:
        return 3.0 + x[1]

#: an attribute that the one side deletes on which the program goes on | compiled | raises = ValueError
class P:
    a = 2.0
def f(x):
    p = P()
    p.a = 5.0
    if x[0] > 0:
        del p.a
    else:
        raise ValueError
    return p.a + x[1]

#: the sign of a NaN that was computed
import math
def f(x):
    return math.copysign(1.0, x[0] / x[0])

#: the sign of a NaN in an array
import numpy as np
def f(x):
    y = np.sqrt(x - 1.0)
    return np.copysign(2.0, y)[0] + np.signbit(y)[1]

#: a key twice in a pattern
def f(x):
    class Keys:
        KEY = "a"
    try:
        match {"a": 0, "b": 1}:
            case {Keys.KEY: y, "a": z}:
                pass
    except ValueError:
        return 1.0 + x[0]
    return 2.0

#: a loop that makes its own list a tuple | n = 1 | list
def f(x):
    for a, b in zip(x, x):
        x = tuple(x)
    return x

#: a loop that makes its own list a tuple, read by its position | n = 2 | list
def f(x):
    for a in x:
        x = tuple(x)
    return x[0] + a

#: a tuple of a tuple in each iteration | n = 2 | list
def f(x):
    for _ in range(3):
        x = tuple(x)
    return x[0] - x[1]

#: a sum of lists that is matched | n = 2
def f(x):
    match x + x:
        case 1:
            return 2.0
    return 1.0

#: an array without axes is not rounded | n = 2 | array
import math
import numpy as np
def f(x):
    v = np.array(x[0])
    total = 0.0
    for act in (round, math.trunc, lambda t: round(t, 1)):
        try:
            total += act(v)
        except TypeError:
            total += 10.0
    return total

#: zero to the power of minus infinity | n = 1 | at = -inf; -2; inf; nan
def f(x):
    try:
        return 0.0 ** x[0]
    except ZeroDivisionError:
        return 1.0

#: a generator that nobody asks raises nothing | n = 1
def f(x):
    def of_nothing(q):
        yield from 2
    def by_zero():
        yield 1 / 0
    made = of_nothing(1.0), by_zero()
    return 1.0

#: a truth value of NumPy's is not truncated | n = 1 | array
import math
import numpy as np
def f(x):
    k = x[0] >= 1.0
    try:
        return math.trunc(k)
    except TypeError:
        return 5.0 + math.floor(k) + math.ceil(k)

#: an integer of NumPy's is not truncated | n = 2 | array | raises = TypeError
import math
import numpy as np
def f(x):
    for v in np.arange(6).reshape(3, 2):
        a = v.sum()
    return math.trunc(a) + x[0]

#: an integer of NumPy's is not truncated, its floats are | n = 2 | array
import math
import numpy as np
def f(x):
    total = 0.0
    for v in (np.arange(3)[1], np.argmax(x), np.float64(2.7), x[0], np.floor(x[1]), 3, True):
        try:
            total = total * 2 + math.trunc(v)
        except TypeError:
            total += 10.0
    return total

#: what NumPy's floats become as integers raises nothing | n = 1 | array | at = inf; -inf; nan; 1e19; 3.5
import numpy as np
def f(x):
    try:
        return np.int64(x[0]) * 1.0
    except ArithmeticError:
        return -1.0

#: what Python's floats become as integers of NumPy's may raise | n = 1 | at = inf; -inf; nan; 3.5
import numpy as np
def f(x):
    try:
        return np.int64(float(x[0])) * 1.0
    except OverflowError:
        return -1.0
    except ValueError:
        return -2.0

#: the parts of a number keep their types | n = 1
import numpy as np
def f(x):
    total = 0.0
    for v in (True, 3, 2.5, np.float64(2.5), x[0], float(x[0]), x[0] > 0, np.int64(4)):
        for part in (np.real, np.imag):
            w = part(v)
            total = total * 2 + (type(w) is int) + 3 * isinstance(w, float) + 5 * isinstance(w, np.integer)
    return total

#: conjugates are NumPy's numbers | n = 1
import numpy as np
def f(x):
    total = 0.0
    for v in (3, 2.5, x[0], float(x[0])):
        w = np.conj(v)
        total = total * 2 + isinstance(w, np.floating) + 3 * isinstance(w, np.integer) + 5 * (type(w) is int)
    return total

#: areas over truth values | n = 3 | array
import numpy as np
def f(x):
    return np.sum(np.trapz(x[None, :], (x > 0)))

#: missing attributes that a class makes up
class C:
    def __getattr__(self, name):
        return 7.0
def f(x):
    try:
        return C().k + getattr(C(), "z", 3.0) + hasattr(C(), "y") + x[0]
    except AttributeError:
        return 1.0

#: objects that a class makes by itself
class C:
    def __new__(cls, a):
        return a * 2
def f(x):
    return C(x[0]) + 1

#: attributes that a class stores its own way
class C:
    def __init__(self, a):
        self.a = a
    def __setattr__(self, name, v):
        object.__setattr__(self, name, 2 * v)
def f(x):
    return C(x[0]).a

#: an addition in place of its own
class C:
    def __init__(self, a):
        self.a = a
    def __iadd__(self, o):
        self.a += 10 * o
        return self
    def __add__(self, o):
        return C(self.a + o)
def f(x):
    c = d = C(x[0])
    c += 1.0
    return c.a + d.a

#: what a class does to the classes below it
class B:
    def __init_subclass__(cls):
        cls.k = 5.0
class C(B):
    k = 1.0
def f(x):
    return C.k + x[0]

#: descriptors
class D:
    def __get__(self, obj, cls):
        return None
class C:
    d = D()
def f(x):
    return 1.0 if C().d is None else 2.0

#: slots | compiled
class C:
    __slots__ = ("a",)
    def __init__(self, a):
        self.a = a
class D(C):
    pass
def f(x):
    c, d = C(x[0]), D(x[1])
    d.b = 3.0
    try:
        c.b = 2.0
    except AttributeError:
        return c.a + d.b
    return 100.0

#: slots of a dataclass | compiled
from dataclasses import dataclass
@dataclass(slots=True)
class C:
    a: float
def f(x):
    c = C(x[0])
    try:
        c.b = 2.0
    except AttributeError:
        return c.a
    return 100.0

#: a store to a property | compiled
class C:
    def __init__(self, a):
        self.q = a
    @property
    def a(self):
        return self.q * 2
def f(x):
    c = C(x[0])
    try:
        c.a = 2.0
    except AttributeError:
        return c.a
    return 100.0

#: reflected operators: of one type not asked, of a class below asked first | compiled
class A:
    def __add__(self, o):
        return 1.0
    def __radd__(self, o):
        return 2.0
class B(A):
    def __radd__(self, o):
        return 3.0
def f(x):
    return (A() + B()) + (A() + A()) * 10 + (B() + A()) * 100 + (1.0 + A()) * 1000 + x[0]

#: truth and length have types | compiled
class A:
    def __bool__(self):
        return 1
class B:
    def __len__(self):
        return -1
class C:
    def __len__(self):
        return 2.0
def f(x):
    s = x[0]
    for k, kind in enumerate([A, B, C]):
        try:
            s += 1.0 if kind() else 2.0
        except TypeError:
            s += 10.0 ** k
        except ValueError:
            s += 7 * 10.0 ** k
    return s

#: a constructor that returns something | compiled
class A:
    def __init__(self):
        return 5
def f(x):
    try:
        A()
    except TypeError:
        return x[0]
    return 100.0

#: an attribute that is there on some lanes
class A:
    pass
def f(x):
    a = A()
    if x[0] > 0:
        a.k = 5.0
    try:
        return getattr(a, "k", 2.0) + hasattr(a, "k") * 10
    except AttributeError:
        return 100.0

#: attributes that every object has
class A:
    def m(self):
        return 1
def f(x):
    return hasattr(A(), "__dict__") + 2 * hasattr(A(), "__eq__") + 4 * hasattr(A, "__name__") + x[0]

#: class methods of a class | compiled
class A:
    k = 2.0
    @classmethod
    def make(cls, v):
        o = cls()
        o.v = v * cls.k
        return o
class B(A):
    k = 3.0
def f(x):
    return A.make(x[0]).v + B.make(x[1]).v + B().make(1.0).v

#: a cached property stays | compiled
from functools import cached_property
class A:
    def __init__(self, a):
        self.a = a
    @cached_property
    def q(self):
        return self.a * 2
def f(x):
    c = A(x[0])
    s = c.q
    c.a = 5.0
    return s + c.q

#: a cached property that some lanes have
from functools import cached_property
class A:
    def __init__(self, a):
        self.a = a
    @cached_property
    def q(self):
        return self.a * 2
def f(x):
    c = A(x[0])
    if x[1] > 0:
        c.q
    c.a = 5.0
    return c.q

#: abstract classes have no objects | compiled
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def m(self): ...
class B(A):
    def m(self):
        return 2.0
def f(x):
    try:
        A()
    except TypeError:
        return B().m() + x[0]
    return 100.0

#: defaults that a dataclass refuses | compiled
from dataclasses import dataclass
def f(x):
    s = x[0]
    try:
        @dataclass
        class A:
            a: float = 1.0
            b: float
    except TypeError:
        s += 1
    try:
        @dataclass
        class B:
            a: list = []
    except ValueError:
        s += 10
    return s

#: a plain class below a dataclass compares fields
from dataclasses import dataclass
@dataclass
class A:
    a: float
class B(A):
    pass
def f(x):
    return (B(1.0) == B(1.0)) + 2 * (A(1.0) == B(1.0)) + x[0]

#: an exception's constructor hands a message on | compiled
class Bad(Exception):
    def __init__(self, amount):
        super().__init__("bad")
        self.amount = amount
def g(v):
    if v < 0:
        raise Bad(v * 2)
    return v
def f(x):
    try:
        return g(x[0])
    except Bad:
        return -1.0

#: objects that can be called | compiled
class A:
    def __call__(self, v):
        return v
def f(x):
    return callable(A()) + 2 * callable(A) + 4 * callable(3) + sum(map(A(), x))

#: a decorator of the source whose name every object of JavaScript has
def constructor(f):
    return lambda self: 5.0
class A:
    @constructor
    def g(self):
        return 1.0
def f(x):
    return A().g() + x[0]

#: a named tuple with the name of a function of Python has its own parameters | compiled
from collections import namedtuple
P = namedtuple('range', 'a b c d')
def f(x):
    p = P(x[0], 1.0, 2.0, d=3.0)
    return p.a + p.d

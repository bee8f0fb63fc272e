#: type() is compared | compiled
def f(x):
    v = x[0] if x[1] > 0 else None
    a = 1.0 if type(x) == list else 2.0
    b = 1.0 if type(x[0]) is float else 2.0
    c = 1.0 if type(x[0]) in (int, float) else 2.0
    d = 1.0 if type(len(x)) is int and type(x[0] > 0) is bool and type("a") is str else 2.0
    e = 1.0 if type(x[0]) != int and type([1]) is not tuple and type((1,)) is tuple else 2.0
    return a + 3 * b + 7 * c + 13 * d + 29 * e + len(type(x[0]).__name__)

#: type() of NumPy's values is compared | compiled
import numpy as np
def f(x):
    a = 1.0 if type(x) is np.ndarray else 2.0
    b = 1.0 if type(x[0]) is np.float64 else 2.0
    c = 1.0 if type(x[0]) == float else 2.0
    d = 1.0 if type(x[0] > 1) is np.bool_ and type(x[0] > 1) is not bool else 2.0
    return a + 3 * b + 7 * c + 13 * d

#: the class of an object of the program | compiled
class A: pass
class B(A): pass
def f(x):
    o = B()
    return (1.0 if type(o) is B else 2.0) + (4.0 if type(o) == A else 8.0) + (16.0 if type(x[0]) == A else 32.0)

#: a union of types | compiled
def f(x):
    a = 1.0 if isinstance(x, tuple | list) else 2.0
    b = 1.0 if isinstance(x[0], int | str | bool) else 2.0
    return a + 3 * b

#: the type of a value that is an int on some lanes | cpython
def f(x):
    v = 1 if x[0] > 0 else x[0]
    return 1.0 if type(v) is int else 2.0

#: a pause | compiled
import time
def f(x):
    time.sleep(0.0)
    return x[0]

#: objects that say what they equal | compiled
class Point:
    def __init__(self, a): self.a = a
    def __eq__(self, other): return other is None or self.a == (other if isinstance(other, float) else other.a)
class Plain: pass
p = Plain()
def f(x):
    r = 1.0 if Point(1) == None else 2.0
    r += 4.0 if Point(x[0]) == Point(1.0) else 8.0
    r += 16.0 if Point(x[0]) != x[1] else 32.0
    r += 64.0 if None == Point(2) else 128.0
    r += 256.0 if Plain() == Plain() else 512.0
    r += 1024.0 if p == p and p != None and not (p == 3) else 2048.0
    return r + (4096.0 if Point(x[0]) in [3.0, Point(2.0)] else 8192.0)

#: dataclasses are equal where their fields are | n = 2
from dataclasses import dataclass
@dataclass
class D:
    a: float
def f(x): return (1.0 if D(x[0]) == D(1.0) else 2.0) + (4.0 if D(1.0) == None else 8.0)

#: the limits of float | compiled
import numpy as np
def f(x): return np.finfo(float).eps + np.finfo(np.float64).tiny + x[0]

#: the limits of another type | cpython
import numpy as np
def f(x): return float(np.finfo(np.float32).eps) + x[0]

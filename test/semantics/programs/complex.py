#: parts of a product and a sum | compiled
def f(x):
    z = complex(x[0], x[1]) * (2 - 3j) + 1j
    return z.real - 2 * z.imag

#: every operation of two complex numbers | compiled | n = 4 | raises = ZeroDivisionError
def f(x):
    a = complex(x[0], x[1])
    b = complex(x[2], x[3])
    z = (a + b) * (a - b) / b
    return z.real + z.imag

#: division by a complex number, whichever part is larger | compiled | n = 4 | raises = ZeroDivisionError
def f(x):
    z = complex(x[0], x[1]) / complex(x[2], x[3])
    return z.imag - z.real * 3

#: a real divided by a complex number | compiled | raises = ZeroDivisionError
def f(x):
    return (1 / complex(x[0], x[1])).imag + (x[0] / (x[1] + 2j)).real

#: a complex number divided by a real one | compiled | raises = ZeroDivisionError
def f(x):
    z = (3 + x[0] * 1j) / x[1]
    return z.real + z.imag / 7

#: real operands on both sides | compiled
def f(x):
    z = 2 - (x[0] - 1j) * 3 + True * 1j - x[1]
    w = 1.5 * z + z * x[1]
    return w.real * 2 + w.imag

#: signs of zeros | compiled
import math
def f(x):
    z = complex(x[0], -0.0)
    s = 0.0
    for w in (z, -z, z * 1, z + 0, 0 - z, -2j * x[0], z.conjugate(), complex(-0.0, x[0]) * 2):
        if w == w:
            s = s * 4 + math.copysign(1.0, w.real) + 2 * math.copysign(1.0, w.imag)
    return s

#: complex() of complex parts | compiled | n = 4
def f(x):
    a = complex(x[0], x[1])
    z = complex(a, complex(x[2], x[3])) + complex(2, a) + complex(a) + complex() + complex(x[0]) + complex(imag=x[1])
    return z.real - z.imag

#: integer powers | compiled | raises = ZeroDivisionError OverflowError
def f(x):
    z = complex(x[0], x[1])
    s = 0.0
    for n in (0, 1, 2, 3, 4, 5, 7, 10):
        w = z ** n
        s += w.real + w.imag / 3
    w = z ** -1 + z ** -3
    return s + w.real + w.imag

#: powers up to the hundredth | compiled | raises = OverflowError
def f(x):
    z = complex(x[0], x[1]) / 4
    return (z ** 100).real + (z ** 33.0).imag + (z ** True).real

#: pow() of two arguments | compiled | raises = OverflowError | at = 1e200 3; 1 -1e300
def f(x):
    return pow(complex(x[0], x[1]), 2).real

#: powers that are no small integers | compiled | ulp = 4000 | raises = ZeroDivisionError
def f(x):
    z = complex(x[0], x[1])
    w = z ** 0.5
    return abs(w) + abs(z ** -0.25) * 2

#: complex exponents | compiled | ulp = 4000 | raises = ZeroDivisionError
def f(x):
    return abs(complex(x[0], x[1]) ** (0.5 + 1j)) + abs(2 ** complex(x[0], 1))

#: an exponent that depends on x | ulp = 4000 | raises = ZeroDivisionError
def f(x):
    return abs(complex(1.5, x[0]) ** x[1])

#: absolute value | compiled | ulp = 2
def f(x):
    return abs(complex(x[0], x[1])) + abs(x[0] * 1j) + abs(complex(x[1]))

#: absolute value that overflows | compiled | ulp = 2 | raises = OverflowError | at = 1.7e308 1.7e308; 1e308 -1.5e308
def f(x):
    return abs(complex(x[0], x[1]))

#: caught division by zero | compiled
def f(x):
    try:
        z = 1 / complex(x[0], x[1])
        return z.real + z.imag
    except ZeroDivisionError:
        return -7.0

#: caught overflow of a power | compiled
def f(x):
    try:
        return (complex(x[0], x[1]) ** 3).real
    except OverflowError:
        return -7.0
    except ZeroDivisionError:
        return 5.0

#: equality | compiled
def f(x):
    z = complex(x[0], x[1])
    s = (z == complex(1, 1)) + 2 * (z != 0) + 4 * (z == x[0]) + 8 * (1 == z) + 16 * (z == z.conjugate()) + 32 * (z == "1")
    return s + (64 if z else 0) + (128 if not z else 0)

#: order raises | raises = TypeError
def f(x):
    if x[0] > 0:
        return 1.0 if complex(x[0], x[1]) < 2 else 0.0
    return x[1]

#: order that is caught | compiled
def f(x):
    try:
        return 1.0 if complex(x[0], x[1]) >= 2j else 0.0
    except TypeError:
        return x[0]

#: remainder raises | raises = TypeError
def f(x):
    if x[0] > 0:
        return (complex(x[0], 1) % 2).real
    return (complex(x[0], 1) // 2).real

#: float() and int() of a complex number raise | raises = TypeError
def f(x):
    if x[0] > 0:
        return float(complex(x[0], 0))
    return int(1j * x[0])

#: math functions of a complex number raise | raises = TypeError
import math
def f(x):
    if x[0] > 0:
        return math.sin(complex(x[0], 1))
    return math.sqrt(-1j)

#: a float to a fractional power may be complex | list | ulp = 2
def f(x):
    z = x[0] ** 0.5
    return abs(z)

#: parts of real numbers | compiled
def f(x):
    k = int(x[0] > 0)
    return x[0].real + x[1].imag + k.real + k.imag + (x[0] > 1).real + x[0].conjugate()

#: a branch that gives complex numbers | compiled
def f(x):
    if x[0] > x[1]:
        z = complex(x[0], 1)
    elif x[0] > 0:
        z = 1 / complex(x[1], x[0])
    else:
        z = 2j
    z = z * z if x[1] > 0 else z
    return z.real + z.imag

#: a number that is complex on some lanes only
def f(x):
    z = 1.0
    if x[0] > 0:
        z = complex(1, x[0])
    return z.real + x[1]

#: iterations that escape | compiled
def f(x):
    c = complex(x[0], x[1]) / 2
    z = 0
    n = 0
    for k in range(30):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4:
            break
        n += 1
    return n

#: iterations that escape, in a while loop | compiled
def f(x):
    c = complex(x[0], x[1]) / 2
    z = 0j
    n = 0
    while (z * z.conjugate()).real <= 4.0 and n < 40:
        z = z * z + c
        n += 1
    return n + z.real

#: a number that the first iteration makes complex | compiled | ulp = 1
def f(x):
    c = complex(x[0], x[1]) / 2
    z = 0
    n = 0
    while n < 25:
        z = z * z + c
        n += 1
        if abs(z) > 4:
            return n
    return -n + z.real

#: a number that some iteration makes complex
def f(x):
    z = 0
    n = 0
    while n < 3 and x[0] > n:
        z = z + 1j * x[1]
        n += 1
    return n + z.imag

#: roots that a list holds | compiled | n = 3
def f(x):
    p = [1.0, x[0], x[1], x[2]]
    r = [(0.4 + 0.9j) ** k for k in range(3)]
    for _ in range(8):
        for i in range(3):
            v = 0j
            for c in p:
                v = v * r[i] + c
            d = 1
            for j in range(3):
                if j != i:
                    d *= r[i] - r[j]
            if d != 0:
                r[i] = r[i] - v / d
    return sum(r).real + sum(z.imag * z.imag for z in r)

#: sums of many complex numbers | compiled | n = 3 70
def f(x):
    total = 0
    for k, v in enumerate(x):
        total += complex(v, k) * (1 - 0.5j)
    other = sum(complex(k, v) for k, v in enumerate(x))
    return total.real + total.imag * 2 + other.real - other.imag

#: a table of complex numbers | compiled | n = 3 70
W = [complex(0.5, 0.25) * (k - 3) for k in range(100)]
def f(x):
    s = 0j
    for k in range(len(x)):
        s += W[k] * x[k] - W[k + 1]
    return s.real - s.imag

#: complex numbers in containers | compiled
def f(x):
    z = complex(x[0], x[1])
    zs = [z, 1j, z * 2, 0.5]
    pairs = {"a": z, "b": zs[1] + 1}
    (p, q), t = (zs[0], zs[-1]), tuple(zs)
    return (p * q + pairs["b"] * pairs["a"] + t[2]).real + (1j in zs) + (z in [z]) + zs.count(1j) + len(t)

#: an index that depends on x | compiled | at = 0 1; 1 1; 2 0
def f(x):
    zs = [1 + 2j, complex(x[1], 1), 3j]
    k = int(min(max(x[0], 0.0), 2.0)) if x[0] == x[0] else 0
    return (zs[k] * 2).real + zs[k].imag

#: isinstance and text | compiled
def f(x):
    z = complex(x[0], 2)
    print(z, f"{z}", "%s" % z)
    return isinstance(z, complex) + 2 * isinstance(z, float) + 4 * isinstance(x[0], complex) + 8 * isinstance(z, (int, complex))

#: a helper of real or complex numbers | compiled | ulp = 2
def size(v):
    if isinstance(v, complex):
        return abs(v)
    return v
def f(x):
    return size(complex(x[0], x[1])) + size(x[0])

#: a closure and a class of complex numbers | compiled
class Gain:
    def __init__(self, k):
        self.k = k
    def __call__(self, s):
        return self.k / (s + 1.5 - 2.5j)
def f(x):
    g = Gain(2 - 1j)
    h = lambda w: g(1j * w) if w == w else 0j
    return h(x[0]).real + h(x[1]).imag

#: conversion of large and mixed integers | compiled
def f(x):
    k = 3 if x[0] > 0 else 2.5
    z = 1j * k + 9007199254740991 * 1j
    return z.imag + (z * 0).real

#: cmath.exp | compiled | ulp = 4 | raises = OverflowError | at = 1000 1; 709 0.5
import cmath
def f(x):
    z = complex(x[0], x[1])
    w = cmath.exp(z)
    return abs(w) + cmath.exp(1j * x[0]).real

#: cmath.log | compiled | ulp = 4 | raises = ValueError
import cmath
def f(x):
    return cmath.log(complex(x[0], x[1])).imag + 8.0

#: cmath.log of a base, and log10 | compiled | ulp = 64 | raises = ValueError
import cmath
def f(x):
    z = complex(x[0] + 3.1, 1)
    return abs(cmath.log(z, 3)) + abs(cmath.log10(z)) + abs(cmath.log(z * 0 if x[0] == 2 else z))

#: cmath.log near one | compiled | ulp = 64
import cmath
def f(x):
    return abs(cmath.log(complex(0.9, 0.3) + 1e-3j * x[0]))

#: cmath.sqrt | compiled | ulp = 4
import cmath
def f(x):
    z = cmath.sqrt(complex(x[0], x[1]))
    return z.real + abs(z.imag)

#: cmath.sqrt of real numbers | compiled | ulp = 2
import cmath
def f(x):
    return cmath.sqrt(x[0]).real + cmath.sqrt(x[0]).imag + cmath.sqrt(-4).imag

#: roots of a quadratic | compiled | ulp = 64 | n = 3 | raises = ZeroDivisionError
import cmath
def f(x):
    a, b, c = x
    d = cmath.sqrt(b * b - 4 * a * c)
    return max(abs((-b + d) / (2 * a)), abs((-b - d) / (2 * a)))

#: phase and polar | compiled | ulp = 2 | at = 3 1e-308; 3 -1e-310; -3 1e-310; 1e-310 1e-310
import cmath
def f(x):
    z = complex(x[0], x[1])
    r, phi = cmath.polar(z)
    return 10.0 + cmath.phase(z) + phi + r * 0.5 if r < 1e6 else 0.0

#: cmath.rect | compiled | ulp = 2 | raises = ValueError
import cmath
def f(x):
    return cmath.rect(x[0], x[1]).real + 0 * cmath.rect(1, x[1]).imag

#: cmath.sin and cos | compiled | ulp = 4 | raises = OverflowError
import cmath
def f(x):
    return abs(cmath.sin(complex(x[0], x[1]))) + abs(cmath.cos(complex(x[1], x[0])))

#: hyperbolic functions | compiled | ulp = 16 | raises = OverflowError
import cmath
def f(x):
    z = complex(x[0], x[1])
    return abs(cmath.sinh(z)) + abs(cmath.cosh(z)) + abs(cmath.tanh(z)) + abs(cmath.tan(z))

#: inverse functions | compiled | ulp = 64 | raises = ValueError
import cmath
def f(x):
    z = complex(x[0], x[1])
    return abs(cmath.asin(z)) + abs(cmath.acos(z + 0.5)) + abs(cmath.atan(z)) + abs(cmath.asinh(z)) + abs(cmath.acosh(z + 2)) + abs(cmath.atanh(z))

#: tests of cmath | compiled
import cmath
def f(x):
    z = complex(x[0], x[1])
    return cmath.isnan(z) + 2 * cmath.isinf(z) + 4 * cmath.isfinite(z) + 8 * cmath.isclose(z, 1 + 1j) + cmath.pi + cmath.inf * 0.0 * 0 + (16 if cmath.isnan(cmath.nanj) else 0)

#: names from cmath | compiled | ulp = 4
from cmath import *
def f(x):
    return abs(exp(1j * pi / 4) * complex(x[0], x[1]))

#: NumPy's and Python's complex numbers divide differently | compiled | n = 4 | array
import numpy as np
def f(x):
    a = x[0] + 1j * x[1]
    b = x[2] + 1j * x[3]
    p = complex(x[0], x[1])
    z = a / b
    w = a / 3.0 + a / (2 + 1j) + (1 + p) / (p * p.conjugate() + 7)
    return z.real + z.imag + w.real + w.imag

#: a float of NumPy on either side | compiled | array | raises = ZeroDivisionError
import numpy as np
def f(x):
    left = x[0] / (1j * x[1])
    right = 1j / x[1]
    return left.imag + left.real + right.real + right.imag

#: types of mixed operations | compiled | array
import numpy as np
def f(x):
    s = 0
    for k, z in enumerate((1j * x[0], x[0] * 1j, 1j + np.int64(2), np.float64(2) - 1j, 1j * np.complex128(2), 2.0 * np.complex128(1j))):
        s += 2 ** k * isinstance(z, np.complex128)
    return s + x[1]

#: powers of NumPy's complex numbers | compiled | array
import numpy as np
def f(x):
    z = x[0] + 1j * x[1]
    w = z ** 0 + z ** 1 + z ** 2 + z ** 3 + z ** 5 + z ** -1 + z ** -2
    return w.real + w.imag

#: powers of arrays | compiled | array | ulp = 4
import numpy as np
def f(x):
    z = x + 1j * x[::-1]
    a = (z ** 2)[0] + (z ** 3)[1] + (z ** -1)[0] + (z ** 4)[1]
    return abs(a)

#: sums of arrays | compiled | array | n = 1 3 4 5 8 30 64 65 129
import numpy as np
def f(x):
    z = x + 1j * x[::-1]
    w = z.sum() + z[1:].sum() + np.mean(z)
    return w.real - 2 * w.imag

#: sums along axes | compiled | array | n = 12
import numpy as np
def f(x):
    z = (x - 2j * x[::-1]).reshape(3, 4)
    a = z.sum(axis=0)
    b = np.sum(z, axis=1, keepdims=True)
    w = a[3] + b[2, 0] + z.T.sum(axis=0)[1]
    return w.real + w.imag

#: element-wise functions of arrays | array | ulp = 8 | n = 2 70
import numpy as np
def f(x):
    z = np.exp(1j * x)
    return np.sum(np.abs(z + 2)) + np.abs(np.sum(z))

#: angles, parts and conjugates | compiled | array | ulp = 2 | n = 2 70
import numpy as np
def f(x):
    z = x + 1j * np.ones(len(x))
    w = np.conj(z)
    return 99 + np.angle(z)[0] + np.real(w).max() + np.imag(w).min() + w.real[1] + z.imag[0] + np.angle(w[1])

#: views of real and imaginary parts | compiled | array
import numpy as np
def f(x):
    z = np.zeros(3, dtype=complex)
    z[0] = x[0]
    z[1] = 1j * x[1]
    z[2:] = 2 - 1j
    z.real[1] = 7.0
    z.imag[:] += 1
    w = z[::-1]
    w[0] = 4j
    z *= 2
    return z[0].real + z[1].imag * 2 + z[2].imag * 3 + z[1].real

#: arrays from lists, joined and shaped | compiled | array
import numpy as np
def f(x):
    a = np.array([x[0] + 1j, 2, 3.5 - 1j * x[1], 1j])
    b = np.concatenate([a, x, np.ones(2, dtype=complex) * 1j])
    m = a.reshape(2, 2)
    c = np.where(x > 0, a[:2], 1j)
    d = np.asarray([[1, 2j], [3, 4]]).T + np.eye(2, dtype=complex) + np.array([1.0, 2.0], dtype=complex)
    w = b[4] + b[-1] + m[1, 0] + m.T[0, 1] + c[0] + c[1] + d[0, 1] + d[1, 0] + np.roll(a, 1)[0] + a.copy()[2] + a.flatten()[3]
    return w.real + w.imag

#: matrix products | compiled | array | ulp = 64
import numpy as np
A = np.array([[1, 2j], [0.5 - 1j, 3]])
def f(x):
    v = x + 1j * x[::-1]
    w = A @ v
    s = np.vdot(w, v) + np.dot(v, v) + (A @ A)[0, 1] + np.linalg.norm(v) + np.outer(v, w)[0, 1] + np.kron(v, x)[2]
    return abs(s) if abs(s) > 1e-3 else 0.0

#: comparisons of arrays | compiled | array
import numpy as np
def f(x):
    z = np.array([x[0] + 1j, x[1], 2.0])
    return np.sum(z == x[0] + 1j) + np.any(z != 2) + np.sum(np.isnan(z)) + 3 * np.sum(np.isfinite(z)) + (z[1] == x[1])

#: loops over arrays | compiled | array | n = 2 9 70
import numpy as np
def f(x):
    z = x + 2j
    s = 0
    for v in z:
        s = s + v * v
    for k in range(len(z)):
        s += z[k].conjugate() * k
    return s.real + s.imag + len(z) + z.size + z.shape[0] + z.ndim

#: stores by index in a loop | compiled | array | n = 2 9 70
import numpy as np
def f(x):
    z = np.zeros(len(x), dtype=complex)
    for k in range(len(x)):
        z[k] = x[k] * 1j + k
    for k in range(1, len(x)):
        z[k] += z[k - 1] * 0.5
    return z[-1].real + z[-1].imag

#: a discrete Fourier transform written out | compiled | n = 4 | ulp = 2000
import cmath
def f(x):
    n = len(x)
    s = 0.0
    for k in range(n):
        c = sum(x[t] * cmath.exp(-2j * cmath.pi * k * t / n) for t in range(n))
        s += abs(c) ** 2 if abs(c) < 1e100 else 0
    return s

#: polynomials at complex places | compiled | array | ulp = 8
import numpy as np
def f(x):
    z = np.polyval([1, x[0], 2j], 1 + 0.5j) + np.polyval([1.0, 2.0, x[1]], 0.5j * np.ones(2))[1]
    return abs(z)

#: real arrays do not take complex numbers | array | raises = UFuncTypeError
import numpy as np
def f(x):
    y = x.copy()
    y *= 1j
    return y[0].real

#: NumPy's complex numbers have no remainder | array | raises = TypeError
import numpy as np
def f(x):
    return ((x[0] + 1j) % 2).real

#: a complex number of NumPy is no result | array | raises = TypeError
import numpy as np
def f(x):
    return x[0] + 1j * x[1]

#: an exponential of complex elements, large | compiled | array | ulp = 16
import numpy as np
def f(x):
    return np.abs(np.exp(x[0] + 1j * x[1])) + np.abs(np.sqrt(x[0] + 0j)) + np.abs(np.log(3 + 1j * x[1]))

#: fused products differ in the last bit on some processors | compiled | array | ulp = 16
import numpy as np
W = np.array([0.3 + 0.4j, 1 - 2j])
def f(x):
    return np.sum(np.abs(W * (x[0] + 1j) * x)) + abs(np.prod(W * 2 + x))

#: nodes of a circuit | compiled | array | ulp = 20000 | n = 3
import numpy as np
def f(x):
    if not np.all(np.abs(x) < 1e6):
        return 0.0
    y = np.array([[2 + 1j, -1, x[0] * 1j], [-1, 3 - 2j, -1j], [0.5, x[1], 4 + 1j * x[2]]])
    v = np.linalg.solve(y, np.array([1, 0, 2j]))
    w = np.linalg.inv(y) @ x + np.linalg.solve(y, np.eye(3, dtype=complex))[:, 1]
    return np.linalg.norm(v) + np.linalg.norm(w) + abs(np.linalg.det(y))

#: general powers of NumPy's complex numbers | compiled | array | ulp = 4000
import numpy as np
def f(x):
    z = x[0] + 1j * x[1]
    w = np.array([z, 1 + 1j])
    v = (w ** 1.7)[0] + (w ** (0.5 - 1j))[1] + (2.5 ** w)[1] + (w ** np.array([2, 3]))[1] + w[1] ** 150
    return abs(z ** 0.5) + abs(z ** (0.3 + 1j)) + (abs(x[0] ** 1j) if x[0] > 0 else 0) + abs(v) * 1e-3

#: an exponent of NumPy's that depends on x | array | ulp = 4000
import numpy as np
def f(x):
    return abs((1.5 + 1j * x[0]) ** x[1]) + abs((1 + np.complex128(1j)) ** x[0])

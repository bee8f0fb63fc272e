#: an array chosen by a mask has two names and changes in place
import numpy as np
def f(x):
    v = x[x > 0]
    w = v
    v += 1
    return w.sum()

#: a function changes an array chosen by a mask
import numpy as np
def double(a):
    a *= 2
def f(x):
    v = x[x > 0]
    double(v)
    return v.sum()

#: a tuple holds an array chosen by a mask that changes in place
import numpy as np
def f(x):
    v = x[x > 0]
    c = (v, 1)
    v -= 1
    return c[0].sum()

#: a name that may be another's array chosen by a mask
import numpy as np
def f(x):
    v = x[x > 0]
    w = v if x[0] > 1 else x[x < 0]
    w += 1
    return v.sum()

#: an array chosen by a mask that has one name changes in place | compiled
import numpy as np
def f(x):
    v = x[x > 0]
    v *= 2
    v += 1
    return v.sum()

#: NumPy refuses to store floats into whole numbers in place | raises = UFuncTypeError
import numpy as np
def f(x):
    r = np.array([1, 2])
    r[x > 0] += 0.5
    return r.sum()

#: and numbers into truth values
import numpy as np
def f(x):
    r = x > 0
    r[x > 1] += 3
    return r.sum()

#: what is caught where the type does not fit
import numpy as np
def f(x):
    r = x > 0
    try:
        r[x > 5] /= 2
    except TypeError:
        return 7.0
    return r.sum()

#: in1d gives one dimension
import numpy as np
def f(x):
    return len(np.in1d(np.eye(3), [1, 2])) + np.in1d(x.reshape(1, -1), [0, 1]).sum()

#: isin of a number gives an array without axes
import numpy as np
def f(x):
    v = np.isin(x[0], [0, 1])
    w = v
    v |= True
    return w

#: vectorize of a number gives an array without axes
import numpy as np
def f(x):
    v = np.vectorize(lambda a: a + 1)(x[0])
    w = v
    v += 3
    return w

#: nonzero of a number
import numpy as np
def f(x):
    return np.nonzero(x[0])[0].sum() + 0.5

#: fmod of whole numbers is whole, and 0 for a divisor of 0
import numpy as np
def f(x):
    r = np.fmod(np.arange(-3, 3), np.array([0, 1, 2, 3, 4, 5]))
    z = np.zeros_like(r)
    z[:] = 1.75
    return r.sum() + z.sum() * 10 + 1 / np.copysign(1.0, r[1]) + np.fmod(x, 2).sum()

#: fmod of truth values
import numpy as np
def f(x):
    return np.fmod(np.array([True, False]), np.array([0, 2])).sum() + np.fmod(x > 0, 2).sum()

#: nanmin of whole numbers is whole
import numpy as np
def f(x):
    z = np.zeros_like(np.nanmin(np.full((2, 2), 2), axis=0))
    z[:] = 1.75
    return z.sum() + np.nanmax(x > 0)

#: differences of truth values | raises = TypeError
import numpy as np
def f(x):
    return np.sum(np.gradient(x > 0))

#: the norm of a number with an order | raises = ValueError
import numpy as np
def f(x):
    return np.linalg.norm(x[0], 1)

#: an empty array of whole numbers changes in place
import numpy as np
def f(x):
    r = np.flatnonzero(np.array([]))
    r //= 2
    return np.sum(r) + x[0]

#: functions of the mathematics library into an array | n = 2 | ulp = 4 | array | compiled
import numpy as np
def f(x):
    b = np.zeros(2)
    total = 0.0
    np.cbrt(x, out=b)
    total += abs(b[0]) + 2 * abs(b[1])
    np.exp2(np.tanh(x), out=b)
    total += abs(b[0]) + 2 * abs(b[1])
    np.arcsinh(x, out=b)
    total += abs(b[0]) + 2 * abs(b[1])
    np.arctanh(np.tanh(x) * 0.5, out=b)
    total += abs(b[0]) + 2 * abs(b[1])
    np.logaddexp(np.tanh(x), 0.5, out=b)
    return total + abs(b[0]) + 2 * abs(b[1])

#: angles and steps into an array | n = 2 | array | compiled
import numpy as np
def f(x):
    b = np.zeros(2)
    np.deg2rad(x, out=b)
    total = b[0] + 2 * b[1]
    np.rad2deg(x, out=b)
    total += b[0] - b[1]
    np.heaviside(x, 0.5, out=b)
    total += b[0] + 4 * b[1]
    np.float_power(np.abs(x) + 1, 2, out=b)
    total += b[0] + 8 * b[1]
    np.nextafter(x, 1e9, out=b)
    return total + b[0] * b[1]

#: truth values into an array | n = 2 | array | compiled
import numpy as np
def f(x):
    m = np.zeros(2, dtype=bool)
    np.greater(x, 0.5, out=m)
    total = 1.0 * m[0] + 2 * m[1]
    np.logical_or(m, x < -1, out=m)
    total += 4 * m[0] + 8 * m[1]
    np.logical_not(m, out=m)
    total += 16 * m[0] + 32 * m[1]
    np.isfinite(x, out=m)
    return total + 64 * m[0] + 128 * m[1]

#: truth values into an array of floats | n = 2 | array
import numpy as np
def f(x):
    b = np.zeros(2)
    np.less_equal(x, 0.5, out=b)
    total = b[0] + 2 * b[1]
    np.signbit(x, out=b)
    total += 4 * b[0] + 8 * b[1]
    np.cbrt(x, where=x > 0, out=b)
    return total + np.sum(b > 0)

#: floats into an array of whole numbers | n = 2 | array
import numpy as np
def f(x):
    b = np.zeros(2, dtype=int)
    np.cbrt(x, out=b)
    return b[0]

#: the same numbers, conjugates and steps into an array | n = 2 | array | compiled
import numpy as np
def f(x):
    b = np.zeros(2)
    r = np.positive(x, out=b)
    total = b[0] + 2 * b[1] + (r is b)
    np.conj(x * 2, out=b)
    total += b[0] - b[1]
    np.conjugate(x[::-1], out=(b,))
    total += 4 * b[0] + b[1]
    np.spacing(x, out=b)
    return total + b[0] * 1e10 + b[1] * 1e12

#: the same numbers into an array that they come from | n = 3 | array | compiled
import numpy as np
def f(x):
    b = x * 3
    np.positive(b[::-1], out=b)
    np.conj(b[1:], out=b[:-1])
    np.positive(7, out=b[2:])
    return b[0] + 2 * b[1] + 4 * b[2]

#: the chosen ones of the same numbers | n = 3 | array | compiled
import numpy as np
def f(x):
    b = np.full(3, 9.0)
    np.positive(x, out=b, where=x > 0)
    np.conj(b * 2, out=b, where=b > 5)
    np.spacing(b, where=[True, False, True], out=b)
    return b[0] * 1e12 + b[1] + b[2] * 1e10

#: the same truth values into an array | n = 2 | array | raises = UFuncTypeError
import numpy as np
def f(x):
    b = np.zeros(2)
    return np.positive(x > 0, out=b)[0]

#: conjugates of truth values into an array | n = 2 | array
import numpy as np
def f(x):
    b = np.zeros(2)
    np.conj(x > 0, out=b)
    np.spacing([1, 2], out=b)
    return b[0] + b[1]

#: conjugates of floats into an array of whole numbers | n = 2 | array | raises = UFuncTypeError
import numpy as np
def f(x):
    b = np.zeros(2, dtype=int)
    return np.conj(x, out=b)[0]

#: steps into an array of whole numbers | n = 2 | array | raises = UFuncTypeError
import numpy as np
def f(x):
    b = np.zeros(2, dtype=int)
    return np.spacing(x, out=b)[0]

#: whole numbers into an array of floats | n = 2 | array
import numpy as np
def f(x):
    b = np.zeros(2)
    np.positive(np.array([3, -4]), out=b)
    np.conjugate([b[0], 5], out=b)
    return b[0] + b[1] * x[0]

#: too few places for the same numbers | n = 3 | array | raises = ValueError
import numpy as np
def f(x):
    b = np.zeros(2)
    return np.positive(x, out=b)[0]

#: conjugates of complex numbers into an array | n = 2 | array
import numpy as np
def f(x):
    b = np.zeros(2, dtype=complex)
    np.conj(x + 2j, out=b)
    return b[0].real + b[1].imag

#: both parts into arrays | n = 2 | array | compiled
import numpy as np
def f(x):
    a = np.zeros(2)
    b = np.ones(2)
    r = np.modf(x, out=(a, b))
    total = a[0] + 2 * a[1] + 4 * b[0] + 8 * b[1]
    return total + (r[0] is a) + 2 * (r[1] is b)

#: one of both parts into an array | n = 2 | array | compiled
import numpy as np
def f(x):
    a = np.zeros(2)
    p, q = np.modf(x, out=(a, None))
    r, s = np.modf(x * 3, out=(None, a))
    return p[0] + 2 * q[1] + 4 * r[0] + 8 * s[1]

#: both parts into the array that they come from | n = 2 | array | compiled
import numpy as np
def f(x):
    a = x * 1.5
    b = np.zeros(2)
    np.modf(a, out=(a, b))
    np.modf(b / 2, out=(b, a[::-1]))
    return a[0] + 2 * a[1] + 4 * b[0] + 8 * b[1]

#: the chosen ones of both parts | n = 2 | array | compiled
import numpy as np
def f(x):
    a = np.zeros(2)
    b = np.ones(2)
    np.modf(x, out=(a, b), where=x > 1)
    return a[0] + 2 * a[1] + 4 * b[0] + 8 * b[1]

#: both parts into one array | n = 2 | array | cpython
import numpy as np
def f(x):
    a = np.zeros(3)
    np.modf(x, out=(a[:2], a[1:]))
    return a[0] + 2 * a[1] + 4 * a[2]

#: both parts into an array that is no pair | n = 2 | array | raises = TypeError | cpython
import numpy as np
def f(x):
    a = np.zeros(2)
    np.modf(x, out=a)
    return a[0]

#: both parts into arrays of other shapes | n = 2 | array | cpython
import numpy as np
def f(x):
    a = np.zeros((3, 2))
    np.modf(x, out=(a, None))
    return a[2, 0] + a[1, 1]

#: both parts into whole numbers, and what is left where NumPy refuses | n = 2 | array | cpython
import numpy as np
def f(x):
    a = np.zeros(2)
    b = np.zeros(2, dtype=int)
    try:
        np.modf(x, out=(a, b))
    except TypeError:
        return a[0] - 1
    return a[0]

#: both parts into no array | n = 2 | array | raises = TypeError | cpython
import numpy as np
def f(x):
    p, q = np.modf(x, out=None)
    return p[0] + q[1]

#: integers to a power in place that is a float | at = 2 0; 1 0; 0.5 2
import numpy as np
def f(x):
    w = np.array([3, 4])
    try:
        w **= x[0]
    except TypeError:
        return -1.0
    return w[0] + 0.5

#: the method takes no array by name, other than the function | n = 2 | array | raises = TypeError | cpython
import numpy as np
def f(x):
    b = np.zeros(2)
    x.conj(out=b)
    return b[0]

#: nor does its other name | n = 2 | array | raises = TypeError | cpython
import numpy as np
def f(x):
    b = np.zeros(2)
    x.conjugate(out=b)
    return b[0]

#: nor does that of elements chosen by a mask | n = 2 | array | cpython
import numpy as np
def f(x):
    b = np.zeros(2)
    x[x > 0].conj(out=b)
    return b[0]

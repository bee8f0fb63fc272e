#: a product of NumPy's truth value is an integer or a float | array | at = 0 1; 0.5 1
import numpy as np
def f(x):
    x = x * 1.0
    r = (0.5 != x[0]) * (2 if x[0] else 1.0)
    return 1.0 if isinstance(r, (int, float)) else 0.0

#: the power of what may be NumPy's integer | array
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(3) * (2 if x[0] > 0 else 1.0)
    try:
        return 1.0 * r ** -1
    except ValueError:
        return 8.0

#: a power whose exponent depends on x, of what may be NumPy's integer | array
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(3) * (2 if x[0] > 0 else 1.0)
    try:
        return 1.0 * r ** (2 if x[1] > 0 else -1)
    except ValueError:
        return 8.0

#: a zero that may be NumPy's integer divides without raising | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(0) if x[0] > 0 else np.float64(0.0)
    try:
        return 1.0 / r
    except ZeroDivisionError:
        return 7.0

#: a list is repeated by what may be NumPy's integer | array
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(2) if x[0] > 0 else np.float64(1.0)
    try:
        return 1.0 * len([1, 2] * r)
    except TypeError:
        return 8.0

#: NumPy's integer or float has no items | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(2) if x[0] > 0 else np.float64(1.0)
    try:
        return r[0]
    except IndexError:
        return 7.0
    except TypeError:
        return 8.0

#: NumPy's integer or float is compared item by item | array
import numpy as np
def f(x):
    x = x * 1.0
    r = np.int64(2) if x[0] > 0 else np.float64(1.0)
    return 0.0 if isinstance(r == [2, 1], bool) else 3.0

#: NumPy's integer or float is NumPy's | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    r = -(np.int64(2) if x[0] > 0 else np.float64(1.0))
    return 1.0 if isinstance(r, np.generic) and isinstance(r > 0, np.bool_) else 0.0

#: an item of NumPy's integer or float is Python's | array
import numpy as np
def f(x):
    x = x * 1.0
    r = (np.int64(2) if x[0] > 0 else np.float64(1.0)).item()
    return 1.0 if isinstance(r, int) else 2.0 if isinstance(r + 0, float) else 3.0

#: sorted numbers keep their types | array | at = 2 0; 0 2
def f(x):
    x = x * 1.0
    r = sorted([x[0], 1])[0]
    return 1.0 if isinstance(r, int) else 2.0

#: sorted numbers keep their types, of which one divides by zero without raising | array | at = 0 2; -1 2
def f(x):
    x = x * 1.0
    r = sorted([x[0], 0])[0]
    try:
        return 1.0 / r
    except ZeroDivisionError:
        return 7.0

#: an array of integers or of floats cuts what is stored | array
import numpy as np
def f(x):
    x = x * 1.0
    a = np.array([2 if x[0] > 0 else 1.5, 3])
    a[0] = 2.7
    return np.sum(a) * 1.0

#: zeros like an array of integers or of floats | array
import numpy as np
def f(x):
    x = x * 1.0
    z = np.zeros_like(np.array([2 if x[0] > 0 else 1.5, 3]))
    z[0] = 0.5
    return np.sum(z) * 1.0

#: an array of integers or of floats may not take a fraction in place | array | raises = UFuncTypeError
import numpy as np
def f(x):
    x = x * 1.0
    a = np.array([2 if x[0] > 0 else 1.5, 3])
    a += 0.5
    return np.sum(a)

#: a penalty that is an array of integers or of floats is computed with | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    g = np.array([max(0, x[0] - 1), max(0, 2 - x[1])])
    return np.sum(g ** 2) + 10 * np.max(g) + np.dot(g, [1, 2]) + g.mean()

#: an array that was asked to be of floats is one | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    g = np.array([max(0, x[0] - 1), max(0, 2 - x[1])], dtype=float)
    g[0] += 0.75
    g *= 0.5
    return np.sum(g) if isinstance(g[0], float) else -1.0

#: an array in which something is a float on all lanes is one of floats | array | compiled
import numpy as np
def f(x):
    x = x * 1.0
    g = np.array([max(0, x[0] - 1), x[1]])
    g[0] += 0.75
    return np.sum(g) if isinstance(g[0], float) else -1.0

#: an array of what may be integers is no index for certain | array | raises = IndexError
import numpy as np
def f(x):
    x = x * 1.0
    return np.sum(np.arange(5.0)[np.array([2 if x[0] > 0 else 1.5, 3])])

#: bits of what may be integers | array | raises = TypeError
import numpy as np
def f(x):
    x = x * 1.0
    a = np.array([2 if x[0] > 0 else 1.5, 3])
    return np.sum(a & 1) * 1.0 if x[1] > 0 else np.sum(~a) * 1.0

#: some elements of what may be integers | array
import numpy as np
def f(x):
    x = x * 1.0
    a = np.array([2 if x[0] > 0 else 1.5, 3])
    return 1.0 if isinstance(np.sum(a[x > -10]), np.integer) else 2.0

#: rounded, inserted, put on a diagonal, folded: integers stay what they are | array
import numpy as np
def f(x):
    x = x * 1.0
    r = 2 if x[0] > 0 else 1.5
    k = int(min(abs(x[1]), 5.0)) % 4
    if k == 0:
        a = np.round(np.array([r, 3]))
    elif k == 1:
        a = np.insert(np.array([r]), 0, 1)
    elif k == 2:
        a = np.diag([r, 3])[0]
    else:
        a = np.convolve([r, 1], [1, 1])
    return 1.0 if isinstance(a[1], np.integer) else 2.0

#: an in-place sum with a number that is a float on some lanes | array | raises = UFuncTypeError | at = 1 9; 9 1
import numpy as np
def f(x):
    pts = np.zeros((2, 3), dtype=int)
    pts[0] += 1.0 if x[1] < 0 else 4
    return 1.0 + pts[0][0]

#: an in-place sum with the lesser of a float and an integer | array | raises = UFuncTypeError | at = 9 9; 0 0
import numpy as np
def f(x):
    pts = np.zeros((2, 3), dtype=int)
    pts[0] += min(x[0], 1)
    return 1.0

#: the exception of an in-place sum that is one on some lanes only is caught | array | at = 1 9; 9 1
import numpy as np
def f(x):
    pts = np.zeros(3, dtype=int)
    try:
        pts -= 1.0 if x[1] < 0 else 4
    except TypeError:
        return 9.0
    return 1.0 * pts[0]

#: integers rounded to whole numbers are integers or floats, as NumPy's version says | array | compiled
import numpy as np
def f(x):
    return np.floor(3) + np.ceil(np.arange(3))[2] / 2 + x[0] * np.trunc(2) + np.sum(np.zeros(int(np.floor(4))))

#: what integers rounded to whole numbers are | array
import numpy as np
def f(x):
    return (1.0 if isinstance(np.floor(3), float) else 2.0) + x[0]

#: integers rounded by rint are floats | array | compiled
import numpy as np
def f(x):
    return np.rint(3) ** -1 + x[0] + (1.0 if isinstance(np.rint(2 if x[0] > 0 else 1), float) else 2.0)

#: arrays without axes, and numbers where others give one | n = 2 | array | compiled
import numpy as np
def f(x):
    a = np.array(x[0])
    values = [
        np.where(x[0] > 0, x[1], 0.5), np.select([x[0] > 0], [x[1]], 0.5), np.piecewise(x[0], [x[0] > 0], [1.0, 2.0]),
        a[...], x[0, ...], np.tensordot(x, x, 1), np.cross(x, [3, 4]), np.cov(x), np.squeeze(x[:1]), a.T,
        np.transpose(x[0]), np.squeeze(x[0]), np.flip(a), a[()], a * 2, np.einsum('i,i', x, x),
    ]
    total = 0.0
    for k, v in enumerate(values):
        total += 2.0 ** k * isinstance(v, np.ndarray) + 3.0 ** k * isinstance(v, np.generic)
    return total

#: an array without axes is no key | n = 1 | array
import numpy as np
CACHE = {}
def f(x):
    value = np.where(1.0, 0, 0.1)
    try:
        CACHE[value] = 1.0
    except TypeError:
        return 2.0
    return 1.0

#: what is done with an array without axes | n = 2 | array | compiled
import math
import numpy as np
def f(x):
    v = np.where(x[0] > 0, x[1], 0.5)
    w = v if isinstance(v, (int, float)) else 7.0
    return w + math.sqrt(abs(v)) + float(v) + (1.0 if v > 0 else 2.0) + v ** 2 + sum([v, 1.0]) + v.item() + v[()] + v.ndim

#: functions of truth values give floats of eleven bits | n = 3 | array
import numpy as np
def f(x):
    return np.var(np.fabs(x < 2)) + np.mean(np.exp(x > 0) / 3) + np.sqrt(x[0] < 1) / 3 + np.arctan2(x < 2, x > 1)[0]

#: squares and remainders of truth values are integers of eight bits | n = 3 | array
import numpy as np
def f(x):
    return np.mean(np.square(x < 2) * 100 * 7) + np.sum(np.fmod(x < 1, x > 0)) + np.reciprocal(x[0] < 2)

#: functions of SciPy of truth values are computed in single precision | n = 2 | array
import numpy as np
from scipy import special
def f(x):
    return np.sum(special.expit(x > 0)) / 3 + special.erf(x[0] > 1)

#: functions of truth values and numbers | n = 3 | array | ulp = 4 | compiled
import numpy as np
def f(x):
    return np.var(np.hypot(x < 2, 3.0)) + np.mean(np.exp((x > 0) * 1.0) / 3) + np.sqrt(1 + (x[0] < 1)) / 3

#: a count is an int or an np.int64, as NumPy's version says | n = 2 | array
import numpy as np
def f(x):
    return 1.0 if isinstance(np.count_nonzero(x), np.generic) else 2.0

#: a count is a number | n = 2 | array | compiled
import numpy as np
def f(x):
    return np.count_nonzero(x > 0) * 1.5 + x[0]

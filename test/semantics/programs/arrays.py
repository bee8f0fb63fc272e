#: a list times two repeats it | row = 1 | list | compiled
def f(x):
    y = [1, 2] * 2
    return len(y) + (x * 2)[3] + y[2]

#: a list times two and an array times two | row = 1 | array
import numpy as np
def f(x):
    return len([1, 2] * 2) + (np.array([1, 2]) * 2)[1] * 10 + (x * 2)[0]

#: a list to a power raises | row = 1 | raises = TypeError
import numpy as np
def f(x):
    return [1.0, 2.0] ** 2

#: slices of arrays are views | row = 26
import numpy as np
def f(x):
    v = x[1:]
    v[0] = 7.0
    w = x[::-1]
    w[0] += 1
    return x[0] + x[1] * 10

#: slices of lists are copies | row = 26 | list
def f(x):
    v = x[1:]
    v[0] = 7.0
    return x[0] + x[1] * 10

#: in place on the argument changes it once only | row = 26
import numpy as np
def f(x):
    y = x
    y += 1
    x *= 2
    return x.sum() + y[0]

#: a store through an alias | row = 26
import numpy as np
def f(x):
    y = x
    y[0] = 1.0
    return x[0] + x[1]

#: a helper changes its argument | row = 26
import numpy as np
def g(v):
    v -= 1
    v = v * 100
    return v[0]
def f(x):
    r = g(x)
    return r + x[0]

#: not in place makes a new array
import numpy as np
def f(x):
    y = x
    y = y + 1
    return x[0] + y[0] * 10

#: flip and rot are views
import numpy as np
def f(x):
    y = np.flip(x)
    y[0] = 5.0
    return x[-1] * 10 + x[0]

#: ravel of a matrix is a view, flatten a copy | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    m.ravel()[0] = 50.0
    m.flatten()[1] = 60.0
    return x[0] + x[1]

#: ravel of a transposed matrix is a copy | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    r = m.T.ravel()
    r[0] = 50.0
    return x[0] + r[1]

#: reshape of a strided array is a copy | n = 4
import numpy as np
def f(x):
    r = x.reshape(2, 2).T.reshape(4)
    r[0] = 50.0
    return x[0] + r[1]

#: transposes are views | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    m.T[0, 1] = 50.0
    return m[1, 0] + x[2]

#: rows and columns are views | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    c = m[:, 1]
    c[:] = 3.0
    r = m[0]
    r *= 2
    return x[0] + x[1] * 10 + x[3] * 100

#: np.array copies, np.asarray does not
import numpy as np
def f(x):
    a = np.array(x)
    b = np.asarray(x)
    a[0] = 50.0
    b[1] = 60.0
    return x[0] + x[1]

#: astype copies
import numpy as np
def f(x):
    a = x.astype(float)
    a[0] = 50.0
    b = np.asarray(x, dtype=float)
    b[1] = 3.0
    return x[0] + x[1]

#: fancy indexing copies | n = 3
import numpy as np
def f(x):
    a = x[[0, 2]]
    a[0] = 50.0
    x[[0, 1]] = 4.0
    return x[0] + x[1] + x[2] + a[0]

#: a mask selects | n = 4
import numpy as np
def f(x):
    return x[x > 0].sum() + len(x[x > 1]) * 10

#: a mask stores | n = 4 | zero
import numpy as np
def f(x):
    y = x.copy()
    y[y < 0] = 0.0
    y[x > 2] *= 2
    y[(x > 0) & (x < 1)] += 10
    return y.sum()

#: sums of many that a mask selects | n = 9 30 | compiled
import numpy as np
def f(x):
    x = np.asarray(x)
    big = np.concatenate([x, x * 0.3 + 0.1, x - 0.7])
    chosen = big[big < 1.5]
    rest = big[(big > -1) & (big < 2)]
    centered = np.var(rest) if rest.size > 3 else 0.0
    return chosen.sum() + 1e-3 * np.mean(big[big > -5e300]) + np.sum(np.abs(x[x != 0])) + centered

#: the sign of a sum of nothing, and of zeros, that a mask selects | n = 9
import numpy as np
def f(x):
    x = np.asarray(x)
    zeros = x * 0.0
    return np.copysign(1.0, np.sum(zeros[x > 1])) + np.copysign(2.0, zeros[x < 1].sum()) + x[0]

#: a mask selects more than a block of a sum | n = 130
import numpy as np
def f(x):
    x = np.asarray(x)
    near = x[np.abs(x) < 1e3]
    return near.sum() / 7 if near.size < 129 else near[:100].sum()

#: norms of what a mask selects | n = 3 12 | ulp = 2
import numpy as np
def f(x):
    x = np.asarray(x)
    return np.linalg.norm(x[x > 0.1]) + np.std(x[x < 1e200] * 1e-3)

#: a mask of nothing | n = 3
import numpy as np
def f(x):
    y = x[x > 1e308]
    return y.sum() + len(y) + x[0]

#: overlapping slices | n = 4
import numpy as np
def f(x):
    x[1:] = x[:-1]
    x[:2] += x[1:3]
    return x[0] + x[1] * 10 + x[2] * 100 + x[3] * 1000

#: swap of rows by a tuple | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2).copy()
    m[0], m[1] = m[1], m[0]
    return m[0, 0] + m[1, 0] * 10

#: swap of elements of an array
import numpy as np
def f(x):
    x[0], x[1] = x[1], x[0]
    return x[0] * 10 + x[1]

#: integer arrays truncate on store | row = 27 | raises = ValueError OverflowError
import numpy as np
def f(x):
    a = np.array([1, 2])
    a[0] = 2.9
    a[1] = x[0]
    z = np.zeros(3, dtype=int)
    z[1] = -1.7
    return a[0] + a[1] * 10 + z[1] * 100

#: integer arrays take whole float arrays truncated | row = 27
import numpy as np
def f(x):
    z = np.zeros(2, dtype=int)
    z[:] = np.array([1.9, -1.9])
    return z[0] + z[1] * 10 + x[0]

#: an in-place float operation on an integer array | row = 27 | raises = UFuncTypeError
import numpy as np
def f(x):
    a = np.array([1, 2])
    a += 1.5
    return a[0] + x[0]

#: an in-place division of an integer array | row = 27 | raises = UFuncTypeError
import numpy as np
def f(x):
    a = np.arange(3)
    a /= 2
    return a[0] + x[0]

#: in place on a 0-d integer array | raises = UFuncTypeError
import numpy as np
def f(x):
    a = np.array(5)
    a += 1.5
    return a + x[0]

#: in place on a boolean array | raises = UFuncTypeError
import numpy as np
def f(x):
    m = x > 0
    m += 1
    return m[0] + x[0]

#: in place on a boolean array by a bool
import numpy as np
def f(x):
    m = x > 0
    m |= x < -1
    m &= x != 3
    m ^= True
    return m.sum() + x[0]

#: in place on a view of an integer array
import numpy as np
def f(x):
    a = np.arange(4)
    a[1:3] *= 3
    a[::2] -= 1
    return a[0] + a[1] * 10 + a[2] * 100 + x[0]

#: arange of ints divides to floats | row = 27
import numpy as np
def f(x):
    a = np.arange(5) / 2
    return a[1] + a.sum() + np.arange(3)[1] / 2 + x[0]

#: arange with float steps
import numpy as np
def f(x):
    a = np.arange(0.3, 1.5, 0.1)
    return a[7] + len(a) + a.sum() + np.arange(1, 0, -0.25)[3] + x[0]

#: linspace ends exactly
import numpy as np
def f(x):
    a = np.linspace(0.1, 0.7, 7)
    b = np.linspace(x[0], x[1], 5) if abs(x[0]) < 100 and abs(x[1]) < 100 else np.linspace(0, 1, 5, endpoint=False)
    return a[-1] + a[3] + b[1] + b[-1] + np.linspace(1, 2, 1)[0]

#: shape mismatch raises | row = 21 | raises = ValueError
import numpy as np
def f(x):
    return (np.ones(3) + np.ones(2)).sum() + x[0]

#: a column plus a row is a matrix | row = 21 | n = 2 3
import numpy as np
def f(x):
    m = x.reshape(-1, 1) + x
    return m.shape[0] * 10 + m.shape[1] + m.sum() * 0.5

#: the truth of an array | row = 24 | raises = ValueError
import numpy as np
def f(x):
    if x > 0:
        return 1.0
    return 2.0

#: and on arrays | row = 24 | raises = ValueError
import numpy as np
def f(x):
    return ((x > 0) and (x < 1)).sum()

#: the truth of an array of one element | row = 24 | n = 1
import numpy as np
def f(x):
    if x > 0:
        return 1.0
    return 2.0 if not x else 3.0

#: & binds tighter than comparisons | row = 24 | raises = TypeError
import numpy as np
def f(x):
    return (x > 0 & x < 1).sum()

#: & of two conditions | row = 24
import numpy as np
def f(x):
    return ((x > 0) & (x < 1)).sum() + ((x > 0) | (x < -1)).sum() * 10

#: chained comparison of arrays | raises = ValueError
import numpy as np
def f(x):
    return (0 < x < 1).sum()

#: empty differences | row = 20 | n = 1 2
import numpy as np
def f(x):
    d = x[1:] - x[:-1]
    return np.sum(d) + np.prod(d) + len(d) * 10

#: the mean of nothing is nan | row = 20 | n = 1
import numpy as np
def f(x):
    m = np.mean(x[1:])
    return 1.0 if m != m else 2.0

#: the minimum of nothing raises | row = 20 | n = 1 | raises = ValueError
import numpy as np
def f(x):
    return np.min(x[1:])

#: min of an empty list raises | row = 20 | n = 1 | raises = ValueError
def f(x):
    return min(x[1:])

#: sums of empty integer arrays are ints
import numpy as np
def f(x):
    a = np.array([], dtype=int)
    return a.sum() + len(a) + x[0]

#: pairwise sums | row = 10 | n = 1 2 3 7 8 9 30 129 1000
import numpy as np
def f(x):
    return np.sum(x)

#: pairwise sums of products and squares | row = 10 | n = 7 8 9 30 129 300
import numpy as np
def f(x):
    return np.sum(x * x) + (x[::2] * 0.1).sum()

#: sums along axes | row = 10 | n = 30
import numpy as np
def f(x):
    m = x.reshape(3, 10)
    return m.sum(axis=1)[1] + m.sum(axis=0)[3] * 10 + m.T.sum(axis=1)[2] * 100 + m.T.sum(axis=0)[1] * 1000

#: sums of whole matrices, also transposed | row = 10 | n = 30
import numpy as np
def f(x):
    m = x.reshape(3, 10)
    return m.sum() + m.T.sum() * 10 + np.sum(m * 0.1) * 100

#: sums of reversed and strided vectors | row = 10 | n = 30
import numpy as np
def f(x):
    return np.sum(x[::-1]) + np.sum(x[::3]) * 10 + np.sum(x[1:-1]) * 100

#: sums of transposed expressions keep their memory order | row = 10 | n = 30
import numpy as np
def f(x):
    m = x.reshape(3, 10)
    return (m.T * 0.1).sum() + (m.T + m.T).sum(axis=0)[0]

#: sums of matrix blocks | row = 10 | n = 40
import numpy as np
def f(x):
    m = x.reshape(4, 10)
    return m[:, :9].sum() + m[1:, 1:].sum() * 10 + m[:, 0].sum() * 100 + m[::2].sum() * 1000

#: products go from left to right | row = 12 | n = 1 3 9 30
import numpy as np
def f(x):
    return np.prod(x * 0.5)

#: dot within rounding | row = 12 | n = 3
import numpy as np
def f(x):
    return 1.0 if abs(np.dot(x, x) - np.sum(x * x)) <= 1e-12 * np.sum(x * x) else 2.0

#: NumPy's functions are near the correctly rounded value | row = 13 | n = 1 | ulp = 4
import numpy as np
def f(x):
    return np.sin(x[0]) if abs(x[0]) < 1e6 else 0.5

#: exp, log and tanh | row = 13 | n = 1 | ulp = 4
import numpy as np
def f(x):
    v = np.exp(x[0])
    return v if v == v else 1.0

#: log | row = 13 | n = 1 | ulp = 4
import numpy as np
def f(x):
    v = np.log(np.abs(x[0]))
    return v if v == v else 1.0

#: roots are exact | row = 13 | n = 2
import numpy as np
def f(x):
    return np.sqrt(np.abs(x)).sum()

#: nan in NumPy's extremes | row = 19 | n = 1 2 3 9
import numpy as np
def f(x):
    a = np.max(x)
    b = np.fmax(x[0], x[-1])
    c = np.clip(x, 0.0, 1.0)
    return (a == a) + (b == b) * 2 + np.isnan(c).sum() * 10 + np.nan_to_num(np.minimum(x[0], x[-1]))

#: clip with nan bounds
import numpy as np
def f(x):
    v = np.clip(1.0, x[0], x[1])
    return 5.0 if v != v else v

#: argmin takes the first, nan counts | row = 29 | n = 1 2 3 9
import numpy as np
def f(x):
    return np.argmin(x) + np.argmax(x) * 100 + np.argmin(np.array([2.0, 1.0, 1.0])) * 1e4

#: argmin with ties among integers | row = 29 | n = 4
import numpy as np
def f(x):
    k = np.sign(np.nan_to_num(x))
    return np.argmin(k) + k.argmax() * 10

#: variance and deviation | row = 33 | n = 1 2 3 8 9 | ulp = 8
import numpy as np
def f(x):
    if not np.all(np.abs(x) < 1e100):
        return 0.0
    return np.var(x)

#: variance of one element is zero and with ddof nan | row = 33 | n = 1
import numpy as np
def f(x):
    if not np.all(np.abs(x) < 1e100):
        return 0.0
    v = np.var(x, ddof=1)
    return x.std() + (v != v)

#: the median of an even count | row = 33 | n = 1 2 3 4
import numpy as np
def f(x):
    v = np.median(x)
    return 3.0 if v != v else v

#: the median of an even count averages | row = 33 | n = 2
import numpy as np
def f(x):
    return np.median([1.0, 4.0, 2.0, 3.0]) + np.median(np.array([3, 1, 2])) * x[0] * 0 if abs(x[0]) < 1e308 else 1.0

#: average with weights that sum to zero | raises = ZeroDivisionError
import numpy as np
def f(x):
    return np.average(np.array([1.0, 2.0]), weights=[x[0], -x[0]])

#: floor of integers is a float
import numpy as np
def f(x):
    return np.floor(3) ** -1 + np.ceil(np.arange(3))[2] ** -1 + x[0]

#: rounding keeps integers
import numpy as np
def f(x):
    return np.round(np.array([1, 2, 3]))[0] + np.rint(np.arange(3))[1] ** -1 + x[0]

#: the sign of booleans | raises = UFuncTypeError
import numpy as np
def f(x):
    return np.sign(x > 0).sum()

#: np.abs of integers
import numpy as np
def f(x):
    return np.abs(np.array([-3, 2])).sum() // 2 + np.abs(-3) + x[0]

#: np.power of integers
import numpy as np
def f(x):
    return np.power(2, 3) + np.power(2.0, -1) + np.power(np.arange(3), 2).sum() + x[0]

#: np.power of an int to a negative int | raises = ValueError
import numpy as np
def f(x):
    return np.power(2, -1) + x[0]

#: integer floor division and remainder of arrays
import numpy as np
def f(x):
    a = np.array([-7, 7])
    return (a // 2)[0] + (a % 3)[0] * 10 + (a // -2)[1] * 100 + (a % -3)[1] * 1000 + x[0]

#: integer division by zero in NumPy
import numpy as np
def f(x):
    return np.array([1, 2])[0] // 0 + np.int64(5) % 0 + x[0]

#: where chooses elements, not branches
import numpy as np
def f(x):
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)) * 0, -1.0).sum()

#: where with integers makes integers
import numpy as np
def f(x):
    w = np.where(x > 0, 1, 2)
    return w.sum() / 2 + w[0] // 2 + np.where(x > 0, 1, 0.5)[0]

#: where with one argument
import numpy as np
def f(x):
    return len(np.where(x > 0)[0])

#: cumsum and diff | n = 1 2 9
import numpy as np
def f(x):
    return np.cumsum(x)[-1] + np.diff(np.cumsum(x)).sum() + np.cumprod([1, 2, 3])[-1]

#: roll and stack | n = 3
import numpy as np
def f(x):
    r = np.roll(x, 1)
    m = np.stack([x, r])
    return r[0] + m[1, 1] * 10 + np.concatenate([x, r])[4] * 100 + np.hstack((x, 1.0))[-1] + np.vstack((x, r)).shape[0]

#: a long trace is summed as every line of an array is | n = 20
import numpy as np
def f(x):
    return np.trace(np.outer(x, x))

#: outer, eye, diag and trace | n = 3
import numpy as np
def f(x):
    m = np.outer(x, x) if np.all(np.abs(x) < 1e100) else np.eye(3)
    return np.trace(m) + m[0, 1] + np.diag(m)[2] + np.diag(x)[1, 1] + np.triu(m)[1, 0] + np.tril(m)[0, 2]

#: writing to a diagonal raises | raises = ValueError
import numpy as np
def f(x):
    m = np.eye(2)
    d = np.diag(m)
    d[0] = 5.0
    return m[0, 0] + x[0]

#: keepdims and broadcasting back | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    c = m - m.max(axis=1, keepdims=True)
    return c[0, 0] + c[1, 1] * 10

#: newaxis and ellipsis | n = 2
import numpy as np
def f(x):
    m = x[:, None] * x[None, :]
    return m[0, 1] + m[..., 0][1] * 10 + x[np.newaxis].shape[1]

#: indices of several kinds | n = 4 | zero
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    return m[-1, -1] + m[0][1] * 10 + m[(1, 0)] * 100 + x[[3, 0]][0] * 1000 + x[np.array([True, False, True, False])].sum()

#: an index out of range of a matrix | n = 4 | raises = IndexError
import numpy as np
def f(x):
    return x.reshape(2, 2)[0, 2]

#: too many indices | raises = IndexError
import numpy as np
def f(x):
    return x[0, 0]

#: an index that depends on x | n = 3 | raises = IndexError ValueError OverflowError
import numpy as np
def f(x):
    return x[int(x[0])]

#: reshape that does not fit | n = 3 | raises = ValueError
import numpy as np
def f(x):
    return x.reshape(2, 2)[0, 0]

#: comparisons of arrays with lists and numbers
import numpy as np
def f(x):
    return (x == [1.0, 0.0]).sum() + (x != 1).sum() * 10 + np.array_equal(x, x) * 100

#: arrays of strings compare
import numpy as np
def f(x):
    return (np.array(["a", "b"]) == "a").sum() + x[0]

#: an array in a boolean context of any and all
import numpy as np
def f(x):
    return np.any(x > 1) * 1 + np.all(x > 1) * 2 + any(x > 1) * 4 + all(v > 1 for v in x) * 8

#: np.sum of a generator
import numpy as np
def f(x):
    return np.sum(np.array([v * 2 for v in x])) + np.sum([1, 2, 3]) + np.sum(5.0)

#: iteration over rows gives views | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    for row in m:
        row[0] = 1.5
    return x[0] + x[2] * 10 + x[1] * 100

#: iteration over an array gives numbers that do not follow | n = 3
import numpy as np
def f(x):
    t = 0.0
    for v in x:
        v += 100
        t += v
    return t + x[0]

#: elements taken before a store keep their value
import numpy as np
def f(x):
    a = x[0]
    x[0] = 50.0
    return a + x[0]

#: list of an array is a copy of numbers
import numpy as np
def f(x):
    a = list(x)
    a[0] = 50.0
    return x[0] + a[0] + len(a)

#: tolist gives Python floats | raises = ZeroDivisionError
import numpy as np
def f(x):
    return 1.0 / x.tolist()[0]

#: item and float give Python floats | raises = ZeroDivisionError
import numpy as np
def f(x):
    return 1.0 / x[0].item() + 1.0 / x.sum()

#: sort is a copy or in place
import numpy as np
def f(x):
    a = np.sort(x)
    b = x.copy()
    b.sort()
    return a[0] + b[-1] * 10 + x[0] * 100

#: argsort
import numpy as np
def f(x):
    return np.argsort(np.array([3.0, 1.0, 2.0]))[0] + x[0]

#: NaN sorts last
import numpy as np
def f(x):
    a = np.sort(np.array([np.nan, 1.0, x[0] * 0]))
    return a[0] if a[0] == a[0] else 9.0

#: matrix products | n = 4 | ulp = 4
import numpy as np
A = np.array([[1.0, 2.0], [3.0, 4.0]])
def f(x):
    v = A @ x[:2]
    return v[0] * 0.0 + 1.0 if np.all(np.abs(x) < 1e100) else 2.0

#: dot of integers
import numpy as np
def f(x):
    return np.dot([1, 2], [3, 4]) // 2 + np.arange(3) @ np.arange(3) + x[0]

#: matmul with a mismatch | n = 3 | raises = ValueError
import numpy as np
def f(x):
    return (np.eye(2) @ x).sum()

#: norm | n = 3 | ulp = 4
import numpy as np
def f(x):
    return np.linalg.norm(x) if np.all(np.abs(x) < 1e100) else 0.0

#: solve a singular system | raises = LinAlgError
import numpy as np
def f(x):
    a = np.array([[x[0], x[0]], [x[0], x[0]]]) if abs(x[0]) < 1e100 else np.eye(2)
    return np.linalg.solve(a, np.ones(2))[0]

#: interp outside and at the knots
import numpy as np
def f(x):
    v = np.interp(x[0], [0.0, 1.0, 2.0], [5.0, 7.0, 3.0])
    return v if v == v else 1.0

#: polyval and polynomials
import numpy as np
def f(x):
    return np.polyval([1.0, 2.0, 3.0], x[0])

#: errstate raise | row = 34 | cpython | raises = FloatingPointError
import numpy as np
def f(x):
    with np.errstate(all="raise"):
        return 1.0 / x[0]

#: seterr raise | row = 34 | cpython
import numpy as np
np.seterr(all="raise")
def f(x):
    try:
        return np.float64(1.0) / x[0]
    except FloatingPointError:
        return -1.0
    finally:
        np.seterr(all="ignore")

#: warnings as errors | row = 34 | cpython
import warnings
import numpy as np
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return float(np.log(-1.0)) * 0 + 1.0
        except RuntimeWarning:
            return 2.0 + x[0]

#: errstate ignore | row = 34 | ulp = 1
import numpy as np
def f(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        v = 1.0 / x[0]
    return v if v == v else 0.0

#: float32 arithmetic
import numpy as np
def f(x):
    return float(np.float32(0.1)) + float(np.array([0.1, 0.2], dtype=np.float32).sum()) + x[0] * 0 if abs(x[0]) < 1e300 else 1.0

#: fill and zeros_like
import numpy as np
def f(x):
    z = np.zeros_like(x)
    z.fill(2.5)
    o = np.ones_like(x) * 3
    e = np.full(3, 7)
    return z.sum() + o.sum() * 10 + e[0] / 2 + x[0]

#: full_like of integers truncates
import numpy as np
def f(x):
    a = np.full_like(np.arange(3), 2.9)
    return a[0] + x[0]

#: bool masks as numbers | n = 3
import numpy as np
def f(x):
    m = x > 0
    return (m * x).sum() + m.sum() * 10 + (1 - m).sum() * 100 + np.dot(m, m)

#: subtracting boolean arrays | raises = TypeError
import numpy as np
def f(x):
    return ((x > 0) - (x < 0)).sum()

#: nested lists to matrices | n = 4
import numpy as np
def f(x):
    m = np.array([[x[0], 1], [2, x[3]]])
    return m[1, 0] / 4 + m.sum() + m.ndim + m.size + m.shape[0]

#: ragged lists | raises = ValueError
import numpy as np
def f(x):
    m = np.array([[1.0, 2.0], [3.0]])
    return (m + 1).sum() + x[0]

#: array and list addition
import numpy as np
def f(x):
    return (x + [1, 2]).sum() + ([1, 2] + x)[0] + len([1, 2] + [3]) + (x + (1.0, 2.0))[1]

#: an array in a list concatenation
import numpy as np
def f(x):
    a = [1.0]
    a += x
    return len(a) + a[-1]

#: list extended by an array, and a list times an np.int64
import numpy as np
def f(x):
    a = [1.0]
    a.extend(x)
    b = [1.0, 2.0] * np.int64(2)
    return len(a) + a[1] + len(b) * 10

#: comparing with None
import numpy as np
def f(x):
    return (1.0 if x is None else 2.0) + (x[0] == None) * 4

#: any axis and all axis | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2) > 0
    return m.any(axis=0).sum() + m.all(axis=1).sum() * 10 + m.sum(axis=1)[0] * 100

#: min and max along axes | n = 4
import numpy as np
def f(x):
    m = x.reshape(2, 2)
    return m.min(axis=0)[1] + m.max(axis=1)[0] * 10 + m.argmin(axis=1)[0] * 100 if not np.isnan(x).any() else 0.0

#: mean of integers and along axes | n = 4
import numpy as np
def f(x):
    return np.mean([1, 2, 4]) + np.mean(x.reshape(2, 2), axis=0)[1] + x.mean()

#: squeeze, ravel and atleast | n = 1
import numpy as np
def f(x):
    return np.squeeze(x) + x.ravel()[0] + np.atleast_1d(5.0)[0] + np.atleast_2d(x).shape[1]

#: a module-level array is not changed | row = 30
import numpy as np
A = np.zeros(3)
def f(x):
    b = A.copy()
    b[0] = x[0]
    return b.sum() + A.sum()

#: divmod and modf of arrays
import numpy as np
def f(x):
    a, b = np.modf(x)
    return a[0] + b[1] * 10 if np.all(np.isfinite(x)) else 0.0

#: nan-aware functions | n = 3 | zero
import numpy as np
def f(x):
    return np.nansum(x) if not np.isinf(x).any() else 1.0

#: exp of a list is an array
import numpy as np
def f(x):
    return np.sqrt([4.0, 9.0])[1] + np.abs([-1, 2]).sum() + np.maximum([1, 5], 3)[0] + x[0]

#: 0-d arrays behave as numbers
import numpy as np
def f(x):
    a = np.array(3.0)
    b = np.asarray(x[0])
    return a * 2 + b + np.array(2) / 4 + (a > 2) + a.ndim

#: heaviside, sign, copysign
import numpy as np
def f(x):
    return np.heaviside(x, 0.5)[0] + np.sign(x)[1] * 10 + np.copysign(1.0, x)[0] * 100 if not np.isnan(x).any() else 0.0

#: tile and repeat | n = 2
import numpy as np
def f(x):
    return np.tile(x, 3)[5] + np.repeat(x, 2)[1] * 10 + np.repeat(5, 2).sum()

#: meshgrid
import numpy as np
def f(x):
    a, b = np.meshgrid(np.arange(2), np.arange(3))
    return a[2, 1] + b[2, 1] * 10 + x[0]

#: vectorize and apply
import numpy as np
def f(x):
    g = np.vectorize(lambda v: v + 1.0)
    return g(x).sum()

#: masks that depend on x | compiled | n = 3 5 | ulp = 8
import numpy as np
def f(x):
    y = x.copy()
    y[y > 2] -= 1.5
    y[y < 0] *= -1
    y[np.isnan(y)] = 0.25
    p = x[x < 1]
    t = np.sum(p ** 2) + len(p) * 0.5 + (p + 1).prod()
    over = x[x > 1.0] - 1.0
    t += over.sum() if over.size > 0 else -1.0
    for v in x[x > 0]:
        t += 1 / (1 + v * v)
    return t + np.abs(y).max() + np.any(p > 0) + sum(x[x > 3])

#: a mask of nothing | compiled | raises = ValueError
import numpy as np
def f(x):
    return x[x > 3].max() + np.mean(x[x < 1e308]) + 0.0 * np.sum(x[x > 1e305])

#: two masks
import numpy as np
def f(x):
    return np.sum(x[x > 0] * x[x < 1])

#: positions that depend on x | compiled | n = 4
import numpy as np
def f(x):
    order = np.argsort(x)
    inside = np.where(x > 0)[0]
    return x[order][0] * 2 + order[-1] + inside.size + x[inside].sum() * 0.5 + np.take(x, order)[1]

#: stores through views | compiled | n = 4
import numpy as np
def f(x):
    A = x.reshape(2, 2) * 1.0
    np.flipud(A)[0, 1] = 5.0
    np.swapaxes(A, 0, 1)[1, 0] += 1.0
    A.transpose(1, 0)[0] = [x[0], 7.0]
    np.moveaxis(A, 0, 1)[1, 1] *= 2.0
    left, right = np.split(A, 2, axis=1)
    left[0] = -3.0
    np.rot90(A)[0, 0] = 4.0
    B = np.fliplr(A).copy()
    B[0, 0] = 100.0
    np.fill_diagonal(B, x[1])
    return A.sum(axis=0) @ np.array([1.0, 10.0]) + A[0, 1] * 0.5 + B[1, 0] + right[1, 0]

#: views that NumPy does not let be written to | raises = ValueError
import numpy as np
def f(x):
    A = np.broadcast_to(x, (3, 2))
    if x[0] > 2:
        A[0, 0] = 1.0
    return A.sum()

#: known masks and fancy indices | compiled | n = 4
import numpy as np
M = np.array([True, False, True, True])
I = np.array([3, 0, 0])
def f(x):
    y = x.copy()
    y[M] = [1.0, x[1], 3.0]
    A = np.outer(x, x) + np.arange(4)
    t = A[[0, 1], [2, 3]].sum() + A[I][:, 0].sum() + A[np.triu_indices(4, 1)].sum() + A[np.ix_(I, [1, 2])][0, 1]
    return t + y @ x[I].repeat([2, 1, 1])

#: vectorized functions get Python's numbers | compiled | raises = ZeroDivisionError
import numpy as np
g = np.vectorize(lambda v: 1 / v if v < 2 else v, otypes=[float])
h = np.vectorize(lambda a, b: a * b + 1)
def f(x):
    return g(x).sum() + h(x, 2.0)[1] + np.vectorize(float)([1, 2]).sum()

#: the type of a vectorized function is that of its first value | cpython
import numpy as np
def f(x):
    return np.vectorize(lambda v: 0 if v < 0 else v)(x).sum()

#: piecewise with functions | compiled | n = 3
import numpy as np
def f(x):
    y = np.piecewise(x, [x < -1, (x >= -1) & (x < 1)], [lambda v: v ** 2, -2.0, lambda v: v + 1])
    return y[0] + 3 * y[1] + np.piecewise(x[2], [x[2] > 0], [lambda v: v, lambda v: -v])

#: the trapezoidal rule, which newer versions of NumPy call otherwise | n = 6 | ulp = 4 | zero
import numpy as np
def f(x):
    return np.trapz(x.reshape(2, 3), dx=0.5)[1]

#: statistics along axes | compiled | n = 6 | ulp = 4
import numpy as np
def f(x):
    A = x.reshape(2, 3)
    t = np.median(A, axis=0)[1] + np.percentile(A, 40, axis=1)[0] + np.average(A, axis=0, weights=[1, 3])[2]
    t += np.sort(A, axis=0)[1, 0] + np.cumsum(A, axis=0)[1, 2] + np.diff(A, axis=1)[0, 1] + A.max(axis=1, initial=0.5).sum()
    return t + np.quantile(x, [0.25, 0.5])[0] + np.maximum.reduce(A)[1]

#: an array to a power that is 0.5 on some lanes | ulp = 2 | compiled
import numpy as np
def f(x):
    p = 0.5 if x[1] > 0 else 2
    y = np.array([x[0], -0.0, -np.inf]) ** p
    return np.copysign(1.0, y[1]) + (3 if y[2] != y[2] else 5)

#: an array to a power that is an array without axes
import numpy as np
def f(x):
    y = np.array([x[0], -0.0, -np.inf]) ** np.array(0.5)
    return np.copysign(1.0, y[1]) + (3 if y[2] != y[2] else 5)

#: the diagonal of a matrix takes a vector | n = 1 3 5 | array | compiled
import numpy as np
def f(x):
    a = np.full((3, 4), 0.5)
    np.fill_diagonal(a, x)
    return a[0, 0] + 10 * a[1, 1] + 100 * a[2, 2] + a[2, 3] + a.sum()

#: the diagonal of whole numbers cuts fractions | compiled
import numpy as np
def f(x):
    a = np.zeros((4, 2), dtype=int)
    np.fill_diagonal(a, [1.75, -2.5])
    return a[0, 0] + 10 * a[1, 1] + a.sum() + x[0]

#: a diagonal of rows and columns | array | compiled
import numpy as np
def f(x):
    a = np.zeros((4, 4))
    np.fill_diagonal(a, np.outer(x, x))
    return a[0, 0] + 2 * a[1, 1] + 3 * a[2, 2] + 5 * a[3, 3]

#: a diagonal from the matrix itself is CPython's | array | cpython
import numpy as np
def f(x):
    a = np.arange(9.0).reshape(3, 3) * x[0]
    np.fill_diagonal(a, a[1])
    return a.sum()

#: running extremes | n = 1 2 7 | array | compiled
import numpy as np
def f(x):
    up = np.maximum.accumulate(x)
    down = np.minimum.accumulate(x)
    return np.sum(up * np.arange(1, len(x) + 1)) - down[-1]

#: running extremes of a matrix | compiled
import numpy as np
def f(x):
    a = np.array([[x[0], x[1]], [x[1], 1.0], [0.5, x[0]]])
    return np.sum(np.maximum.accumulate(a) * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) + np.minimum.accumulate(a, axis=1)[2, 1]

#: Rosenbrock's function of SciPy | n = 1 2 3 9 20 | compiled
from scipy.optimize import rosen
def f(x):
    return rosen(x)

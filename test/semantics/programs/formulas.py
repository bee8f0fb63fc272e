# Formulas of NumPy and SciPy that are written in Python there, too.

#: poly1d | n = 4 | compiled | ulp = 2
import numpy as np
P = np.poly1d([0, 0, 1.5, -2.0, 0.5])
def f(x):
    p = np.poly1d(x)
    q = np.poly1d([1.0, x[0], 2])
    return P(x[1]) + P.order + p(0.5) ** 2 + q.deriv()(x[2]) + q.integ()(1.0) + q.o + q.c[1] + np.sum(P(x)) + len(q)

#: skewness and kurtosis | n = 5 | ulp = 200 | compiled | at = 1 1 1 1 1; 0 0 0 0 0
from scipy.stats import skew, kurtosis
from scipy import stats
def f(x):
    return skew(x) + kurtosis(x) * 2 + kurtosis(x, fisher=False) + stats.skew([1.0, 2.0, 5.0]) * 0.5

#: integrals of samples | n = 5 | ulp = 60 | compiled
import numpy as np
from scipy.integrate import trapezoid, simpson
import scipy.integrate as si
T = np.array([0.0, 0.5, 1.25, 2.0, 3.0])
def f(x):
    return (abs(trapezoid(x * x, T)) + abs(trapezoid(x * x)) + abs(simpson(x * x, dx=0.5)) + si.trapezoid(np.abs(x), dx=2.0)
            + 100 * np.abs(simpson(x * x, x=np.arange(5.0))))

#: logsumexp, softmax | n = 3 | ulp = 40
from scipy.special import logsumexp, softmax
import numpy as np
def f(x):
    return abs(logsumexp(x)) + np.sum(softmax(x) * np.arange(3)) + softmax(np.vstack([x, 2 * x]), axis=1)[1, 0]

#: distances | n = 6 | ulp = 40 | compiled
import numpy as np
from scipy.spatial import distance
from scipy.spatial.distance import cdist, pdist, euclidean
D = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]])
def f(x):
    p = x.reshape(3, 2)
    return (cdist(D, p).min(axis=1).sum() + pdist(p).sum() + euclidean(x[:3], x[3:]) + cdist(p, D, "sqeuclidean")[1, 2]
            + cdist(D, p, metric="cityblock")[0, 1] + distance.cityblock(x[:3], [1, 2, 3]) + distance.chebyshev(x[:2], x[2:4])
            + distance.sqeuclidean(x[:2], x[2:4]))

#: arguments and attributes that are not written | cpython
from collections import deque
def f(x):
    d = deque(x)
    try:
        return d.index(x[0], 0) + x[1]
    except TypeError:
        return 7.0

#: attributes that are not written | cpython
import numpy as np
def f(x):
    p = np.poly1d([1.0, 0.0, -4.0])
    try:
        return p.roots[0] + x[0]
    except AttributeError:
        return 7.0

#: arguments of formulas that are not written | cpython
from scipy.stats import skew
def f(x):
    try:
        return skew(x, bias=False)
    except TypeError:
        return 7.0

#: correlations, logarithms of determinants | n = 4 | ulp = 4000 | at = 1 2 3 5; 0.5 -1 2 0.25
import numpy as np
Y = np.array([1.0, 2.0, 2.5, 4.0])
def f(x):
    sign, size = np.linalg.slogdet(np.array([[2.0 + x[0] ** 2, x[1]], [x[2], 3.0]]))
    return 3 + np.corrcoef(x, Y)[0, 1] + np.corrcoef(np.vstack([x, Y, x + Y]))[0, 2] + 100 * sign + abs(size)

#: shifts of whole numbers that depend on x | n = 4 | compiled
def f(x):
    bits = [1 if v > 0 else 0 for v in x]
    n = sum(b << k for k, b in enumerate(bits))
    m = int(max(-1e6, min(1e6, x[0] * 100 if x[0] == x[0] else 0)))
    return n + (m << 3) * 1e-3 + (m >> 2) + ((m > 5) << 4) + (-7 >> 1)

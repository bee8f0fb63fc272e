#: chosen item by k | n = 5 | raises = IndexError
import numpy as np
def f(x):
    sel = x[x > 0]
    return sel[1] + 10 * sel[-2]

#: chosen item by x | n = 5 | raises = IndexError
import numpy as np
def f(x):
    i = np.nonzero(x > 0)[0]
    k = int(abs(x[0])) % 3 if abs(x[0]) < 1e9 else 0
    return i[k] + 10 * x[i[-1 - k]]

#: chosen slices | n = 6 | compiled | ulp = 0
import numpy as np
def f(x):
    i = np.where(x > 0)[0]
    a = i[:2].sum() + 10 * i[1:].sum() + 100 * i[-2:].sum() + 1000 * i[:-1].sum() + len(i[1:3])
    return a + i[::-1][:1].sum() * 0.5

#: gaps between positions | n = 7 | compiled
import numpy as np
def f(x):
    i = np.flatnonzero(x > 0)
    gaps = np.diff(i)
    return gaps.max() + gaps.sum() * 10 if len(gaps) > 0 else -1

#: differences of chosen by slices | n = 6 | compiled
import numpy as np
def f(x):
    sel = x[x > 0]
    d = sel[1:] - sel[:-1]
    return np.sum(d ** 2) + len(d)

#: two masks of different counts | n = 5
import numpy as np
def f(x):
    return np.sum(x[x > 0] * x[x < 0])

#: sort and median of chosen | n = 6 | compiled | zero
import numpy as np
def f(x):
    sel = x[x > -1]
    s = np.sort(sel)
    return s[0] + 10 * s[-1] + 100 * np.median(sel) if sel.size > 0 else -7.0

#: median of nothing | n = 3 | compiled
import numpy as np
def f(x):
    return np.median(x[x > 2])

#: argmax of chosen | n = 6 | raises = ValueError
import numpy as np
def f(x):
    sel = x[x > 0]
    return np.argmax(sel) + 10 * sel.argmin()

#: int extremes of chosen | n = 5 | raises = ValueError
import numpy as np
def f(x):
    i = np.nonzero(x > 0)[0]
    return i.min() + 10 * i.max() + i.sum()

#: rows inside a circle | n = 6 | compiled
import numpy as np
def f(x):
    p = x.reshape(-1, 2)
    inside = np.hypot(p[:, 0], p[:, 1]) < 3
    c = p[inside]
    return c.sum() + len(c) * 100 + c.shape[0] + c.size

#: rows, columns and means | n = 6 | compiled
import numpy as np
def f(x):
    p = x.reshape(3, 2)
    q = p[p[:, 0] > 0]
    if len(q) == 0:
        return 0.0
    m = q.mean(axis=0)
    return m[0] + 10 * m[1] + np.sum(q, axis=1).max() + q[:, 1].sum() + q.max(axis=0)[1]

#: rows minus a centre | n = 6 | compiled
import numpy as np
C = np.array([1.0, 2.0])
def f(x):
    p = x.reshape(3, 2)
    q = p[p[:, 1] > 0] - C
    return np.sum(q ** 2) + np.sum(np.sqrt(np.sum(q ** 2, axis=1)))

#: loop over chosen rows | n = 6 | compiled
import numpy as np
def f(x):
    p = x.reshape(3, 2)
    t = 0.0
    for a, b in p[p[:, 0] > 0]:
        t += a * b
    return t

#: row loop over argwhere | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    t = 0.0
    for r, c in np.argwhere(m > 0):
        t += m[r, c] * (1 + r + 10 * c)
    return t

#: argwhere column and ravel | n = 5 | compiled
import numpy as np
def f(x):
    w = np.argwhere(x > 0)
    return w[:, 0].sum() + len(w) + w.ravel().sum() + w.size

#: rows by positions | n = 6 | compiled
import numpy as np
def f(x):
    p = x.reshape(3, 2)
    i = np.where(p[:, 0] > 0)[0]
    return p[i].sum() + p[i, 1].sum() * 2 + p[i, :].sum()

#: mask row with column store
import numpy as np
def f(x):
    m = np.outer(x, x)
    m[m > 1] = 1.0
    m[np.where(m < -1)] = -1.0
    return m.sum()

#: where tuple unpack | n = 6 | compiled
import numpy as np
def f(x):
    m = x.reshape(2, 3)
    r, c = np.where(m > 0)
    return (r * 10 + c).sum() + m[r, c].sum() + m[0, c].sum()

#: chosen dot | n = 5 | compiled | ulp = 4
import numpy as np
W = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
def f(x):
    m = np.abs(x) < 3
    return W[m] @ x[m]

#: norm of chosen | n = 5 | compiled | ulp = 4
import numpy as np
def f(x):
    return np.linalg.norm(x[x > 0])

#: cumsum of chosen | n = 5 | compiled
import numpy as np
def f(x):
    c = np.cumsum(x[x > 0])
    return c[-1] + c[0] if len(c) else 0.0

#: array of a filtered list | n = 5 | compiled
import numpy as np
def f(x):
    g = np.array([v * 2 for v in x if v > 0])
    return g.sum() + len(g)

#: mean of a filtered list | n = 5 | compiled
import numpy as np
def f(x):
    g = [v for v in x if v < 0]
    return np.mean(g) if g else 1.0

#: a filtered list as a condition | n = 3 | list | compiled
def f(x):
    g = [v for v in x if v > 0]
    if g:
        return g[0] + 10 * g[-1] + max(g) + min(g)
    return -1.0

#: not a filtered list | n = 3 | list | compiled
def f(x):
    g = [v for v in x if v > 0]
    return 5.0 if not g else float(len(g))

#: a filtered list is equal to | n = 3 | list
def f(x):
    g = [v for v in x if v > 0]
    return 1.0 if g == [] else 2.0

#: a filtered list is a list | n = 3 | list | compiled
def f(x):
    g = [v for v in x if v > 0]
    return 1.0 if isinstance(g, list) else 2.0

#: max of a filtered generator with default | n = 3 | list | compiled
def f(x):
    return max((v for v in x if v > 0), default=-1.0) + min([v for v in x if v < 0], default=0)

#: max of filtered nothing | n = 2 | list | raises = ValueError
def f(x):
    return max(v for v in x if v > 0)

#: builtin max of chosen | n = 3
import numpy as np
def f(x):
    s = x[x > 0]
    return max(s) + sum(s) if len(s) else 0.0

#: unique of x | n = 5 | compiled
import numpy as np
def f(x):
    u = np.unique(np.clip(np.round(x), -3, 3))
    return len(u) + u[0] * 10 + u[-1] * 100 + u.sum()

#: unique of chosen | n = 5 | compiled
import numpy as np
def f(x):
    return np.unique(np.round(x[x > 0])).size * 1.0

#: masks and empty | n = 1 2 | compiled
import numpy as np
def f(x):
    s = x[x > 1e308]
    return s.sum() + len(s) + np.prod(s) + np.sum(np.diff(s))

#: eight or more | n = 9
import numpy as np
def f(x):
    return x[x > -2].sum()

#: idx list | n = 4 | compiled
import numpy as np
def f(x):
    idx = np.where(x > 0)[0].tolist()
    t = 0.0
    for i in idx:
        t += x[i]
    return t + len(idx)

#: enumerate chosen | n = 4
import numpy as np
def f(x):
    t = 0.0
    for k, v in enumerate(x[x > 0]):
        t += k * v
    return t

#: chosen index store | n = 5
import numpy as np
def f(x):
    y = np.zeros(5)
    i = np.where(x > 0)[0]
    y[i] = x[i] * 2
    y[i] += 1
    return y.sum() + y[0] * 10

#: first below threshold or default | n = 6 | compiled
import numpy as np
def f(x):
    hit = np.where(np.cumsum(np.abs(x)) > 5)[0]
    k = hit[0] if len(hit) > 0 else x.size - 1
    return x[k] + k

#: masked shape unpack and comparisons | n = 5 | compiled
import numpy as np
def f(x):
    s = x[x > 0]
    n, = s.shape
    return n + (s > 1).sum() + np.any(s > 3) + np.all(s > 0.5) * 10 + np.count_nonzero(s > 2)

#: percentiles of chosen | n = 5
import numpy as np
def f(x):
    return np.percentile(x[x > 0], 50)

#: abs, round, astype of chosen | n = 5
import numpy as np
def f(x):
    s = np.abs(x[x < 0]).round().astype(int)
    return s.sum()

#: where in where | n = 5 | compiled
import numpy as np
def f(x):
    s = x[np.where((x > -1) & (x < 1))]
    return np.where(s > 0, s, 0.0).sum() + np.clip(s, 0, 0.5).sum()

#: nested filters | n = 4 | compiled
def f(x):
    return sum(a * b for a in x if a > 0 for b in x if b < a) + sum(1 for a in x for b in x if a < b)

#: nested filter pairs | n = 3 | compiled
def f(x):
    p = [a - b for i, a in enumerate(x) for b in x[i + 1:] if a > b]
    return sum(p) + len(p) + (max(p) if p else 0)

#: nested filter that guards | n = 3 | compiled
def f(x):
    return sum(1 / (a - b) for a in x for b in x if a != b and abs(a) < 1e9 and abs(b) < 1e9)

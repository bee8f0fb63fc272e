# Lists and arrays that loops store into, under all the names that they may have meanwhile.

#: swap in loop | n = 5
def f(x):
    y = list(x)
    n = len(y)
    for i in range(n // 2):
        y[i], y[n - 1 - i] = y[n - 1 - i], y[i]
    s = 0.0
    for i in range(n):
        s += y[i] * (i + 1)
    return s

#: bubble pass | n = 5
def f(x):
    y = [float(v) for v in x]
    n = len(y)
    for k in range(n):
        for i in range(n - 1):
            if y[i] > y[i + 1]:
                t = y[i]
                y[i] = y[i + 1]
                y[i + 1] = t
    return y[0] * 3 + y[-1] + y[n // 2]

#: read, store, use old | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    s = 0.0
    for i in range(n):
        t = y[i - 1]
        y[i] = x[i] + t
        y[i - 1] = 2.0 * t
        s += t * y[i]
    return s + sum(y)

#: lazy view after store | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.zeros(n)
    z = y * 2 + 1
    v = y[1:]
    w = y[::-1]
    for i in range(n):
        y[i] = x[i] * i
    return z.sum() + v.sum() * 10 + w[0] * 100

#: numpy int array truncates | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.zeros(n, dtype=int)
    for i in range(n):
        y[i] = x[i] * 10
    return float(y.sum())

#: numpy int array from arange truncates | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.arange(n)
    for i in range(n):
        y[i] += int(x[i])
    return y.sum() / 3

#: int array in-place float error | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.arange(n)
    y *= 2
    for i in range(n):
        y[i] = y[i] / 3
    return float(y.sum())

#: bool array | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.zeros(n, dtype=bool)
    for i in range(n):
        y[i] = x[i] > 0
    return float(y.sum()) + (1.0 if y[0] else 0.0)

#: bool array stores numbers | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.zeros(n, dtype=bool)
    for i in range(n):
        y[i] = x[i]
    return float(y.sum())

#: list of ints gets floats | n = 5
def f(x):
    n = len(x)
    y = [0] * n
    for i in range(n):
        y[i] = x[i]
    return sum(y)

#: list of ints gets ints depending | n = 5
def f(x):
    n = len(x)
    y = [0] * n
    for i in range(n):
        y[i] = 1 if x[i] > 0 else 0
    s = 0
    for i in range(n):
        s += y[i] * 2 ** i
    return s

#: list mixed | n = 5
def f(x):
    n = len(x)
    y = [0.0] + [1] * (n - 1)
    for i in range(n):
        y[i] = y[i] + x[i]
    return sum(y)

#: list bool | n = 5
def f(x):
    n = len(x)
    seen = [False] * n
    c = 0
    for i in range(n):
        if x[i] > 0 and not seen[i - 1]:
            seen[i] = True
            c += 1
    return c + sum(seen)

#: store one branch | n = 5
def f(x):
    n = len(x)
    y = [1.0] * n
    for i in range(n):
        if x[i] > 0:
            y[i] = x[i]
        elif x[i] < -1:
            y[i - 1] = -5.0
    p = 1.0
    for v in y:
        p *= v
    return p

#: store in outer branch | n = 5
def f(x):
    n = len(x)
    y = [1.0] * n
    if x[0] > 0:
        for i in range(n):
            y[i] = x[i] * 2
    else:
        y[0] = 7.0
    return sum(y) - y[0]

#: alias in branch | n = 5
def f(x):
    n = len(x)
    a = [0.0] * n
    b = [1.0] * n
    c = a if x[0] > 0 else b
    for i in range(n):
        c[i] = x[i]
    return sum(a) + 2 * sum(b)

#: exceptions between stores | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    s = 0.0
    for i in range(n):
        try:
            y[i] = 1.0
            y[i] = 1.0 / x[i]
            s += y[i]
        except ZeroDivisionError:
            s += 100 * y[i]
    return s + sum(y)

#: exceptions between stores 2 | n = 5
import math
def f(x):
    n = len(x)
    y = [0.0] * n
    try:
        for i in range(n):
            y[i] = math.sqrt(x[i])
            y[i] += 1
    except ValueError:
        return sum(y) - 1000
    return sum(y)

#: exceptions finally | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    k = 0
    for i in range(n):
        try:
            y[i] = x[i] / (x[i] - 1)
        except ZeroDivisionError:
            y[i - 1] = -1.0
            continue
        finally:
            k += 1
            y[i] += 3.0
    return sum(y) + k

#: break after store | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    for i in range(n):
        y[i] = x[i]
        if x[i] > 2:
            break
        y[i] += 10
    else:
        y[0] = 99.0
    return sum(y) * y[0]

#: return after store | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    for i in range(n):
        y[i] = x[i] + y[i - 1]
        if y[i] > 3:
            return y[i] + sum(y)
    return -sum(y)

#: while with stores | n = 5
def f(x):
    n = len(x)
    y = list(x)
    i = 0
    while i < n:
        y[i] = y[i] * 0.5
        i += 1
    i = 0
    while y[0] > 0.1 and i < 20:
        i += 1
        for j in range(n):
            y[j] = y[j] * 0.5
    return sum(y)

#: matrix stores | n = 5
import numpy as np
def f(x):
    n = len(x)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            D[i, j] = x[i] - x[j]
    return np.sum(D ** 2) + D[0, -1] + D[-1][0]

#: matrix stores symmetric | n = 5
import numpy as np
def f(x):
    n = len(x)
    D = np.ones((n, n))
    for i in range(n):
        for j in range(i):
            D[i, j] = D[j, i] = x[i] * x[j]
    s = 0.0
    for i in range(n):
        s += D[i, :].sum() - D[:, i].max() + D[i][i - 1]
    return s

#: matrix rows views | n = 5
import numpy as np
def f(x):
    n = len(x)
    D = np.zeros((n, 3))
    for i in range(n):
        r = D[i]
        r[0] = x[i]
        r[1] += 2
        r[-1] = r[0] * r[1]
    return D.sum() + D[:, 2].min()

#: matrix column writes | n = 5 | zero
import numpy as np
def f(x):
    n = len(x)
    D = np.zeros((3, n))
    for i in range(n):
        D[:, i] = x[i]
        D[1:, i] += i
        D[0, i] *= -1
    return float(np.sum(D[0] * D[2]))

#: transpose view | n = 5
import numpy as np
def f(x):
    n = len(x)
    D = np.zeros((n, n))
    T = D.T
    for i in range(n):
        T[i, 0] = x[i]
        D[i, 1] = 1 + i
    return float(D[0].sum() + T[1].sum() - T[0, 0])

#: reshape view | n = 5
import numpy as np
def f(x):
    n = len(x)
    D = np.zeros(2 * n)
    M = D.reshape(n, 2)
    for i in range(n):
        M[i, 1] = x[i]
        D[i] += 1
    return float(D.sum() + M[0, 1] * 10 + D[1])

#: list of lists | n = 5
def f(x):
    n = len(x)
    A = [[0.0] * 3 for _ in range(n)]
    for i in range(n):
        A[i][0] = x[i]
        A[i][2] = A[i - 1][0]
    return sum(a[0] * a[2] + a[1] for a in A)

#: list of same list | n = 5
def f(x):
    n = len(x)
    A = [[0.0] * 3] * n
    for i in range(n):
        A[i][i % 3] = x[i]
    return sum(a[0] + 2 * a[1] + 3 * a[2] for a in A)

#: default arg list is shared | n = 5
def g(v, acc=[0.0, 0.0]):
    acc[0] = v
    return acc[0] + acc[1]
def f(x):
    s = 0.0
    for v in x:
        s += g(v)
    return s

#: module array mutated | n = 5
import numpy as np
buf = np.zeros(50)
def f(x):
    n = len(x)
    for i in range(n):
        buf[i] = x[i]
    return buf.sum()

#: module list read | n = 5
W = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] * 40
def f(x):
    y = W[:]
    for i in range(len(x)):
        y[i] = y[i] * x[i]
    return sum(y)

#: module counter | n = 5
calls = 0
def f(x):
    global calls
    calls += 1
    return x[0] + calls

#: slices | n = 5 | zero
import numpy as np
def f(x):
    n = len(x)
    y = np.array(x, dtype=float)
    for k in range(5):
        y[1:] = y[1:] * 0.5 + y[:-1] * 0.5
    return y.sum() + y[-1]

#: overlap slices self | n = 5 | zero
import numpy as np
def f(x):
    y = np.array(x, dtype=float)
    y[1:] = y[:-1]
    y[::2] += y[::-1][::2]
    return float((y * np.arange(len(y))).sum())

#: heat equation | n = 5
import numpy as np
def f(x):
    n = len(x)
    u = np.zeros(n + 2)
    u[1:-1] = x
    for t in range(20):
        un = u.copy()
        for i in range(1, n + 1):
            u[i] = un[i] + 0.1 * (un[i + 1] - 2 * un[i] + un[i - 1])
    return np.sum(u ** 2)

#: heat equation alias bug | n = 5
import numpy as np
def f(x):
    n = len(x)
    u = np.zeros(n + 2)
    u[1:-1] = x
    for t in range(20):
        un = u
        for i in range(1, n + 1):
            u[i] = un[i] + 0.1 * (un[i + 1] - 2 * un[i] + un[i - 1])
    return np.sum(u ** 2)

#: swap buffers | n = 5
def f(x):
    n = len(x)
    a = list(x)
    b = [0.0] * n
    for t in range(12):
        for i in range(n):
            b[i] = 0.5 * (a[i] + a[i - 1])
        a, b = b, a
    return sum(a) - a[0] * b[1]

#: negative index forms | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    for i in range(n):
        y[-i - 1] = x[i]
        y[-1] += 1
    return y[0] + 2 * y[1] + sum(y)

#: index error at end | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    try:
        for i in range(n + 1):
            y[i] = x[0] * i
    except IndexError:
        return sum(y)
    return -1

#: dp cumsum | n = 5
def f(x):
    n = len(x)
    dp = [0.0] * (n + 1)
    for i in range(1, n + 1):
        dp[i] = max(dp[i - 1] + x[i - 1], x[i - 1])
    return max(dp)

#: dp 2d | n = 5
def f(x):
    n = len(x)
    dp = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if abs(x[i - 1] - x[j - 1]) < 0.5:
                dp[i][j] = dp[i - 1][j - 1] + 1
            else:
                dp[i][j] = max(dp[i - 1][j], dp[i][j - 1])
    return dp[n][n] + dp[n // 2][1]

#: histogram by x | n = 5
def f(x):
    h = [0] * 5
    for v in x:
        k = int(v) % 5
        h[k] += 1
    return sum(i * c for i, c in enumerate(h))

#: histogram numpy | n = 5
import numpy as np
def f(x):
    h = np.zeros(5)
    for i in range(len(x)):
        k = int(abs(x[i])) % 5
        h[k] += x[i]
    return float(h.max() - h.min())

#: copy of list before loop | n = 5
def f(x):
    n = len(x)
    y = [1.0] * n
    z = y[:]
    w = list(y)
    for i in range(n):
        y[i] = x[i]
        z[i] += y[i - 1]
    return sum(y) + 2 * sum(z) + 3 * sum(w)

#: tuple of lists | n = 5
def f(x):
    n = len(x)
    p = ([0.0] * n, [1.0] * n)
    for i in range(n):
        p[0][i] = x[i]
        p[1][i] *= p[0][i - 1]
    a, b = p
    return sum(a) * sum(b)

#: object attribute array | n = 5
class S:
    def __init__(self, n):
        self.y = [0.0] * n
        self.n = n
    def run(self, x):
        for i in range(self.n):
            self.y[i] = x[i] * 2
        return sum(self.y)
def f(x):
    s = S(len(x))
    t = S(len(x))
    return s.run(x) + t.run(x) - t.y[0] + sum(s.y)

#: dict of lists | n = 5
def f(x):
    n = len(x)
    d = {'a': [0.0] * n, 'b': [0.0] * n}
    for i in range(n):
        d['a'][i] = x[i]
        d['b'][i] = d['a'][i - 1]
    return sum(d['a']) - d['b'][1]

#: enumerate and store to iterated list | n = 5
def f(x):
    y = list(x)
    for i, v in enumerate(y):
        if i + 1 < len(y):
            y[i + 1] = y[i + 1] + v
    return y[-1]

#: iterate a list while changed behind | n = 5
def f(x):
    y = list(x)
    s = 0.0
    n = len(y)
    for i, v in enumerate(y):
        y[n - 1 - i] = 1.0
        s += v
    return s

#: nested function closure stores | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    def put(i, v):
        y[i] = v + y[i - 1]
        return y[i]
    s = 0.0
    for i in range(n):
        s += put(i, x[i])
    return s * y[0]

#: sum of y inside loop | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    s = 0.0
    for i in range(n):
        y[i] = x[i]
        s += sum(y) + max(y) + len(y)
    return s

#: min of generator over stored | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    for i in range(n):
        y[i] = x[i] - 1
    m = min(v * v for v in y)
    y[0] = 5.0
    return m + y[0]

#: augmented chain | n = 5
def f(x):
    n = len(x)
    y = [1.0] * n
    for i in range(n):
        y[i] **= 2
        y[i] -= x[i]
        y[i] //= 0.5
        y[i] %= 3
    return sum(y)

#: store nan inf | n = 5
def f(x):
    n = len(x)
    y = [0.0] * n
    for i in range(n):
        y[i] = x[i] if x[i] == x[i] else float('inf')
    return max(y) - min(y)

#: inner created list | n = 5
def f(x):
    n = len(x)
    s = 0.0
    for k in range(n):
        y = [0.0] * n
        for i in range(n):
            y[i] += x[k] * i
        s += sum(y) * y[k]
    return s

#: inner created list kept | n = 5
def f(x):
    n = len(x)
    keep = None
    for k in range(n):
        y = [0.0] * n
        for i in range(n):
            y[i] += x[k] * i
        if k == 1:
            keep = y
    return sum(keep) + sum(y)

#: thomas algorithm | n = 5
def f(x):
    n = len(x)
    c = [0.0] * n
    d = [0.0] * n
    c[0] = -1.0 / 4
    d[0] = x[0] / 4
    for i in range(1, n):
        m = 4 + c[i - 1]
        c[i] = -1.0 / m
        d[i] = (x[i] + d[i - 1]) / m
    r = [0.0] * n
    r[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        r[i] = d[i] - c[i] * r[i + 1]
    return sum(v * v for v in r)

#: mixed accumulator | n = 5
def f(x):
    s = 0
    k = 0
    for i in range(len(x)):
        if x[i] > 0:
            s += 1
        else:
            s += 0.5
        k += i
    return s * k

#: mixed accumulator 2 | n = 5
def f(x):
    s = 0
    for i in range(len(x)):
        s = s + x[i] if i % 2 else s - 1
    return s

#: int overflow accumulators | n = 5
def f(x):
    s = 1
    for i in range(len(x)):
        s *= 7
    return s * x[0]

#: int division of accumulator | n = 5
def f(x):
    s = 0
    for i in range(len(x)):
        s += int(x[i])
    return s // 2 + s % 3

#: insertion sort | n = 5
def f(x):
    a = list(x)
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a[0] + 2 * a[-1]

#: crowding | n = 5
import numpy as np
def f(x):
    idx = np.argsort(x)
    y = np.zeros(len(x))
    for r, i in enumerate(idx):
        y[i] = r
    return float((y * np.asarray(x)).sum())

#: evaluator reuse: closures list default | n = 5
import numpy as np
CACHE = {}
W = np.arange(100) / 7.0
L = [1.0] * 100
class Model:
    def __init__(self, k):
        self.k = k
        self.state = [0.0] * k
    def step(self, v):
        for i in range(self.k):
            self.state[i] = self.state[i - 1] * 0.5 + v * W[i]
        return self.state[0]
def f(x):
    m = Model(len(x))
    s = 0.0
    for v in x:
        s += m.step(v)
    return s + sum(L[:len(x)])

#: module object mutated | n = 5
class Model:
    def __init__(self, k):
        self.state = [0.0] * k
    def step(self, v):
        for i in range(3):
            self.state[i] = self.state[i] + v
        return self.state[0]
M = Model(5)
def f(x):
    return M.step(x[0])

#: module view stored through | n = 5
import numpy as np
A = np.zeros((5, 100))
def f(x):
    r = A[2]
    for i in range(len(x)):
        r[i] = x[i]
    return float(A.sum())

#: module list via alias | n = 5
L = [0.0] * 100
def f(x):
    y = L
    for i in range(len(x)):
        y[i] += x[i]
    return sum(y)

#: module list via function arg | n = 5
L = [0.0] * 100
def g(y, x):
    for i in range(len(x)):
        y[i] = x[i]
def f(x):
    g(L, x)
    return sum(L)

#: module list slice copy is fine | n = 5
import numpy as np
L = np.zeros(100)
def f(x):
    y = L.copy()
    z = L[:5]
    for i in range(len(x)):
        y[i] = x[i]
    z = z + 1
    z[0] = x[0]
    return float(y.sum() + z.sum())

#: module view inplace | n = 5
import numpy as np
L = np.zeros(100)
def f(x):
    z = L[:5]
    z += x[0]
    return float(z.sum())

#: np where over stored with alias | n = 5
import numpy as np
def f(x):
    n = len(x)
    a = np.zeros(n)
    b = a
    c = a[:]
    d = a.reshape(-1)
    e = a.T
    g = a[None, :]
    for i in range(n):
        a[i] = x[i]
        b[i] += 1
        c[i] *= 2
        d[i] -= e[i] / 4
        g[0, i] += 0.125
    return float(a.sum())

#: expression captured before the store | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.array(x, dtype=float)
    z = -y
    w = y + z * 2
    q = np.abs(y).max()
    m = y > 0
    for i in range(n):
        y[i] = 100.0
    return float(w.sum() + z.sum() + q + m.sum())

#: generators capture late | n = 5
def f(x):
    n = len(x)
    y = list(x)
    g = (v * 2 for v in y)
    for i in range(n):
        y[i] = 1.0
    return sum(g)

#: map and zip lazy | n = 5
def f(x):
    n = len(x)
    y = list(x)
    m = map(lambda v: v + 1, y)
    z = zip(y, x)
    for i in range(n):
        y[i] = 2.0
    return sum(m) + sum(a * b for a, b in z)

#: reversed and enumerate lazies | n = 5
def f(x):
    n = len(x)
    y = list(x)
    r = reversed(y)
    e = enumerate(y)
    for i in range(n):
        y[i] = float(i)
    return sum(v * 2 for v in r) + sum(i * v for i, v in e)

#: iterate np array while stored | n = 5
import numpy as np
def f(x):
    y = np.array(x, dtype=float)
    s = 0.0
    n = len(y)
    for i, v in enumerate(y):
        y[n - 1 - i] += v
        s += v
    return s + float(y.sum())

#: iterate rows of a matrix while stored | n = 5
import numpy as np
def f(x):
    n = len(x)
    M = np.outer(x, x)
    s = 0.0
    for i, r in enumerate(M):
        M[i, 0] = 1.0
        s += r[0] + r[-1]
        if i + 1 < n:
            M[i + 1] = r
    return s

#: two loops different arrays of memory in one expr | n = 5
import numpy as np
def f(x):
    n = len(x)
    a = np.zeros(n); b = np.zeros(n); c = np.zeros((n, n))
    for i in range(n):
        a[i] = x[i]
        b[n - 1 - i] = x[i] * 2
        c[i, :] = a
        c[:, i] += b
    d = a * b + c[0] - c[:, -1]
    a[:] = 0
    b[...] = 1
    return float(d.sum() + c.sum() + a.sum() + b.sum())

#: slices at loop form | n = 5
import numpy as np
def f(x):
    n = len(x)
    y = np.array(x, dtype=float)
    s = 0.0
    for i in range(n):
        s += y[:i].sum() - y[i:].max()
        y[i:] -= 0.5
    return s + float(y.sum())

#: slices list at loop form | n = 5
def f(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        s += sum(x[:i]) * sum(x[i + 1:])
    return s

#: gaussian elimination | n = 5
import numpy as np
def f(x):
    n = len(x)
    A = np.zeros((n, n + 1))
    for i in range(n):
        for j in range(n):
            A[i, j] = 1.0 / (i + j + 1)
        A[i, i] += 2
        A[i, n] = x[i]
    for i in range(n):
        p = A[i, i]
        for j in range(i, n + 1):
            A[i, j] /= p
        for k in range(n):
            if k != i:
                m = A[k, i]
                for j in range(i, n + 1):
                    A[k, j] -= m * A[i, j]
    return float(A[:, n].sum())

#: gaussian elimination rows | n = 5
import numpy as np
def f(x):
    n = len(x)
    A = np.zeros((n, n + 1))
    for i in range(n):
        for j in range(n):
            A[i, j] = 1.0 / (i + j + 1)
        A[i, i] += 2
        A[i, n] = x[i]
    for i in range(n):
        A[i] /= A[i, i]
        for k in range(n):
            if k != i:
                A[k] -= A[k, i] * A[i]
    return float(A[:, n].sum())

#: cholesky | n = 5
import math
def f(x):
    n = len(x)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = (2.0 if i == j else 0.0) + 1.0 / (i + j + 1) + (abs(x[i]) if i == j else 0.0)
            for k in range(j):
                s -= L[i][k] * L[j][k]
            if i == j:
                L[i][j] = math.sqrt(s)
            else:
                L[i][j] = s / L[j][j]
    return sum(L[i][i] for i in range(n))

#: floyd warshall | n = 5
def f(x):
    n = len(x)
    D = [[abs(x[i] - x[j]) + (1 if i != j else 0) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if D[i][k] + D[k][j] < D[i][j]:
                    D[i][j] = D[i][k] + D[k][j]
    return sum(sum(r) for r in D)

#: matrix power loops | n = 5
import numpy as np
def f(x):
    n = len(x)
    A = np.zeros((n, n))
    for i in range(n):
        A[i, (i + 1) % n] = x[i]
        A[i, i] = 0.5
    v = np.ones(n)
    for _ in range(4):
        w = np.zeros(n)
        for i in range(n):
            for j in range(n):
                w[i] += A[i, j] * v[j]
        v = w
    return float(v.sum())

#: cellular | n = 5
def f(x):
    n = len(x)
    c = [1 if v > 0 else 0 for v in x]
    for t in range(6):
        d = [0] * n
        for i in range(n):
            d[i] = c[i - 1] ^ c[(i + 1) % n]
        c = d
    return sum(c) + c[0] * 10

#: sieve | n = 5
def f(x):
    n = 40
    p = [True] * n
    for i in range(2, n):
        if p[i]:
            for j in range(i * i, n, i):
                p[j] = False
    return sum(i * v for i, v in zip(range(n), [x[0]] * n) if p[i])

#: random lcg | n = 5
def f(x):
    seed = 12345
    s = 0.0
    r = [0.0] * len(x)
    for i in range(len(x)):
        seed = (1103515245 * seed + 12345) % 2147483648
        r[i] = seed / 2147483648
        s += r[i] * x[i]
    return s

#: priority queue | n = 5
import heapq
def f(x):
    h = list(x)
    heapq.heapify(h)
    return heapq.heappop(h) + h[0]

#: try except store partial in nested function with return in finally | n = 5
def g(y, i, v):
    try:
        y[i] = v
        if v < 0:
            return -1.0
        y[i] = v * 2
    finally:
        y[i] += 0.5
    return y[i]
def f(x):
    y = [0.0] * len(x)
    s = 0.0
    for i in range(len(x)):
        s += g(y, i, x[i])
    return s + sum(y)

#: while true break with list store | n = 5
def f(x):
    y = list(x)
    n = len(y)
    k = 0
    while True:
        moved = False
        for i in range(n - 1):
            if y[i] > y[i + 1]:
                y[i], y[i + 1] = y[i + 1], y[i]
                moved = True
        k += 1
        if not moved or k > n:
            break
    return y[0] + y[-1] * 3 + k

#: list of tuples replaced | n = 5
def f(x):
    pts = [(0.0, 0.0)] * len(x)
    for i in range(len(x)):
        pts[i] = (x[i], pts[i - 1][0])
    return sum(a * b for a, b in pts)

#: list of None | n = 5
def f(x):
    y = [None] * len(x)
    for i in range(len(x)):
        y[i] = x[i]
    return sum(y)

#: None partially | n = 5
def f(x):
    y = [None] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            y[i] = x[i]
    return sum(v for v in y if v is not None)

#: list of strings | n = 5
def f(x):
    y = ['a'] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            y[i] = 'b'
    return y.count('b')

#: a negated counter is no negative zero | n = 1 5
import math
def f(x):
    a = 0
    s = 0.0
    for i in range(len(x)):
        a = -i
        s += math.copysign(1.0, -i) + math.copysign(3.0, 2 * (0 - i)) * x[i]
    return s + math.copysign(1.0, a)

#: a rolled loop that leaves a list which its inner loop stores into
def f(x):
    a = x[0]
    for k in range(4):
        a = a + max(-k, a)
        t = [0.0] * 3
        for j in range(3):
            t[j] = t[j - 1] - 2.25
        a = a + t[2]
    return a

#: a list that is one of two, stored into | row = 26 | cpython
def f(x):
    a = [1.0]
    b = [2.0]
    y = a if x[0] > 0 else b
    y[0] = 5.0
    return a[0] + 10 * b[0]

#: one of two lists, one of them stored into | row = 26 | cpython
def f(x):
    a = [1.0]
    b = [2.0]
    if x[0] > 0:
        y = a
    else:
        y = b
    a[0] = x[1]
    return y[0]

#: an element changed on one side, another list on the other | row = 26 | compiled
def f(x):
    y = [1.0, 2.0]
    z = [5.0, 6.0]
    if x[0] > 0:
        y[0] = x[1]
    else:
        y = z
    return y[0] + 3 * y[1]

#: a list made longer on both sides | row = 26
def f(x):
    y = [1.0]
    z = [5.0]
    if x[0] > 0:
        y.append(x[1])
    else:
        z.append(x[0])
        y = z
    return y[0] + 3 * y[1] + len(y)

#: an array that is one of two, changed in place | row = 26 | cpython
import numpy as np
def f(x):
    y = np.zeros(2)
    z = np.ones(2)
    w = y if x[0] > 0 else z
    w += 3
    return y[0] + 10 * z[1]

#: a view of what may have been replaced | row = 26 | cpython
import numpy as np
def f(x):
    y = np.zeros(3)
    v = y[1:]
    if x[0] > 0:
        y = y + 1
    v[0] = 7.0
    return y[1]

#: a list of the module on some lanes | row = 26 | cpython
T = [1.0, 2.0]
def f(x):
    y = T if x[0] > 0 else [3.0, 4.0]
    y[0] += 1
    return y[0]

#: two names for what was made on one side | row = 26 | cpython
def f(x):
    y = [0.0]
    z = [1.0]
    if x[0] > 0:
        y = z = [2.0]
    y[0] = x[1]
    return z[0] + 10 * y[0]

#: two names for the same two | row = 26 | compiled
def f(x):
    if x[0] > 0:
        y = z = [2.0, 3.0]
    else:
        y = z = [4.0, 5.0]
    y[0] = x[1]
    return z[0] + 10 * y[0]

#: two names, bound on one side only | row = 26 | raises = UnboundLocalError
def f(x):
    if x[0] > 0:
        y = [2.0, 3.0]
        z = y
    y[0] = x[1]
    return z[0] + 10 * y[0]

#: the same list bound to one name here and another there | row = 26
def f(x):
    t = [1.0]
    y = [0.0]
    z = [0.5]
    if x[0] > 0:
        t[0] = 7.0
        y = t
    else:
        z = t
    return y[0] + 10 * z[0]

#: a best so far, copied | row = 26 | compiled | n = 3
def f(x):
    best = [0.0, 0.0]
    value = 1e9
    trial = [0.0, 0.0]
    for v in x:
        trial[0] = v
        trial[1] = v * v
        if trial[1] < value:
            value = trial[1]
            best = list(trial)
    best[1] += 1
    return best[0] + best[1]

#: a best so far, not copied | row = 26 | cpython | n = 3
def f(x):
    best = [0.0, 0.0]
    value = 1e9
    trial = [0.0, 0.0]
    for v in x:
        trial[0] = v
        trial[1] = v * v
        if trial[1] < value:
            value = trial[1]
            best = trial
    return best[0] + best[1]

#: replaced on some lanes, then changed | row = 26 | compiled | n = 4
import numpy as np
def f(x):
    y = np.zeros(3)
    for v in x:
        if v > 0:
            y = y + v
        y[1] = y[0] * 2
    return y[0] + y[1] + y[2]

#: changed within a branch after a branch | row = 26 | compiled
import numpy as np
def f(x):
    y = np.zeros(3)
    if x[0] > -2:
        if x[1] > 0:
            y = y + x[0]
        y[1] = 4.0
        y[2] += x[1]
    return y[0] + 10 * y[1] + 100 * y[2]

#: a while loop that may rebind a list with a second name | row = 26 | cpython | n = 1
def f(x):
    y = [1.0]
    z = y
    n = min(abs(x[0]), 9)
    while n > 1:
        if n > 3:
            y = [n]
        n = n - 1
    y[0] = 5.0
    return z[0]

#: a while loop that swaps two lists | row = 26 | n = 1
def f(x):
    y = [1.0]
    z = [2.0]
    n = min(abs(x[0]), 9)
    while n > 1:
        y, z = z, y
        y[0] += n
        n = n - 1
    return y[0] + 10 * z[0]

#: a while loop that rebinds an array | row = 26 | compiled | n = 2
import numpy as np
def f(x):
    y = np.array([1.0, 0.0])
    n = min(abs(x[0]), 9)
    while n > 1:
        step = np.zeros(2)
        step[0] = n
        y = y * 0.5 + step
        n = n - 1
    y[1] = x[1]
    return y[0] + y[1]

#: attributes that may hold one list | row = 26 | cpython
class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b
def f(x):
    box = Box([1.0], [2.0])
    if x[0] > 0:
        box.a = box.b
    box.b[0] = x[1]
    return box.a[0]

#: a list in a closure under two names | row = 26 | cpython
def f(x):
    a = [1.0]
    def read():
        return a[0]
    b = a if x[0] > 0 else [3.0]
    b[0] = x[1]
    return read()

#: a helper gets one of two lists | row = 26 | cpython
def clear(v):
    v[0] = 0.0
def f(x):
    a = [1.0]
    b = [2.0]
    clear(a if x[0] > 0 else b)
    return a[0] + 10 * b[0]

#: a helper gets a list that nobody else has | row = 26 | compiled
def scaled(v, k):
    for i in range(len(v)):
        v[i] *= k
    return v
def f(x):
    return sum(scaled([1.0, x[1]] if x[0] > 0 else [2.0, x[0]], 3.0))

#: rows of which one may be replaced | row = 26
def f(x):
    m = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        m[0] = m[1]
    m[1][0] = x[1]
    return m[0][0] + 10 * m[1][0]

#: transposed on some lanes: the order of the sum | row = 10 | n = 1
import numpy as np
def f(x):
    m = np.array([[0.1, 1e16, 0.3], [0.7, -1e16, 0.9], [1.3, 0.2, 3.1]])
    if x[0] > 0:
        m = m.T
    return m.sum()

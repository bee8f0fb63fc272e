#: a name for one list or another
def f(x):
    a = [1.0, 2.0]
    b = [3.0, 4.0]
    c = a if x[0] > 0 else b
    c[0] = 50.0
    return a[0] + b[0] * 10

#: the list changes after it got another name
def f(x):
    a = [1.0, 2.0]
    b = [3.0, 4.0]
    if x[0] > 0:
        c = a
    else:
        c = b
    a[0] = 50.0
    return c[0] + c[1]

#: a name for one array or another
import numpy as np
def f(x):
    y = np.zeros(2)
    z = x if x[0] > 0 else y
    z[1] = 7.0
    return x[1] + y[1] * 10

#: in place on one array or another
import numpy as np
def f(x):
    y = x.copy()
    z = x if x[0] > 0 else y
    z += 1
    return x[1] + y[1] * 10

#: a view of one array or another
import numpy as np
def f(x):
    y = np.zeros(2)
    if x[0] > 0:
        v = x[1:]
    else:
        v = y[1:]
    v[0] = 9.0
    return x[1] + y[1] * 10

#: appended to one list or another
def f(x):
    a = [1.0]
    b = [2.0]
    c = a if x[0] > 0 else b
    c.append(3.0)
    return len(a) + len(b) * 10

#: two names made in a branch are one list
def f(x):
    if x[0] > 0:
        a = b = [1.0, 2.0]
    else:
        a = b = [3.0, 4.0]
    a[0] = 9.0
    return b[0] + b[1]

#: two names made in a branch are one list on one side only
def f(x):
    if x[0] > 0:
        a = b = [1.0, 2.0]
    else:
        a = [3.0, 4.0]
        b = [5.0, 6.0]
    a[0] = 9.0
    return b[0] + b[1]

#: new lists in branches may be changed | compiled
def f(x):
    if x[0] > 0:
        a = [1.0, 2.0]
    else:
        a = [3.0, x[1]]
    a[0] = x[0]
    a.append(5.0)
    return sum(a)

#: new arrays in branches may be changed | compiled
import numpy as np
def f(x):
    if x[0] > 0:
        a = np.zeros(3)
    else:
        a = np.ones(3) * x[1]
    a[0] = x[0]
    a[1:] += 2
    return a.sum()

#: a list within a list on one side
def f(x):
    inner = [1.0]
    outer = [inner, [2.0]]
    if x[0] > 0:
        outer[1] = inner
    outer[1][0] = 8.0
    return inner[0] + outer[0][0] * 10 + outer[1][0] * 100

#: a view and its array made in a branch
import numpy as np
def f(x):
    if x[0] > 0:
        a = np.zeros(3)
        v = a[1:]
    else:
        a = np.ones(3)
        v = a[:2]
    v[0] = 5.0
    return a[0] + a[1] * 10

#: a view and its array made alike in both branches
import numpy as np
def f(x):
    if x[0] > 0:
        a = np.zeros(3)
        v = a[1:]
    else:
        a = np.ones(3)
        v = a[1:]
    v[0] = 5.0
    return a[0] + a[1] * 10

#: a list bound on one side only
def f(x):
    a = [1.0]
    b = [0.0]
    if x[0] > 0:
        b = a
    b[0] = 6.0
    return a[0]

#: a name bound on one side only and used under the same condition
def f(x):
    a = [1.0]
    if x[0] > 0:
        b = a
    if x[0] > 0:
        b[0] = 6.0
    return a[0]

#: an alias given up in a loop
def f(x):
    a = [0.0, 1.0]
    b = a
    v = x[0]
    n = 0
    while v > 1 and n < 5:
        b = [b[0] + 1, b[1]]
        v /= 2
        n += 1
    b[1] = 7.0
    return a[1] + b[0] * 10

#: two names of one list in a loop
def f(x):
    a = [0.0]
    b = [0.0]
    n = 0
    v = x[0]
    while v > 1 and n < 5:
        if n == 1:
            b[0] += 100
        a = b = [v]
        v /= 2
        n += 1
    a[0] += 1
    return a[0] + b[0] * 10

#: arrays replaced in a loop
import numpy as np
def f(x):
    y = x.copy()
    n = 0
    while np.abs(y).sum() > 1 and n < 20:
        y = y * 0.5
        n += 1
    return y.sum() + n

#: elements stored in a loop | compiled
import numpy as np
def f(x):
    y = np.zeros(3)
    v = x[0]
    n = 0
    while v > 0.5 and n < 10:
        y[1] += v
        v *= 0.5
        n += 1
    return y.sum() + n

#: an object or another
class P:
    def __init__(self, a):
        self.a = a
def f(x):
    p = P(1.0)
    q = P(2.0)
    r = p if x[0] > 0 else q
    r.a = 5.0
    return p.a + q.a * 10

#: a helper returns one of its arguments
def pick(a, b, c):
    if c > 0:
        return a
    return b
def f(x):
    a, b = [1.0], [2.0]
    pick(a, b, x[0])[0] = 4.0
    return a[0] + b[0] * 10

#: a list of lists merged after a branch
def f(x):
    m = [[0.0, 0.0], [0.0, 0.0]]
    if x[0] > 0:
        m[0][1] = x[1]
    m[1][0] = 3.0
    r = m[0] if x[1] > 0 else m[1]
    return sum(r) + m[0][1]

#: the larger of two lists by its sum
def f(x):
    a, b = [x[0], 1.0], [x[1], 2.0]
    c = max(a, b, key=sum)
    c[1] = 10.0
    return a[1] + b[1] * 100

#: boolean operators give one object or another
def f(x):
    a, b = [x[0]], [x[1]]
    c = (x[0] > 0 and a) or b
    c[0] = 5.0
    return a[0] + b[0] * 10

#: swapping two lists in a branch
def f(x):
    a, b = [1.0], [2.0]
    if x[0] > 0:
        a, b = b, a
    a[0] += 10
    return a[0] + b[0] * 100

#: best so far by assignment | n = 4
def f(x):
    best = [0.0, 0.0]
    for k in range(0, 4, 2):
        cand = [x[k], x[k + 1]]
        if sum(cand) > sum(best):
            best = cand
        cand[0] = -99.0
    return best[0] + best[1]

#: best so far by a copy | n = 4 | compiled
def f(x):
    best = [0.0, 0.0]
    for k in range(0, 4, 2):
        cand = [x[k], x[k + 1]]
        if sum(cand) > sum(best):
            best = cand[:]
    return best[0] + best[1]

#: sorted in a branch | n = 3
def f(x):
    a = [x[0], x[1], x[2]]
    b = a
    if x[0] == x[0] and x[1] == x[1] and x[2] == x[2]:
        a.sort()
    return b[0] + b[-1] * 10

#: reversed in a branch | n = 3
def f(x):
    a = [x[0], x[1], x[2]]
    b = a
    row = [a, a]
    if x[0] > 0:
        a.reverse()
        row[1][0] = 5.0
    return b[0] + b[-1] * 10 + row[0][1] * 100

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

#: a view of what may have been replaced | row = 26
import numpy as np
def f(x):
    y = np.zeros(3)
    v = y[1:]
    if x[0] > 0:
        y = y + 1
    v[0] = 7.0
    return y[1]

#: a list of the module on some lanes | row = 26
T = [1.0, 2.0]
def f(x):
    y = T if x[0] > 0 else [3.0, 4.0]
    y[0] += 1
    return y[0]

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

#: a while loop that may rebind a list with a second name | row = 26 | n = 1
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

#: attributes that may hold one list | row = 26
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

#: a list in a closure under two names | row = 26
def f(x):
    a = [1.0]
    def read():
        return a[0]
    b = a if x[0] > 0 else [3.0]
    b[0] = x[1]
    return read()

#: a helper gets one of two lists | row = 26
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

#: transposed on some lanes: the order of the sum | row = 10 | n = 1
import numpy as np
def f(x):
    m = np.array([[0.1, 1e16, 0.3], [0.7, -1e16, 0.9], [1.3, 0.2, 3.1]])
    if x[0] > 0:
        m = m.T
    return m.sum()

#: a list replaced after a store in a loop
def f(x):
    a = x[0]
    b = [x[0], a, a]
    c = b[:]
    n = 0
    while n < 6 and not a <= a - 1:
        n += 1
        if x[0] < 3:
            b[0] = x[1]
        b = c
        a = a - 1
        if n > 3:
            break
    return sum(b) + sum(c) * 10

#: a list replaced after a store in a branch
def f(x):
    a = [x[0], 1.0]
    b = [2.0, x[1]]
    if x[0] > 0:
        a[0] = 5.0
        a = b
    return a[0] + a[1] * 10 + b[0] * 100

#: a store and another name in one branch
def f(x):
    a = [x[0], 1.0]
    b = [2.0, x[1]]
    c = b
    if x[0] > 0:
        a[0] = 5.0
        b[1] = 7.0
        c = a
    return a[0] + c[0] * 10 + c[1] * 100 + b[1] * 1000

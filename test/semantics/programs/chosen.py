#: a store at an index that depends on x | row = 20 | n = 3 | compiled
def f(x):
    used = [0] * 4
    total = 0.0
    for v in x:
        k = int(abs(v)) % 4
        used[k] += 1
        total += used[k] * v
    return total + sum(u * u for u in used)

#: a store out of range on some lanes | row = 20 | raises = IndexError
def f(x):
    a = [1.0, 2.0, 3.0]
    a[int(x[0])] = x[1]
    return a[0] + 10 * a[1] + 100 * a[2]

#: negative positions | row = 20 | n = 1 | compiled
def f(x):
    a = [1.0, 2.0, 3.0]
    k = -1 - int(abs(x[0])) % 3
    a[k] = 9.0
    return a[0] + 10 * a[1] + 100 * a[2] + a[k]

#: a chosen row of a list of lists | n = 2 | compiled
COST = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
def f(x):
    row = COST[int(abs(x[0])) % 3]
    return row[0] * x[1] + row[1]

#: a chosen row is the row itself | row = 26
def f(x):
    m = [[1.0, 2.0], [3.0, 4.0]]
    row = m[int(abs(x[0])) % 2]
    row[0] = x[1]
    return m[0][0] + 10 * m[1][0]

#: a row changes after it was chosen | row = 26
def f(x):
    m = [[1.0, 2.0], [3.0, 4.0]]
    row = m[int(abs(x[0])) % 2]
    m[0][0] = x[1]
    return row[0]

#: chosen tuples | n = 2 | compiled
CITIES = [(0, 0), (4, 1), (6, 5)]
def f(x):
    a, b = CITIES[int(abs(x[0])) % 3]
    c, d = CITIES[int(abs(x[1])) % 3]
    return (a - c) ** 2 + (b - d) ** 2

#: a chosen element of a matrix | n = 2 | compiled
import numpy as np
T = np.arange(12.0).reshape(3, 4)
def f(x):
    j = int(abs(x[0])) % 3
    k = int(abs(x[1])) % 4
    return T[j, k] + 10 * T[j, 1] + 100 * T[2, -1 - k] + T[j].sum()

#: a chosen column and a chosen slice | n = 1 | compiled
import numpy as np
T = np.arange(12.0).reshape(3, 4)
def f(x):
    j = int(abs(x[0])) % 3
    return T[:, j].sum() + T[j, 1:3].sum() * 10 + T[None, j].sum()

#: stores into a chosen element and a chosen row | n = 2 | compiled
import numpy as np
def f(x):
    m = np.zeros((3, 2))
    j = int(abs(x[0])) % 3
    m[j, 1] = x[1]
    m[(j + 1) % 3] = [5.0, 6.0]
    return m[0, 0] + 10 * m[1, 1] + 100 * m[2, 0] + 1000 * m[0, 1]

#: an index of a matrix out of range on some lanes | row = 20 | raises = IndexError
import numpy as np
T = np.arange(6.0).reshape(3, 2)
def f(x):
    return T[int(x[0]), 1] + x[1]

#: positions in order | n = 1 4 | compiled
import numpy as np
def f(x):
    order = np.argsort(x)
    s = 0.0
    for k in range(len(x)):
        s = s * 3 + order[k]
    return s

#: a stable order keeps equal elements | n = 3 | compiled
import numpy as np
def f(x):
    order = np.argsort(np.round(x), kind="stable")
    return order[0] + 10 * order[1] + 100 * order[2]

#: gathered by an order | n = 4 | compiled
import numpy as np
W = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
def f(x):
    order = x.argsort()
    y = x[order]
    return y[0] + 10 * y[-1] + (W[order] * W).sum()

#: a chosen row changed in place | n = 2
import numpy as np
def f(x):
    m = np.zeros((3, 2))
    j = int(abs(x[0])) % 3
    m[j] += 2
    m[j][1] = x[1]
    return m[0, 0] + 10 * m[1, 1] + 100 * m[2, 0] + 1000 * m[0, 1]

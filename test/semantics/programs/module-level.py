#: a list that a statement has filled which is not translated | cpython
import numpy as np
L = []
for i in range(3):
    L.append(np.random.rand() * 0)
def f(x): return x[0] + len(L)

#: the same under another name | cpython
import numpy as np
L = []
M = {"m": L}
for i in range(3):
    M["m"].append(np.random.rand() * 0)
def f(x): return x[0] + len(L)

#: an attribute of a class that is set by what is not translated | cpython
import numpy as np
class C:
    v = 1.0
C.v = 2.0 + 0 * np.random.rand()
def f(x): return x[0] + C.v

#: a table that a helper fills | cpython
import numpy as np
T = {}
def fill(n):
    for k in range(n): T[k] = float(k) + 0 * np.random.rand()
    return n
count = fill(3)
def f(x): return x[0] + sum(T.values())

#: a number that a helper sets | cpython
import numpy as np
scale = 1.0
def setup():
    global scale
    scale = 3.0
    return np.random.rand()
start = setup()
def f(x): return scale * x[0]

#: an argument that a helper changes | cpython
import numpy as np
A = [1.0, 2.0]
def grow(v):
    v.append(4.0 + 0 * np.random.rand())
    return len(v)
n = grow(A)
def f(x): return x[0] + sum(A)

#: rows that a loop changes | cpython
import numpy as np
R = [[1.0], [2.0]]
for row in np.random.permutation(2) * 0 if False else R:
    row[0] = 5.0 + 0 * np.random.rand()
def f(x): return x[0] + R[1][0]

#: what only reads data leaves them alone | compiled
import numpy as np
from scipy.optimize import minimize
data = [1.0, 2.0, 3.0]
def f(x):
    y = np.zeros(3)
    y[0] = x[0]
    total = 0.0
    for v in data: total += v * y[0]
    return total
noise = np.random.rand(3)
result = None if len(noise) == 3 else minimize(f, [0.0])

#: an int or a float that is zero, with a sign | compiled
def f(x): return x[1] if x[1] > 0 else -min(x[0], 0)

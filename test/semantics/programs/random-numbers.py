# Random numbers with a seed: made while the source is loaded, or seeded in each call.

#: numpy.random with a seed | n = 3 | compiled | ulp = 4
import numpy as np
np.random.seed(42)
A = np.random.rand(4, 3)
B = np.random.uniform(-1, 2, size=4)
K = np.random.randint(0, 10, 5)
P = np.random.permutation(6)
C = np.random.choice(5, 3)
D = np.random.choice([1.5, 2.5, 3.5], size=2, replace=False)
E = np.random.random((2, 2)) + np.random.random_sample(2)
Q = [1.0, 2.0, 3.0, 4.0]
np.random.shuffle(Q)
R = np.arange(5.0)
np.random.shuffle(R)
ONE = np.random.rand() + np.random.randint(3, 9) + np.random.uniform(2, 3) + np.random.choice([0.5, 0.25])
def f(x):
    return (np.sum(A @ x - B) + np.sum(K * np.arange(5)) + P @ np.arange(6) + C @ np.arange(3) + D[0] * 3 + E[0, 1]
            + Q[0] * 2 + Q[1] + R @ np.arange(5) + ONE + isinstance(ONE, float))

#: numpy.random: normal numbers | n = 3 | compiled | ulp = 40
import numpy as np
np.random.seed(7)
X = np.random.randn(5, 3)
Y = np.random.normal(1.0, 0.5, 5) + np.random.standard_normal(5)
ONE = np.random.normal() - np.random.randn()
def f(x):
    return np.sum(np.abs(X * x)) + np.sum(np.abs(Y)) + abs(ONE)

#: RandomState | compiled
import numpy as np
rng = np.random.RandomState(3)
T = np.array([[rng.rand() for _ in range(3)] for _ in range(2)])
W = [rng.randint(1, 100) for _ in range(4)] + list(rng.randint(-5, 5, size=3)) + [rng.uniform(0, 10)]
def f(x):
    local = np.random.RandomState(seed=11)
    noise = local.uniform(0, 1, 2)
    return np.sum(T[0, :2] * x) + sum(W) + noise[0] * x[0] + local.rand() + local.permutation(4)[0]

#: seeded in each call | compiled
import numpy as np
import random
np.random.seed(1)
def f(x):
    np.random.seed(5)
    random.seed(6)
    return x[0] + np.random.rand() + random.random() + random.randint(1, 1000)

#: random with a seed | compiled
import random
random.seed(2024)
DATA = [random.random() for _ in range(5)] + [random.uniform(-3, 3) for _ in range(3)]
KINDS = [random.randint(0, 9) for _ in range(5)] + [random.randrange(100), random.randrange(5, 8)]
PICKED = random.choice([1.0, 2.0, 5.0]) + random.choice((3, 4))
ORDER = list(range(6))
random.shuffle(ORDER)
own = random.Random(99)
OWN = own.random() + own.randint(1, 6)
random.seed(-12345678901)
LAST = random.random()
def f(x):
    return x[0] * sum(DATA) + sum(k * i for i, k in enumerate(KINDS)) + PICKED + ORDER[0] * 10 + ORDER[5] + OWN + LAST

#: random: normal numbers | compiled | ulp = 40
import random
random.seed(0)
DATA = [random.gauss(0, 1) for _ in range(5)] + [random.gauss(10.0, 0.5)]
def f(x):
    return abs(x[0]) + sum(abs(v) for v in DATA)

#: many draws in a loop | compiled
import random
random.seed(5)
TOTAL = 0.0
for _ in range(3000):
    TOTAL = TOTAL * 0.5 + random.random()
def f(x):
    return TOTAL + x[0]

#: drawn in each call from what lasts | cpython
import numpy as np
np.random.seed(1)
def f(x):
    return x[0] + np.random.rand()

#: drawn in each call from an object that lasts | cpython
import random
own = random.Random(3)
def f(x):
    return x[0] + own.gauss(0, 1)

#: drawn on some lanes only
import numpy as np
def f(x):
    rng = np.random.RandomState(1)
    if x[0] > 0:
        rng.rand()
    return rng.rand() + x[1]

#: seeded on some lanes only | cpython
import numpy as np
def f(x):
    np.random.seed(1)
    if x[0] > 0:
        np.random.seed(2)
    return np.random.rand() + x[1]

#: random numbers in a loop, by x | compiled
import numpy as np
def f(x):
    rng = np.random.RandomState(1)
    total = 0.0
    for k in range(40):
        total += rng.rand() * x[0]
    while k > 37:
        total += rng.rand()
        k -= 1
    return total

#: numbers of a distribution that is not compiled | cpython
import numpy as np
rng = np.random.RandomState(1)
def f(x):
    try:
        return x[0] + np.random.RandomState(2).beta(1.0, 2.0)
    except AttributeError:
        return 5.0

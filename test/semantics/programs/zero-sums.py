#: the sign of a sum that is zero | at = 0 0; 0 1; 1 0 | array | compiled
import numpy as np
def f(x):
    return 4 / np.sum(x * (x - 1.0))

#: the sign of a sum that is zero, of many | n = 2 8 300 | array | compiled | ulp = 8
import numpy as np
def f(x):
    return 4 / np.sum(x * -abs(x)) + 1 / np.mean(-abs(x)) + 1 / np.dot(x, -np.ones(len(x)))

#: sums that are begun at 0.0 add nothing to what cannot be -0 | array | compiled
import numpy as np
def f(x):
    return np.copysign(1.0, np.sum(x ** 2)) + np.copysign(1.0, np.sum(np.abs(x) + np.cos(x))) + np.copysign(1.0, np.sum(x ** 3))

#: what accumulates keeps a zero's sign | array | compiled
import numpy as np
def f(x):
    return np.copysign(1.0, np.cumsum(-abs(x) * 0.0)[-1]) + np.copysign(1.0, np.prod(x))

#: the sign of a sum that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum(v)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of sums along the first axis that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum([v, v], axis=0)[0]
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of sums along the last axis that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum([v, v], axis=1)[1]
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a mean that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.mean(v)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a product of vectors that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.dot(v, w)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a product of vectors by @ that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = v @ w
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a product of single elements that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.dot(v[:1], w[:1])
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a product of single elements by @ that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = v[:1] @ w[:1]
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of einsum that adds that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.einsum('i,i->', v, w)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of einsum that adds nothing that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.einsum('i,j->ij', v, w)[0, 1]
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a trace that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.trace(np.array([[v[0], 1.0], [1.0, v[1]]]))
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a sum without NaN that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.nansum(v)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of an average that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.average(v)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a median of two that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.median(v)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a median of three that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.median(np.append(v, -0.0))
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a convolution that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.convolve(v, w)[0]
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a sum of chosen elements that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum(v[v == 0])
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a product of chosen elements that is zero | array
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.dot(v[x == 0], w[x == 0])
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a sum that begins at -0 that is zero | array
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum(v, initial=-0.0)
    return np.copysign(1.0, r) if r == 0 else 3.0

#: the sign of a sum of complex numbers that is zero | array | compiled
import numpy as np
import math
def loop(v):
    t = 0.0
    for a in v:
        t += a
    return t
def f(x):
    x = x * 1.0
    v = -abs(x) * 0.0
    w = np.ones(2)
    r = np.sum(v + 0j).real
    return np.copysign(1.0, r) if r == 0 else 3.0

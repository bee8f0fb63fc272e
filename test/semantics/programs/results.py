#: a tuple of one number | row = 32 | compiled
def f(x):
    return x[0],

#: a list of one number | row = 32 | compiled
def f(x):
    return [x[0] + x[1]]

#: an array of one number | row = 32 | compiled
import numpy as np
def f(x):
    return x[:1] * 2

#: a 0-d array | row = 32 | compiled
import numpy as np
def f(x):
    return np.array(x[0])

#: a matrix of one number | row = 32 | compiled
import numpy as np
def f(x):
    return np.array([[x[0]]])

#: a tuple of a list of an array of one number | row = 32 | compiled
import numpy as np
def f(x):
    return ([np.array([x[1]])],)

#: an np.float64 | row = 32 | compiled
import numpy as np
def f(x):
    return np.float64(x[0])

#: an int | row = 32 | compiled | raises = ValueError OverflowError
def f(x):
    return int(x[0])

#: an np.int64 and an np.bool_ | row = 32 | compiled
import numpy as np
def f(x):
    return np.argmin(x) if x[0] > 0 else x[0] < x[1]

#: a bool | row = 32 | compiled
def f(x):
    return x[0] > x[1]

#: nan | row = 32 | compiled
def f(x):
    return float("nan") if x[0] > 0 else x[1]

#: None on some lanes | row = 32 | raises = TypeError
def f(x):
    if x[0] > 0:
        return x[0]

#: None | row = 32 | raises = TypeError
def f(x):
    x[0] + 1

#: a complex number | row = 32 | raises = TypeError
def f(x):
    return complex(x[0], 1.0)

#: a complex number on some lanes | row = 32 | raises = TypeError | ulp = 1
def f(x):
    return x[0] ** 0.5

#: a string | row = 32 | raises = TypeError
def f(x):
    return "1.5"

#: a string on some lanes | row = 32 | raises = TypeError
def f(x):
    return "1.5" if x[0] > 0 else x[1]

#: two numbers | row = 32 | raises = TypeError
def f(x):
    return x[0], x[1]

#: an empty list | row = 32 | raises = TypeError
def f(x):
    return []

#: an array of two numbers | row = 32 | raises = TypeError
import numpy as np
def f(x):
    return x * 2

#: a tuple of None | row = 32 | raises = TypeError
def f(x):
    return (None,)

#: a function | row = 32 | raises = TypeError
def f(x):
    return f

#: an int beyond the range of a float | row = 32 | raises = OverflowError
def f(x):
    return 10 ** 400 if x[0] > 0 else 1

#: an int beyond 2**53 | row = 32
def f(x):
    return 2 ** 60 + 1 if x[0] > 0 else 1

#: one element of a result of any length counts: positions of what is not zero | n = 1 2 | compiled
import numpy as np
def f(x):
    return np.where(x)

#: one element of a result of any length counts: elements under a mask | n = 1 2 | compiled
import numpy as np
def f(x):
    return x[x > 0]

#: one element of a result of any length counts: a filtered list | n = 1 2 | compiled
import numpy as np
def f(x):
    return [v for v in x if v > 0]

#: one element of a result of any length counts: positions of what is positive, in rows | n = 1 2 | compiled
import numpy as np
def f(x):
    return np.argwhere(x > 0)

#: one element of a result of any length counts: what is there once | n = 1 2 | compiled
def f(x):
    return np.unique(x)
import numpy as np

#: one element of a result of any length counts: positions or a number | n = 1 2 | compiled
import numpy as np
def f(x):
    return np.where(x > 0)[0] if x[0] > 0 else 1.0

#: one element of a result of any length counts: positions in a tuple in a list | n = 1 2 | compiled
import numpy as np
def f(x):
    return [np.where(x > 0)]

#: one element of a result of any length counts: a filtered list of lists | n = 1 2
def f(x):
    return [[v] for v in x if v > 0]

#: sine and cosine of any angle | n = 1 | ulp = 2 | compiled | raises = ValueError | at = 411775; 411775.00000000006; 5.319372648326541e255; 1e22; -1.7976931348623157e308
import math
def f(x):
    return math.sin(x[0])

#: the cosine of any angle | n = 1 | ulp = 2 | compiled | raises = ValueError | at = 411775; 411775.00000000006; 1.0638745296653083e256; 1e22; -14461176.67027838
import math
def f(x):
    return math.cos(x[0])

#: the tangent of any angle | n = 1 | ulp = 3 | compiled | raises = ValueError | at = -411775; -411775.00000000006; 1e22; 9007199254740993; -1e100
import math
def f(x):
    return math.tan(x[0])

#: angles of known numbers beyond the quick reduction | ulp = 2 | compiled
import math
def f(x):
    return math.sin(6381956970095103 * 2.0 ** 797) + 0 * x[0]

#: NumPy's sine of an infinity is not a number | n = 1 | ulp = 4 | compiled
import numpy as np
def f(x):
    return np.sin(x[0] * 1e200)

#: an angle in a branch | compiled | ulp = 2
import math
def f(x):
    if x[0] > 3:
        return math.cos(x[0] * 1e6) if x[0] < 1e300 else 0.25
    return 1.0

#: the exponential of an imaginary number far from zero | n = 1 | compiled | ulp = 2
import cmath
def f(x):
    return cmath.exp(1j * min(abs(x[0]), 1e18)).imag if x[0] == x[0] else 0.0

#: floor division and remainder of ints and floats | n = 2 | row = 14
import math
def f(x):
    a, b = x
    return -7 // 2 + -7 % 3 * 10 + -7.5 % 2 * 100 + math.fmod(-7.5, 2) * 1000 + a // 3 + a % 3 + b // -2.5 + b % -2.5

#: int division gives a float
def f(x):
    return 1 / 2 + 7 // 2 / 2 + int(x[0]) / 3

#: large ints are exact
def f(x):
    return 2 ** 100 - 2 ** 100 + x[0]

#: ints beyond 2**53 in a difference | raises = OverflowError ValueError
def f(x):
    k = int(x[0]) * 4503599627370497
    return k - int(x[0]) * 4503599627370496

#: an int or float that is zero times minus one
import math
def f(x):
    v = 0 if x[0] > 0 else 0.5
    return math.atan2(v * -1, -1.0)

#: the sign of max with an int zero
import math
def f(x):
    return math.copysign(3.0, -max(0, x[0]))

#: negative zero of a floor division of an int or float
import math
def f(x):
    v = 0 if x[0] > 0 else 0.25
    return math.copysign(1.0, v // -5)

#: NumPy divides by the zero of an int or float
import numpy as np
def f(x):
    v = 0 if x[0] > 0 else 0.0
    return np.float64(1.0) / (v * -1)

#: negating an int zero
import math
def f(x):
    k = int(x[0])
    return math.copysign(1.0, -k) + math.atan2(-k * 0, -1)

#: negative zeros of floats are kept | row = 28
import math
def f(x):
    z = -0.0 * abs(x[0])
    return math.copysign(1.0, z) + math.atan2(z, -1.0) + math.copysign(10.0, 0.0 - 0.0) + math.copysign(100.0, -0.0 + 0.0) + math.copysign(1000.0, x[0] * 0)

#: abs and sign of negative zero | row = 28
import math
import numpy as np
def f(x):
    return math.copysign(1.0, abs(-0.0)) + math.copysign(10.0, np.sign(-0.0)) + math.copysign(100.0, np.abs(x[0])) + np.sign(x[1])

#: is it an int
def f(x):
    v = int(x[0]) if x[1] > 0 else x[0]
    return 1.0 if isinstance(v, int) else 2.0

#: is it a float
def f(x):
    v = 1 if x[0] > 0 else 1.0
    return 1.0 if isinstance(v, float) else 2.0

#: NumPy scalars are floats but no ints
import numpy as np
def f(x):
    return isinstance(x[0], float) + isinstance(np.int64(1), int) * 2 + isinstance(float(x[0]), float) * 4 + isinstance(x.sum(), np.float64) * 8 + isinstance(x[0] > 0, bool) * 16

#: an np.int64 or int to a negative power
import numpy as np
def f(x):
    v = np.int64(2) if x[0] > 0 else 2
    return v ** -1

#: an np.int64 or int divided by zero
import numpy as np
def f(x):
    v = np.int64(2) if x[0] > 0 else 2
    try:
        return v // 0
    except ZeroDivisionError:
        return 5

#: an np.float64 or float in a power
import numpy as np
def f(x):
    v = x[0] if x[1] > 0 else -2.5
    return v ** 0.5

#: max keeps the type of its argument
import numpy as np
def f(x):
    v = max(x[0], 0.0)
    return 1.0 / v

#: max of an int and a NumPy float divides
import numpy as np
def f(x):
    return 1 / max(x[0], 0) + 1 / min(0, x[1])

#: nan in max and min depends on the order | row = 19
def f(x):
    n = float("nan")
    a = max(1.0, n)
    b = max(n, 1.0)
    return (a == a) + (b == b) * 2 + max(x[0], x[1]) * 10 + min(x[1], x[0], 1.0)

#: max of lists with nan in the middle | n = 4 | row = 19
def f(x):
    return max(x) + min(x)

#: max prefers the first of equals | row = 19
import math
def f(x):
    return math.copysign(1.0, max(0.0, -0.0)) + math.copysign(10.0, max(-0.0, 0.0)) + math.copysign(100.0, min(abs(x[0]), 0.0))

#: round half to even | row = 17 | raises = ValueError OverflowError
def f(x):
    return round(0.5) + round(1.5) * 10 + round(2.5) * 100 + round(x[0]) + round(-x[1])

#: round to digits | row = 17
def f(x):
    return round(2.675, 2) + round(x[0], 1)

#: round to no digits
def f(x):
    return round(x[0], None) + round(7, 0) + round(15, -1)

#: np.round and round differ | row = 17 | array
import numpy as np
def f(x):
    return np.round(2.675, 2) * 1000 + np.round(x, 1)[0] + round(x[1])

#: int truncates, floor does not | row = 18 | raises = ValueError OverflowError
import math
def f(x):
    return int(-2.7) + math.floor(-2.7) * 10 + int(x[0]) + math.floor(x[1]) + math.trunc(x[0]) + math.ceil(x[1])

#: int of a bool and of text
def f(x):
    return int(x[0] > 0) + float("1e3") + float("-inf" if x is None else "2")

#: bool arithmetic with comparisons
def f(x):
    a, b = x[0] > 0, x[1] > 0
    return a + b + (a - b) * 10 + a * b * 100 + (a and b) * 1000 + (a | b) * 1e4 + (a ^ b) * 1e5 + (a == b) * 1e6 + (-a) * 1e7 + (a < b) * 1e8

#: NumPy bool arithmetic | array
import numpy as np
def f(x):
    a, b = x[0] > 0, x[1] > 0
    return (a + b) * 1 + (a * b) * 10 + (a & b) * 100 + (a ^ b) * 1000 + (a == b) * 1e4 + (a < b) * 1e5 + np.sum(x > 0) * 1e6

#: NumPy bools do not subtract | raises = TypeError
import numpy as np
def f(x):
    return (x[0] > 0) - (x[1] > 0)

#: plus of NumPy bools, which newer versions of NumPy refuse | cpython
import numpy as np
def f(x):
    return +(x[0] > 0) + 1

#: plus of truth values is a number only outside of NumPy | compiled
def f(x):
    return +(x[0] > 0) + (x[1] > 0)

#: NumPy bools are not positive
import numpy as np
def f(x):
    try:
        return np.positive(x > 0).sum() + x[0]
    except TypeError:
        return x[1]

#: NumPy bools have no minus | raises = TypeError
import numpy as np
def f(x):
    return -(x > 0).sum() + (-(x[0] > 0))

#: inverting NumPy bools
import numpy as np
def f(x):
    return (~(x > 0)).sum() + (~(x[0] > 0)) * 10

#: True plus an np.bool_
import numpy as np
def f(x):
    return (True + (x[0] > 0)) * 2 + (1 + (x[0] > 0)) * 10 + (1.0 + (x[1] > 0)) * 100

#: sums of bools are ints
import numpy as np
def f(x):
    return sum(v > 0 for v in x) / 2 + (x > 0).sum() / 3 + np.mean(x > 0) + sum([True, True, False])

#: chained comparison of mixed kinds
import numpy as np
def f(x):
    return (0 < x[0] < 1.5) + (True < 2 <= x[1]) * 2

#: inf and nan arithmetic | row = 35
def f(x):
    i = float("inf")
    d = i - i
    return (d != d) + (x[0] - x[0] != 0) * 2 + (x[1] * 0 != 0) * 4

#: denormals survive | row = 35
def f(x):
    v = 5e-324
    return (v > 0) + (v / 2 == 0) * 2 + (x[0] * 1e-310 != 0) * 4 + (1e-308 / 3 * 3 == 1e-308) * 8 + (2.2250738585072014e-308 / 2 > 0) * 16 + x[1] * 5e-324

#: overflow to infinity without an error | row = 6
def f(x):
    v = 1e308 * 10
    return (v == float("inf")) + (x[0] * 1e308 * 10 == float("inf")) * 2

#: overflow in a power | row = 6 | raises = OverflowError
def f(x):
    return x[0] ** 2 + (x[1] * 1e200) ** 2

#: overflow in math functions | row = 6 | raises = OverflowError
import math
def f(x):
    return math.exp(x[0]) - math.exp(x[0]) + math.cosh(x[1] * 1000) * 0

#: NumPy overflows to infinity | row = 6 | ulp = 2
import numpy as np
def f(x):
    return np.exp(x[0] * 1000) - np.exp(1000 * abs(x[0])) * 0 + (np.float64(1e200) ** 2 > 1e308)

#: division by zero raises | row = 2 | raises = ZeroDivisionError | list
def f(x):
    return x[0] / x[1]

#: division by zero in NumPy gives infinity | row = 2 | array
import numpy as np
def f(x):
    return x[0] / x[1] + 1 / np.float64(0) * (x[0] > 0) + np.float64(1) / 0.0

#: a NumPy zero made a Python float raises again | row = 2 | raises = ZeroDivisionError
import numpy as np
def f(x):
    return 1.0 / float(x[0]) + 1 / (x[1] + 1.0)

#: modulo by zero raises | row = 3 | raises = ZeroDivisionError | list
def f(x):
    return x[0] % x[1]

#: modulo by zero in NumPy gives nan | row = 3 | array
import numpy as np
def f(x):
    v = x[0] % x[1]
    return 1.0 if v != v else v

#: modulo by minus zero | row = 3 | raises = ZeroDivisionError | list
def f(x):
    return 5.0 % (x[0] * -0.0 if x[0] == x[0] else 1.0)

#: zero to a negative power | row = 4 | raises = ZeroDivisionError | list | ulp = 1
def f(x):
    return x[0] ** -1 + x[1] ** -2.0

#: zero to a negative power in NumPy | row = 4 | array
import numpy as np
def f(x):
    return x[0] ** -1.0 + np.float64(0.0) ** -1

#: a negative base gives a complex number | row = 5 | list | ulp = 2
def f(x):
    v = x[0] ** (1 / 3)
    return v if not isinstance(v, complex) else -1.0

#: a negative base gives nan in NumPy | row = 5 | array | ulp = 2
import numpy as np
def f(x):
    v = x[0] ** (1 / 3)
    return -1.0 if v != v else v

#: a negative base in math.pow raises | row = 5 | raises = ValueError | ulp = 1
import math
def f(x):
    return math.pow(x[0], 1 / 3)

#: the square root of minus one | row = 5 | list | raises = TypeError
def f(x):
    return (-1) ** 0.5 + x[0]

#: domain errors | row = 7 | raises = ValueError | ulp = 2
import math
def f(x):
    return math.sqrt(x[0]) + math.log(x[1])

#: log of zero | row = 7 | raises = ValueError | ulp = 1
import math
def f(x):
    return math.log10(x[0] * 0.0 + x[1])

#: sin of infinity | row = 7 | raises = ValueError | ulp = 1
import math
def f(x):
    return math.sin(x[0])

#: NumPy has no domain errors | row = 7 | ulp = 4
import numpy as np
def f(x):
    a = np.sqrt(x[0])
    b = np.log(x[1])
    return (a if a == a else 7.0) + (0.0 if b == -np.inf else 3.0) + (1.0 if b != b else 0.0)

#: math on an np.float64 gives a Python float | row = 8 | raises = ZeroDivisionError ValueError | array
import math
import numpy as np
def f(x):
    return 1 / math.floor(x[0]) + 1 / math.sqrt(x[1])

#: types change inside one expression | row = 8 | raises = ZeroDivisionError
import math
import numpy as np
def f(x):
    return x[0] / (x[1] * 0 + 1) + math.fabs(x[0]) / math.fabs(x[1])

#: x squared as a number | row = 9 | list | ulp = 1
def f(x):
    return x[0] ** 2 - 1

#: x squared as an array is a product | row = 9 | n = 1 2 3 8
import numpy as np
def f(x):
    return (x ** 2)[0] - (x * x)[0]

#: root by a power | row = 9 | ulp = 1 | list
def f(x):
    return abs(x[0]) ** 0.5

#: roots of an array by a power
import numpy as np
def f(x):
    v = x ** 0.5
    return 1.0 if v[0] != v[0] else v[0]

#: cubes | row = 9 | ulp = 2 | list
def f(x):
    return x[0] ** 3

#: int overflow in NumPy wraps | row = 16
import numpy as np
def f(x):
    return float(np.int64(2) ** 63) + x[0]

#: an np.int64 to a negative power | row = 16 | raises = ValueError
import numpy as np
def f(x):
    return np.int64(2) ** -1 + x[0]

#: integer arrays to a negative power | row = 16 | raises = ValueError
import numpy as np
def f(x):
    return (np.array([1, 2, 3]) ** -1).sum() + x[0]

#: an int to a negative power | row = 16
def f(x):
    return 2 ** -1 + x[0]

#: np.int64 sums that wrap
import numpy as np
def f(x):
    a = np.array([2 ** 62, 2 ** 62])
    return float(a.sum()) + x[0]

#: ints beyond 2**53 round | row = 15
def f(x):
    return (2 ** 53 + 1) / 1 + 1 / 3 + x[0]

#: true division of ints that depend on x | row = 15 | raises = ValueError OverflowError
def f(x):
    return int(x[0]) / 2 + 1 / 2

#: sum of ten tenths | row = 11
def f(x):
    return sum([0.1] * 10) + sum([0.1 * x[0]] * 7) + sum(x, 0.5)

#: sum with ints, bools and floats | row = 11 | n = 3
def f(x):
    return sum([1, True, x[0], 2, x[1], 1e16, x[2], -1e16])

#: sum of an array goes from left to right | row = 11 | n = 9
import numpy as np
def f(x):
    return sum(x)

#: sum with a start list
def f(x):
    return len(sum([[x[0]], [x[1], 1.0]], []))

#: fsum is exact | n = 3
import math
def f(x):
    return math.fsum([1e100, 1.0, -1e100, -1.0, 1e-50, x[0], x[1], x[2]]) + math.fsum([0.1] * 10)

#: fsum of cancelling terms | n = 9
import math
def f(x):
    return math.fsum(x) + math.fsum([v * 1e16 for v in x] + [-v * 1e16 for v in x])

#: prod of ints and floats
import math
def f(x):
    return math.prod([2, 3, x[0]]) + math.prod([]) + math.prod(x, start=2)

#: isclose | raises = ValueError
import math
def f(x):
    return math.isclose(x[0], x[1]) + math.isclose(x[0], x[1], rel_tol=0.5, abs_tol=-1.0 if x[0] > 2 else 0.1)

#: huge trigonometric arguments | row = 36 | ulp = 2
import math
def f(x):
    return math.sin(1e22) + math.cos(x[0] * 1e22 if abs(x[0]) < 1e280 else 1.0)

#: huge arguments in NumPy | row = 36 | n = 1 | ulp = 4
import numpy as np
def f(x):
    v = np.sin(x[0] * 1e22)
    return 9.0 if v != v else v

#: divmod | raises = ZeroDivisionError
def f(x):
    q, r = divmod(x[0], x[1])
    return q * 10 + r

#: divmod of ints
def f(x):
    q, r = divmod(-7, 3)
    return q * 10 + r + x[0]

#: pow with three arguments
def f(x):
    return pow(3, 4, 5) + pow(x[0], 2)

#: bits of ints that depend on x | raises = ValueError OverflowError
def f(x):
    k = int(x[0])
    return (k & 3) + (k | 4) + (k ^ 1) + (k << 2) + (k >> 1) + (~k)

#: shifts by a negative number | raises = ValueError
def f(x):
    return (1 << -1) + x[0]

#: hex and large literals
def f(x):
    return 0xFFFFFFFFFFFFF + 9007199254740993 - 9007199254740992 + x[0]

#: literals that overflow or underflow
def f(x):
    return (1e400 == float("inf")) + 1e-400 + 4.9e-324 + 1.7976931348623159e308 * 0 * (x[0] == 1e5)

#: int comparison with floats beyond 2**53
def f(x):
    return (2 ** 53 + 1 == 2.0 ** 53) + (x[0] == 1)

#: equality of int, float and bool
def f(x):
    return (1 == 1.0 == True) + (0.0 == -0.0) * 2 + (x[0] == True) * 4

#: a power with an int exponent that depends on x | raises = ValueError OverflowError
def f(x):
    return 2 ** int(x[0])

#: a float power with an int exponent that depends on x | raises = ValueError OverflowError | ulp = 1
def f(x):
    return 2.0 ** int(x[0]) if abs(x[0]) < 500 else float(int(x[0]))

#: zero to the zero
def f(x):
    return 0 ** 0 + 0.0 ** 0 + x[0] ** 0 + (x[0] * 0 == 0) * 1.0 ** x[1]

#: nan to the zero and one to the nan
def f(x):
    n = float("nan")
    return n ** 0 + 1 ** n + x[0] ** 0.0

#: infinite powers | ulp = 1
def f(x):
    i = float("inf")
    return 2 ** -i + 0.5 ** i + (-2.0) ** -i + (abs(x[0]) + 1.5) ** -i

#: unary plus and minus on everything
def f(x):
    return +x[0] + -x[1] + +True + -False + - -3 + ~True

#: the last bit of a product
def f(x):
    return x[0] * 0.1 * 3 - 0.1 * 3 * x[0]

#: no contraction to fused operations | n = 3
def f(x):
    return x[0] * x[1] + x[2] - x[0] * x[1]

#: float methods
def f(x):
    return (x[0]).is_integer() + (2.5).real

#: as_integer_ratio and hex
def f(x):
    return (0.5).as_integer_ratio()[1] + x[0]

#: min and max of mixed ints, floats and bools
def f(x):
    return max(True, 0.5, x[0]) + min(2, True, x[1])

#: counting with float steps
def f(x):
    t = 0.0
    n = 0
    while t < 1.0:
        t += 0.1
        n += 1
    return n + t * x[0]

#: gamma and friends | ulp = 20 | raises = ValueError
import math
def f(x):
    return math.gamma(abs(x[0]) + 0.5) if abs(x[0]) < 10 else math.lgamma(x[1])

#: factorial and comb
import math
def f(x):
    return math.factorial(10) + math.comb(10, 3) + math.perm(5, 2) * x[0]

#: gcd and lcm
import math
def f(x):
    return math.gcd(12, 18) + math.gcd(-4, 6) + math.gcd(0, 5) + math.gcd() + x[0]

#: degrees and hypot | ulp = 2 | n = 3
import math
def f(x):
    return math.degrees(x[0]) + math.radians(x[1])

#: hypot of three | ulp = 2 | n = 3
import math
def f(x):
    return math.hypot(x[0], x[1], x[2])

#: log with a base | raises = ValueError ZeroDivisionError
import math
def f(x):
    return 0.0 if math.log(x[0], x[1]) > 1 else 1.0

#: modf and frexp
import math
def f(x):
    a, b = math.modf(x[0])
    m, e = math.frexp(x[1])
    return a + b * 10 + m * 100

#: nextafter and ulp
import math
def f(x):
    return math.nextafter(x[0], 10.0) - x[0] + math.ulp(1.0)

#: inf in an int context | raises = OverflowError
def f(x):
    return int(x[0] * 1e308 * 1e308) if x[0] > 1 else 0

#: cmp by subtraction of bools
def f(x):
    return (x[0] > x[1]) - (x[0] < x[1])

#: an int power is a big int and does not overflow
def f(x):
    v = 10 if x[0] > 0 else 10.5
    try:
        y = v ** 400
    except OverflowError:
        return -1.0
    return 1.0 if y > 0 else 2.0

#: a lone except and an int or float index
def f(x):
    k = 1 if x[0] > 0 else 1.0
    try:
        return [4.0, 5.0][k]
    except:
        return -1.0

#: an int or float index and TypeError
def f(x):
    k = 1 if x[0] > 0 else 0.5
    try:
        return [4.0, 5.0][k]
    except TypeError:
        return -1.0

#: an int or a float that is squared again and again
def f(x):
    v = 3 if x[0] > 0 else 2.5
    for k in range(6):
        v *= v + 1
    return v / 7

#: an int or a float that grows in a loop
def f(x):
    v = 12345 if x[0] > 0 else 2.5
    w = x[1]
    n = 0
    while w > 0.1 and n < 12:
        v = v * 1001 + 1
        w /= 2
        n += 1
    return v / 3

#: a penalty with an int zero is not flagged | n = 2 | compiled
def f(x):
    p = max(0, x[0] - 1) ** 2 * 1000000 + max(0, x[1] * 1e12) * 1000
    return p + 3

#: the larger of an int and a float in a sum
def f(x):
    a = max(9007199254740991, x[0])
    return (a + 2) - 9007199254740990

#: ints just at 2**53 | raises = ValueError OverflowError
def f(x):
    k = int(x[0]) + 9007199254740990
    return (k + 1) - 9007199254740989 + (9007199254740991 + 2 - 9007199254740992)

#: any, all and not give Python's truth values, also of NumPy's
import numpy as np
def f(x):
    a = any(v > 1 for v in x)
    b = all([v > 0.5 for v in x])
    c = not x[0] > 2
    return a + a + (b + b) * 10 + (c + c) * 100

#: constant angles of many turns | ulp = 4 | compiled
import math
def f(x):
    return x[0] + math.cos(math.pi * 3 ** 11) + math.sin(1e9) + math.tan(-1e6 - 0.5)

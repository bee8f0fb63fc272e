#: try else finally in a loop with break and continue | n = 3
def f(x):
    log = 0.0
    for k, v in enumerate(x):
        try:
            if v < 0:
                continue
            if v > 3:
                break
            r = 1 / v
        except ZeroDivisionError:
            log += 1000
            continue
        else:
            log += r
        finally:
            log += 0.125
            log += k
    else:
        log += 7
    return log

#: two statements in a finally block after a return
def f(x):
    seen = [0]
    def g(v):
        try:
            return v + seen[0]
        finally:
            seen[0] += 1
            seen[0] += 2
            for k in range(2):
                seen[0] += 10
    return g(x[0]) * 100 + g(x[1]) + seen[0]

#: finally runs after break too
def f(x):
    s = 0
    t = 0
    for v in x:
        try:
            if v > 0:
                break
            t += 5
        finally:
            s += 1
            t += 1
            if s > 1:
                t += 100
    return s * 10 + t

#: a bare raise goes on to the outer handler
def f(x):
    try:
        try:
            return 1 / x[0]
        except ZeroDivisionError:
            raise
    except ArithmeticError:
        return -1.0

#: raised in the handler, caught outside
import math
def f(x):
    try:
        try:
            return math.sqrt(x[0])
        except ValueError:
            return 1 / (x[1] - 1)
    except ZeroDivisionError:
        return -5.0

#: raised in else is not caught by the same try
def f(x):
    try:
        try:
            a = x[0]
        except ZeroDivisionError:
            return 1.0
        else:
            a = 1 / x[0]
    except ZeroDivisionError:
        return 2.0
    return a

#: a value bound before the exception stays
def f(x):
    a = 1.0
    b = 2.0
    try:
        a = x[0]
        b = 1 / x[1]
        a = 100.0
    except ZeroDivisionError:
        b = -7.0
    return a + b

#: partial effects of a list before the exception
def f(x):
    items = [0.0, 0.0, 0.0]
    try:
        for k in range(2):
            items[k] = 1 / x[k]
        items[2] = 5.0
    except ZeroDivisionError:
        pass
    return items[0] + items[1] * 2 + items[2]

#: the order of handlers counts
def f(x):
    try:
        return 1 / x[0]
    except ArithmeticError:
        return 1.0
    except ZeroDivisionError:
        return 2.0

#: overflow or zero division
def f(x):
    try:
        return x[0] ** x[1]
    except OverflowError:
        return 1e9
    except ZeroDivisionError:
        return -1e9

#: a lone except catches what it must
def f(x):
    try:
        v = [1.0, 2.0, 3.0][int(x[0])]
        return v / x[1]
    except:
        return -1.0

#: an exception in a generator is raised where it is used
def f(x):
    try:
        g = (1 / v for v in x)
    except ZeroDivisionError:
        return -1.0
    try:
        return sum(g)
    except ZeroDivisionError:
        return -2.0

#: a map is lazy too
def f(x):
    try:
        g = map(lambda v: 1 / v, x)
    except ZeroDivisionError:
        return -1.0
    try:
        return sum(g)
    except ZeroDivisionError:
        return -2.0

#: a generator that is never used raises nothing
def f(x):
    r = 0.0
    try:
        g = (1 / v for v in x)
        r = 5.0
    except ZeroDivisionError:
        r = 6.0
    return r

#: a generator given to a helper
def h(values):
    try:
        return sum(values)
    except ZeroDivisionError:
        return -3.0
def f(x):
    try:
        return h(1 / v for v in x)
    except ZeroDivisionError:
        return -2.0

#: an argument of the exception raises first
def f(x):
    try:
        if x[0] > 0:
            raise ValueError(1 / x[1])
        return 1.0
    except ValueError:
        return 2.0
    except ZeroDivisionError:
        return 3.0

#: assertion with side effects in its message
def f(x):
    try:
        assert x[0] > 0, 1 / x[1]
        return 1.0
    except AssertionError:
        return 2.0
    except ZeroDivisionError:
        return 3.0

#: an exception inside a nested call inside a loop | n = 4
def inner(v, w):
    if v > w:
        raise ValueError
    if v == w:
        raise KeyError("same")
    return w - v
def f(x):
    t = 0.0
    for a, b in zip(x, x[1:]):
        try:
            t += inner(a, b)
        except KeyError:
            t += 50
            break
        except ValueError:
            t -= 1
    return t

#: custom exception classes
class Bad(Exception):
    pass
class Worse(Bad):
    pass
def f(x):
    try:
        if x[0] > 1:
            raise Bad("a")
        if x[0] < -1:
            raise Worse("b")
        return x[0]
    except Worse:
        return 10.0
    except Bad:
        return 20.0

#: a KeyError of a dict
def f(x):
    d = {"a": 1.0, "b": 2.0}
    try:
        v = d["c"]
    except KeyError:
        v = 3.0
    return v + x[0]

#: unbound local inside try
def f(x):
    if x[0] > 0:
        y = 1.0
    try:
        return y
    except UnboundLocalError:
        return 2.0

#: name error inside try
def f(x):
    if x[0] > 0:
        y = 1.0
    try:
        return y
    except NameError:
        return 2.0

#: exception name is unbound after its handler | raises = UnboundLocalError
def f(x):
    e = 5.0
    try:
        1 / x[0]
    except ZeroDivisionError as e:
        pass
    return e

#: try in a while loop that retries
def f(x):
    n = 0
    v = x[0]
    while True:
        try:
            r = 1 / (v - 1)
            break
        except ZeroDivisionError:
            v += 0.5
            n += 1
            if n > 3:
                r = 0.0
                break
    return r + n

#: return in try, change in finally does not change it
def f(x):
    y = x[0]
    try:
        return y
    finally:
        y = 100.0

#: return in finally wins
def f(x):
    try:
        return 1 / x[0]
    finally:
        return 5.0

#: break in finally swallows the exception
def f(x):
    t = 0.0
    for v in x:
        try:
            t += 1 / v
        finally:
            break
    return t

#: nested functions and exceptions across frames | raises = ZeroDivisionError
def f(x):
    def a(v):
        return 1 / v
    def b(v):
        try:
            return a(v)
        except ValueError:
            return 0.0
    return b(x[0]) + b(x[1])

#: int of nan or infinity in one handler or another
def f(x):
    try:
        return int(x[0]) % 7
    except ValueError:
        return -1
    except OverflowError:
        return -2

#: floor of nan caught by both
import math
def f(x):
    try:
        return math.floor(x[0]) % 5
    except (ValueError, OverflowError):
        return -1

#: complex result inside try
def f(x):
    try:
        v = x[0] ** 0.5
    except (ValueError, ZeroDivisionError):
        return -1.0
    return abs(v)

#: NumPy and Python values in one try
import numpy as np
def f(x):
    v = x[0] if x[1] > 0 else float(x[0])
    try:
        return 1 / v
    except ZeroDivisionError:
        return -1.0

#: division by an array that has a zero does not raise
import numpy as np
def f(x):
    try:
        return float((1 / x)[0])
    except ZeroDivisionError:
        return -1.0

#: math functions of NumPy scalars raise | ulp = 1
import math
import numpy as np
def f(x):
    try:
        return math.log(x[0])
    except ValueError:
        return -1.0

#: a broadcast error inside try | zero
import numpy as np
def f(x):
    try:
        return (x + np.ones(len(x) + 1)).sum()
    except ValueError:
        return x.sum()

#: an index error of an array inside try
import numpy as np
def f(x):
    try:
        return x[5]
    except IndexError:
        return x[0]

#: a truth value error inside try
import numpy as np
def f(x):
    try:
        if x > 0:
            return 1.0
        return 2.0
    except ValueError:
        return 3.0

#: min of nothing inside try
def f(x):
    try:
        return min([])
    except ValueError:
        return x[0]

#: pop from an empty list inside try
def f(x):
    try:
        return [].pop()
    except IndexError:
        return x[0]

#: remove what is not there | n = 3
def f(x):
    a = [1.0, 2.0, 3.0]
    try:
        return a.index(x[0])
    except ValueError:
        return -1

#: float of bad text
def f(x):
    try:
        return float("abc") + x[0]
    except ValueError:
        return -x[0]

#: float of good text
def f(x):
    try:
        return float("1_000.5") + x[0]
    except:
        return -x[0]

#: unpacking the wrong number inside try
def f(x):
    try:
        a, b, c = x
        return a + b + c
    except ValueError:
        return x[0]

#: wrong arguments inside try
def g(a, b):
    return a + b
def f(x):
    try:
        return g(x[0])
    except TypeError:
        return 5.0 + x[0]

#: calling a number inside try
def f(x):
    try:
        return x[0](1)
    except TypeError:
        return 5.0

#: recursion without end inside try
def g(v):
    return g(v) + 1
def f(x):
    try:
        return g(x[0])
    except RecursionError:
        return 1.0

#: handler changes the loop's state | n = 4
def f(x):
    best = None
    worst = 0
    for v in x:
        try:
            q = 1 / v
        except ZeroDivisionError:
            worst += 1
            continue
        if best is None or q < best:
            best = q
    return (best if best is not None else -1.0) + worst * 100

#: raise from
def f(x):
    try:
        try:
            return 1 / x[0]
        except ZeroDivisionError as e:
            raise ValueError("bad") from e
    except ValueError:
        return 8.0

#: raise in a comprehension is caught
def g(v):
    if v > 2:
        raise ValueError("x")
    return v
def f(x):
    try:
        return sum([g(v) for v in x])
    except ValueError:
        return 99.0

#: a StopIteration of next
def f(x):
    it = iter([x[0]])
    a = next(it)
    try:
        b = next(it)
    except StopIteration:
        b = 7.0
    return a + b

#: finally with its own try
def f(x):
    t = 0.0
    try:
        t = 1 / x[0]
    except ZeroDivisionError:
        t = 4.0
    finally:
        try:
            t += 1 / x[1]
        except ZeroDivisionError:
            t += 9.0
    return t

#: uncaught in finally replaces the first | raises = ZeroDivisionError
def f(x):
    t = 0.0
    try:
        t = x[0]
        if t > 0:
            return t
    finally:
        t += 1 / x[1]
    return t - 1

#: append of what raises
def f(x):
    a = []
    try:
        a.append(1 / x[0])
    except ZeroDivisionError:
        pass
    return len(a)

#: an array in place with what raises
import numpy as np
def f(x):
    y = np.zeros(2)
    try:
        y += 1 / float(x[0])
    except ZeroDivisionError:
        pass
    return y.sum()

#: a while test that raises
def f(x):
    n = 0
    v = x[0]
    try:
        while 1 / v > 0.3:
            n += 1
            v += 1
            if n > 5:
                break
    except ZeroDivisionError:
        return -100
    return n

#: a while test that raises in a later iteration
def f(x):
    n = 0
    v = x[0]
    try:
        while n < 20 and 1 / v < 100:
            n += 1
            v += 1
    except ZeroDivisionError:
        n += 1000
    return n + v

#: a helper with effects gets an argument that raises
def f(x):
    log = [0]
    def g(v):
        log[0] += 1
        return v
    try:
        g(1 / x[0])
    except ZeroDivisionError:
        log[0] += 10
    return log[0]

#: a walrus of what raises
def f(x):
    y = 5.0
    try:
        t = (y := 1 / x[0]) + 1
    except ZeroDivisionError:
        pass
    return y

#: a range that raises
def f(x):
    n = 0
    try:
        for k in range(int(min(abs(5 / x[0]), 9.0))):
            n += 1
    except ZeroDivisionError:
        n -= 1
    return n

#: an if test that raises
def f(x):
    y = 0.0
    try:
        if 1 / x[0] > 1:
            y = 1.0
        else:
            y = 2.0
    except ZeroDivisionError:
        y += 10
    return y

#: unpacking of what raises
def f(x):
    a = b = 1.0
    try:
        a, b = x[1], 1 / x[0]
    except ZeroDivisionError:
        pass
    return a + b * 10

#: attributes of what raises
class P:
    def __init__(self):
        self.a = 1.0
def f(x):
    p = P()
    try:
        p.a += 1 / x[0]
        p.a *= 2
    except ZeroDivisionError:
        p.a -= 100
    return p.a

#: handlers around a loop with an early return | n = 3
def f(x):
    t = 0.0
    try:
        for v in x:
            if v > 3:
                return -t
            t += 1 / v
    except ZeroDivisionError:
        return t
    finally:
        t = 0.0
    return t * 0 + 0.5

#: finally in nested loops with continue | n = 4
def f(x):
    t = 0.0
    n = 0
    for a in x:
        for b in x:
            try:
                if a > b:
                    continue
                if a < b - 3:
                    break
                t += a / b
            except ZeroDivisionError:
                t -= 1
                break
            finally:
                n += 1
    return t + n * 100

#: raise inside finally replaces a return | raises = ValueError
def f(x):
    try:
        return x[0]
    finally:
        if x[1] > 0:
            raise ValueError("late")

#: raise inside finally is caught outside and cancels the return
def f(x):
    try:
        try:
            return x[0]
        finally:
            if x[1] > 0:
                raise ValueError("late")
    except ValueError:
        return 77.0

#: raise inside finally replaces the first exception
def f(x):
    try:
        try:
            1 / x[0]
        finally:
            if x[1] > 0:
                raise ValueError("late")
    except ZeroDivisionError:
        return 1.0
    except ValueError:
        return 2.0
    return 3.0

#: bare except with a name error
def f(x):
    try:
        return undefined_name + x[0]
    except:
        return 4.0

#: local of a walrus before it is bound | raises = UnboundLocalError
y = 3.0
def f(x):
    z = y + x[0]
    if (y := x[0]) > 0:
        z += y
    return z

#: the axis of a norm that is no integer is no TypeError | array
import numpy as np
def f(x):
    try:
        return np.linalg.norm(x, axis=1.5)
    except TypeError:
        return 1.0
    except Exception:
        return 2.0

#: the axis of a norm may be a whole number of any type | array
import numpy as np
def f(x):
    return np.linalg.norm(x, axis=0.0)

#: a power of a matrix that is no integer | array
import numpy as np
def f(x):
    try:
        return np.linalg.matrix_power(np.outer(x, x), 1.5)[0, 0]
    except np.linalg.LinAlgError:
        return 1.0
    except TypeError:
        return 2.0

#: an axis of a norm that a matrix does not have | array
import numpy as np
def f(x):
    try:
        return np.linalg.norm(np.outer(x, x), axis=-3)
    except TypeError:
        return 1.0
    except IndexError:
        return 2.0

#: matrices that are none raise LinAlgError | array | compiled
import numpy as np
def f(x):
    r = 0.0
    try:
        r += np.linalg.det(x)
    except np.linalg.LinAlgError:
        r += 1.0
    try:
        r += np.linalg.inv(np.ones((2, 3)))[0, 0]
    except np.linalg.LinAlgError:
        r += 2.0
    return r + x[0]

#: distances between what are no matrices
from scipy.spatial.distance import cdist
import numpy as np
def f(x):
    try:
        return cdist(x, x)[0, 0]
    except IndexError:
        return 1.0
    except ValueError:
        return 2.0

#: the class of what was caught, of classes of the program | at = 1 0; -1 1; -1 -1
class A(Exception): pass
class B(A): pass
def f(x):
    try:
        if x[0] > 0: raise B
        if x[1] > 0: raise A('x')
        raise KeyError(1)
    except B: return 1.0
    except (A, KeyError) as e:
        return 2.0 if isinstance(e, A) else 3.0

#: the class of what was caught, where it is one | compiled | at = 0 1
class A(Exception): pass
def f(x):
    t = 0.0
    try:
        t += 1 / x[0]
    except Exception as e:
        t = 1.0 * isinstance(e, ZeroDivisionError) + 2.0 * isinstance(e, (ArithmeticError, A)) + 4.0 * isinstance(e, A)
    try:
        if x[1] > 0: raise A
    except Exception as e:
        t += 10.0 if isinstance(e, A) else 20.0
    return t

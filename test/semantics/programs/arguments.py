#: a method of a list with too few arguments raises | raises = TypeError
def f(x):
    if x[0] > 0:
        a = [].append()
    return 1.5

#: the clause for it takes that | compiled
def f(x):
    total = 0.0
    for attempt in range(9):
        try:
            if attempt == 0:
                [1.0].append()
            elif attempt == 1:
                {"a": 1}.get("a", 1, 2)
            elif attempt == 2:
                {1, 2}.add()
            elif attempt == 3:
                len([1], [2])
            elif attempt == 4:
                sorted([2, 1], None)
            elif attempt == 5:
                "a".upper(1)
            elif attempt == 6:
                max(1.0, 2.0, default=3)
            elif attempt == 7:
                [2, 1].sort(zz=1)
            else:
                print(1, zz=2)
        except TypeError:
            total += 10.0 ** attempt
    return total + x[0]

#: mathematics of too many arguments | compiled
import math
def f(x):
    try:
        return math.floor(x[0], 1) + math.isnan(1.0, 2.0) + math.gamma(1.0, 2.0)
    except TypeError:
        return 3.0 + x[1]

#: arguments by name stand in their places | compiled
def f(x):
    a = pow(base=2, exp=3) + sum([1, 2], start=x[0]) + round(number=2.5)
    for k, v in enumerate(iterable=[x[1], 1.0], start=3):
        a += k * v
    return a + len("a,b".split(sep=","))

#: a named argument given twice | compiled
def g(a, b=2.0):
    return a + b
def f(x):
    try:
        return g(x[0], b=1.0, **{"b": 3.0})
    except TypeError:
        return 5.0 + x[1]

#: arguments that are not looked at are not ignored
def f(x):
    return len("a-b-c".split("-", maxsplit=1)) + "aXbX".count("X", 2) + "abc".startswith("b", 1) + x[0]

#: a message that cannot be made raises in its place | compiled
def f(x):
    try:
        raise ValueError("bad " + x[0])
    except TypeError:
        return 1.0 + x[1]
    except ValueError:
        return 2.0

#: a format that does not fit its values is not skipped | raises = TypeError IndexError
def f(x):
    if x[0] > 1:
        raise ValueError("{} {}".format(x[0]))
    if x[0] > 0:
        raise KeyError("%d" % "a")
    if x[0] > -1:
        print(f"{[1.0]:.2f}")
    return x[0]

#: formats with other fields than values | compiled
def f(x):
    try:
        print("%d %d" % (1, 2, 3))
    except TypeError:
        return 4.0 + x[0]

#: texts counted and cut at nothing | compiled
def f(x):
    a = "abc".count("") + "".count("")
    for cut in ("a".split, "a".partition):
        try:
            cut("")
        except ValueError:
            a += 10
    return a + x[0]

#: a final block that leaves takes the exception with it
def f(x):
    try:
        raise "bad"
    except NotImplementedError:
        pass
    finally:
        return x[0]

#: a final block that raises replaces the exception for a clause further out
def f(x):
    try:
        try:
            raise KeyError("a")
        finally:
            raise ValueError("b")
    except ValueError:
        return x[0]

#: a slice that is only made may be of anything
def f(x):
    q = slice(1.0, "a")
    return x[0]

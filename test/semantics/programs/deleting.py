#: del in the loop over a dict | raises = RuntimeError
def f(x):
    d = {"a": x[0], "b": x[1]}
    for k in d:
        del d[k]
    return len(d)

#: del in the loop over items | raises = RuntimeError
def f(x):
    d = {"a": x[0]}
    for k, v in d.items():
        del d[k]
    return len(d)

#: store during items
def f(x):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for k, v in d.items():
        d["b"] = 5.0
        t += v
    return t

#: store own key during items | compiled
def f(x):
    d = {"a": x[0], "b": x[1]}
    for k, v in d.items():
        d[k] = v * 2
    return d["a"] + d["b"]

#: del over a copy | compiled
def f(x):
    d = {"a": x[0], "b": x[1]}
    for k in list(d):
        del d[k]
    return len(d) + x[0]

#: a view is live
def f(x):
    d = {"a": x[0]}
    ks = d.keys()
    d["b"] = 2.0
    return len(ks) + x[1]

#: del list element while looping
def f(x):
    a = [1.0, 2.0, 3.0, 4.0]
    t = 0.0
    for v in a:
        t += v
        if v == 2.0:
            del a[0]
    return t + x[0]

#: del chosen with three | n = 1 | compiled
def f(x):
    a = [1.0, 2.0, 3.0]
    k = int(abs(x[0])) % 3
    del a[k]
    b = [x[0], 5.0, 6.0]
    v = b.pop(-1 - k)
    return a[0] + 10 * a[1] + len(a) + 100 * v + 1000 * b[0]

#: del name in a branch then rebind | compiled
def f(x):
    t = x[0]
    if x[1] > 0:
        del t
        t = 5.0
    return t

#: del name in try
def f(x):
    if x[0] > 0:
        t = 1.0
    try:
        del t
    except NameError:
        return -1.0
    return x[1]

#: del item in try
def f(x):
    a = [x[0]]
    d = {}
    try:
        del a[2]
    except IndexError:
        a.append(3.0)
    try:
        del d["q"]
    except KeyError:
        a.append(4.0)
    return sum(a)

#: module level del | compiled
K = [1.0, 2.0, 3.0]
tmp = 5
del K[0], tmp
sum = 3
del sum
def f(x):
    return sum(x) + K[0]

#: del of a parameter and closure variable
def f(x):
    y = x[0]
    def g():
        return y
    del y
    return g()

#: del in a rolled loop | n = 1 9 40
def f(x):
    t = 0.0
    for v in x:
        q = v * 2
        t += q
        del q
    return t

#: pop front in a loop | n = 1 5 40
def f(x):
    queue = list(x)
    t = 0.0
    while queue:
        t = t * 0.5 + queue.pop(0)
    return t

#: slice assignments | n = 5 | compiled
def f(x):
    a = list(x)
    a[::2] = [1.0, 2.0, 3.0]
    a[4:2] = [9.0]
    a[-1:] = []
    a[100:] = [7.0]
    a[1:2] += [8.0]
    return sum(v * (i + 1) for i, v in enumerate(a)) + len(a)

#: extended slice of another length | raises = ValueError
def f(x):
    a = [1.0, 2.0, 3.0]
    if x[0] > 0:
        a[::2] = [1.0]
    return a[0] + x[1]

#: remove by value of x | n = 3 | raises = ValueError
def f(x):
    a = [1, 2, 3]
    a.remove(x[0])
    return a[0] + 10 * a[1]

#: index bounds | raises = ValueError
def f(x):
    a = [3, 1, 3, 1]
    if x[0] > 0:
        return a.index(3, 3)
    return a.index(1, -1) + 10 * a.index(3, 1, 3) + x[1]

#: get by a number of x | n = 1 | compiled
def f(x):
    d = {0: 1.5, 1: 2.5}
    return d.get(int(abs(x[0])) % 3, -1.0) + d.get(round(x[0]) if abs(x[0]) < 9 else 0, 7)

#: an attribute after del
class P:
    w = 4.0
def f(x):
    p = P()
    p.w = x[0]
    del p.w
    q = p.w
    if x[1] > 0:
        del p.w
    return q

"""Gradients of programs against central differences with 80 digits: reads one JSON object a line, prints one a line.

In: an IrFunction with "name", "point" and "gradient" ([n] each); numbers as hexadecimal text. Out: "errors" [n], each relative
to its partial derivative, and "largest", the largest one relative to the largest derivative; or "flagged".
"""

import json
import sys

from mpmath import mp, mpf

mp.dps = 80
STEP = mpf(10) ** -30


class Flagged(Exception):
    pass


def number(text):
    if text in ("nan", "inf", "-inf"):
        return mpf(text)
    return mpf(float.fromhex(text))


def rint(a):
    return mp.nint(a)  # ties to even


def exponent(a):
    return mpf(mp.frexp(abs(a))[1] - 1) if a != 0 and mp.isfinite(a) else mpf(-1023)


def power(a, b):
    if b == 0 or a == 1:
        return mpf(1)
    if a == 0:
        return mpf(0) if b > 0 else mpf("inf")
    if a < 0:
        return mp.power(a, int(b)) if b == mp.floor(b) else mpf("nan")
    return mp.power(a, b)


def fmod(a, b):
    return a - b * (mp.floor(a / b) if a / b > 0 else mp.ceil(a / b))


def atan2(a, b):
    return mp.atan2(a, b)


def divide(a, b):
    if b == 0:
        return mpf("nan") if a == 0 else mpf("inf") * mp.sign(a)
    return a / b


def real(function):
    def apply(a):
        try:
            value = function(a)
        except (ValueError, ZeroDivisionError):
            return mpf("nan")
        return value if isinstance(value, mpf) else mpf("nan")

    return apply


OPS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divide,
    "sqrt": real(mp.sqrt),
    "neg": lambda a: -a,
    "abs": abs,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "trunc": lambda a: mp.floor(a) if a > 0 else mp.ceil(a),
    "rint": rint,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a != b,
    "not": lambda a: not a,
    "select": lambda a, b, c: b if a else c,
    "bselect": lambda a, b, c: b if a else c,
    "signbit": lambda a: a < 0,
    "exponent": exponent,
    "mantissa": lambda a: abs(a) / mpf(2) ** exponent(a),
    "scale": lambda a, b: a * mpf(2) ** int(b),
    "high": lambda a: a,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": real(mp.asin),
    "acos": real(mp.acos),
    "atan": mp.atan,
    "atan2": atan2,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": real(mp.acosh),
    "atanh": real(mp.atanh),
    "exp": mp.exp,
    "exp2": lambda a: mpf(2) ** a,
    "expm1": mp.expm1,
    "log": real(lambda a: mp.log(a) if a != 0 else mpf("-inf")),
    "log2": real(lambda a: mp.log(a, 2) if a != 0 else mpf("-inf")),
    "log10": real(lambda a: mp.log(a, 10) if a != 0 else mpf("-inf")),
    "log1p": real(mp.log1p),
    "pow": power,
    "cbrt": lambda a: mp.sign(a) * mp.cbrt(abs(a)),
    "hypot": mp.hypot,
    "fmod": fmod,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "gamma": real(mp.gamma),
    "lgamma": real(mp.loggamma),
}


def evaluate(program, x):
    values = [None] * len(program["types"])
    arrays = []
    for array in program["arrays"]:
        if array["kind"] == "candidate":
            arrays.append(x)
        elif array["kind"] == "table":
            arrays.append([number(text) for text in array["values"]])
        else:
            arrays.append([mpf(0)] * array["length"])

    def place(at):
        return at["offset"] + sum(term["scale"] * values[term["index"]] for term in at["terms"])

    def region(body):
        for node in body["body"]:
            run(node)

    def run(node):
        kind = node["kind"]
        if kind == "if":
            part = node["then"] if values[node["condition"]] else node["otherwise"]
            region(part)
            for result, source in zip(node["results"], part["yields"]):
                values[result] = values[source]
        elif kind == "loop":
            params = [values[i] for i in node["initial"]]
            for turn in range(node["fuel"]):
                for param, value in zip(node["params"], params):
                    values[param] = value
                region(node["body"])
                again, *params = [values[i] for i in node["body"]["yields"]]
                if not again:
                    break
            else:
                raise Flagged
            for result, value in zip(node["results"], params):
                values[result] = value
        elif kind == "for":
            params = [values[i] for i in node["initial"]]
            for turn in range(place(node["count"])):
                values[node["index"]] = turn
                for param, value in zip(node["params"], params):
                    values[param] = value
                region(node["body"])
                params = [values[i] for i in node["body"]["yields"]]
            for result, value in zip(node["results"], params):
                values[result] = value
        else:
            instruction(node)

    def instruction(node):
        op = node["op"]
        if op == "check":
            if values[node["args"][0]]:
                raise Flagged
        elif op == "store":
            arrays[node["imm"]][place(node["at"])] = values[node["args"][0]]
        elif op == "load":
            values[node["result"]] = arrays[node["imm"]][place(node["at"])]
        elif op == "ordinal":
            values[node["result"]] = mpf(place(node["at"]))
        elif op == "const":
            values[node["result"]] = number(node["imm"])
        elif op == "bconst":
            values[node["result"]] = node["imm"] == 1
        elif op == "x":
            values[node["result"]] = x[node["imm"]]
        else:
            values[node["result"]] = OPS[op](*[values[i] for i in node["args"]])

    region(program["body"])
    return values[program["body"]["yields"][0]]


def partial(program, x, i):
    def moved(step):
        y = list(x)
        y[i] += step
        return evaluate(program, y)

    return (moved(STEP) - moved(-STEP)) / (2 * STEP)


def far(found, exact, scale):
    if not mp.isfinite(found):
        return float("inf")
    # What lies below the smallest number counts as zero.
    return float(abs(found - exact) / scale) if scale > mpf(2) ** -1074 else float(abs(found - exact))


for line in sys.stdin:
    program = json.loads(line)
    x = [number(text) for text in program["point"]]
    gradient = [number(text) for text in program["gradient"]]
    try:
        exact = [partial(program, x, i) for i in range(len(x))]
    except Flagged:
        print(json.dumps({"name": program["name"], "flagged": True}), flush=True)
        continue
    largest = max(abs(p) for p in exact)
    errors = [far(g, p, abs(p)) for g, p in zip(gradient, exact)]
    overall = max(far(g, p, largest) for g, p in zip(gradient, exact))
    print(json.dumps({"name": program["name"], "errors": errors, "largest": overall}), flush=True)

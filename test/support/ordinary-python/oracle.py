"""What CPython makes of programs, one after the other: the oracle of the fuzzer for ordinary Python.

Reads one JSON object a line from standard input: {"id", "code", "entry", "calls": [{"argument", "points"}], "seconds"},
numbers of `points` as hexadecimal floats. Writes one line for each: {"id", "load", "results"}; `load` is null or the
exception of the source's own level, and `results` has a list for each of `calls`, with an entry for each point:
["value", hex] | ["error", class, message, line], or null where no time was left. The points of a call are evaluated in
their order and then in the opposite one; an entry that differs the second time has the second answer behind the first.

A request with "scan" instead wants the best value in a box: see `scan`; one with "ask", what modules have: as a worker of the
service says it. With "nudge": 1 or -1 the functions whose last digit differs between libraries give their neighbour up or down. Each program has a process of its own, forked from this one, so that nothing of it is left for the next.
"""
import json
import math
import os
import resource
import select
import signal
import sys
import time
import warnings

warnings.simplefilter("ignore")
try:
    import numpy as np
except ImportError:
    np = None
else:
    np.seterr(all="ignore")
import dataclasses, enum, collections, functools, itertools, contextlib, statistics, operator, copy, string, typing  # noqa: warm for the forks

SOURCE_NAME = "<objective>"


class NonNumericResult(Exception):
    pass


class OutOfTime(BaseException):
    pass


def number(result, depth=4):
    """As `to_number` of the service's worker.py."""
    if isinstance(result, (list, tuple)) and depth > 0:
        if len(result) == 1:
            return number(result[0], depth - 1)
        raise NonNumericResult("%s of %d" % (type(result).__name__, len(result)))
    if np is not None and isinstance(result, (np.ndarray, np.generic)):
        if result.size != 1:
            raise NonNumericResult("array of shape %s" % (result.shape,))
        item = result.item()
        if type(item) is not type(result) and depth > 0:
            return number(item, depth - 1)
    kind = type(result)
    if result is None or isinstance(result, (complex, str, bytes, bytearray)):
        raise NonNumericResult(repr(result)[:60])
    if not (hasattr(kind, "__float__") or hasattr(kind, "__index__")):
        raise NonNumericResult(kind.__name__)
    try:
        return float(result)
    except (TypeError, ValueError) as error:
        raise NonNumericResult(str(error))


def load(code, entry):
    import types

    module = types.ModuleType("objective")
    sys.modules["objective"] = module
    scope = module.__dict__
    if entry is None:
        value = compile(code.strip(), SOURCE_NAME, "eval")
        found = eval(value, dict(scope, math=math, np=np)) if code.lstrip().startswith("lambda") else None
        return found or (lambda x: eval(value, dict(scope, math=math, np=np, x=x)))
    exec(compile(code, SOURCE_NAME, "exec"), scope)
    return scope[entry]


def line_of(error):
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SOURCE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def failure(error):
    try:
        message = str(error)[:200]
    except Exception:
        message = ""
    return ["error", type(error).__name__, message.encode("utf-8", "replace").decode(), line_of(error)]


def call(f, argument, point):
    x = np.array(point, dtype=float) if argument == "ndarray" else list(point)
    try:
        return ["value", number(f(x)).hex()]
    except OutOfTime:
        raise
    except BaseException as error:
        return failure(error)


ROUNDED = "sin cos tan asin acos atan atan2 arcsin arccos arctan arctan2 sinh cosh tanh asinh acosh atanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p pow power cbrt hypot erf erfc gamma lgamma".split()


def nudged(function, sign):
    @functools.wraps(function)
    def neighbour(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, float) and not (np is not None and isinstance(result, np.generic)):
            return math.nextafter(result, sign * math.inf) if result else result
        if np is not None and isinstance(result, (np.floating, np.ndarray)) and result.dtype.kind == "f":
            return np.where(result == 0, result, np.nextafter(result, sign * np.inf))[()]
        return result

    return neighbour


def nudge(sign):
    for module in (math, np):
        for name in ROUNDED:
            if module is not None and hasattr(module, name):
                setattr(module, name, nudged(getattr(module, name), sign))


def evaluate(job):
    if "nudge" in job:
        nudge(job["nudge"])
    answer = {"id": job["id"], "load": None, "results": []}
    calls = [(each["argument"], [[float.fromhex(t) for t in p] for p in each["points"]]) for each in job["calls"]]
    answer["results"] = [[None] * len(points) for _, points in calls]
    try:
        try:
            f = load(job["code"], job["entry"])
        except OutOfTime:
            raise
        except BaseException as error:
            answer["load"] = failure(error)
            return answer
        for (argument, points), results in zip(calls, answer["results"]):
            if argument == "ndarray" and np is None:
                continue
            for k, point in enumerate(points):
                results[k] = call(f, argument, point)
            for k in reversed(range(len(points))):
                again = call(f, argument, points[k])
                if again != results[k]:
                    results[k] = results[k] + ["again"] + again
    except OutOfTime:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return answer


def scan(job):
    """The best value at many points of a box, where it is, and the value at a given point."""
    import random

    f, wish = load(job["code"], job["entry"]), job["scan"]
    bounds = [(float(lo), float(hi)) for lo, hi in wish["bounds"]]
    rng, sign = random.Random(wish["seed"]), wish["sign"]
    answer = {"id": job["id"], "best": None, "point": None, "solution": None, "values": 0}
    given = None
    if wish["solution"] is not None:
        given = [float.fromhex(t) for t in wish["solution"]]
        answer["solution"] = call(f, wish["argument"], given)
    best = None

    def within(k, value):
        return min(max(value, bounds[k][0]), bounds[k][1])

    def point(number):
        way = number % 5
        if way == 0:
            return [within(k, float(rng.randint(math.ceil(lo), math.floor(hi)))) for k, (lo, hi) in enumerate(bounds)]
        if way == 1:
            return [rng.choice((lo, hi, within(k, 0.0), rng.uniform(lo, hi))) for k, (lo, hi) in enumerate(bounds)]
        if way == 2 and given is not None:
            return [within(k, given[k] + rng.gauss(0, 1) * 10 ** rng.uniform(-9, 0)) for k in range(len(bounds))]
        if way == 3:
            return [within(k, rng.randint(-40, 40) / 8.0) for k in range(len(bounds))]
        return [rng.uniform(lo, hi) for lo, hi in bounds]

    for number in range(wish["count"]):
        p = point(number)
        got = call(f, wish["argument"], p)
        if got[0] != "value":
            continue
        answer["values"] += 1
        value = float.fromhex(got[1])
        if value == value and (best is None or sign * value < sign * best):
            best, answer["best"], answer["point"] = value, got[1], [v.hex() for v in p]
    return answer


def ask(job):
    from importlib.machinery import SourceFileLoader

    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../src/backends/cpython/python")
    worker = SourceFileLoader("worker", os.path.join(folder, "worker.py")).load_module()
    return {"id": job["id"], "facts": worker.facts_of(job["ask"])}


def out_of_time(*_):
    raise OutOfTime()


def serve_one(job, seconds):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            sys.setrecursionlimit(1000)
            # Of its own time: how busy the machine is must not decide what is compared.
            signal.signal(signal.SIGPROF, out_of_time)
            signal.setitimer(signal.ITIMER_PROF, seconds, 0.2)
            answer = scan(job) if "scan" in job else ask(job) if "ask" in job else evaluate(job)
            data = json.dumps(answer).encode()
            while data:
                data = data[os.write(writing, data):]
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    parts, deadline = [], time.monotonic() + 30 * seconds
    while True:
        ready, _, _ = select.select([reading], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            break
        part = os.read(reading, 1 << 16)
        if not part:
            break
        parts.append(part)
    os.close(reading)
    os.waitpid(child, 0)
    try:
        return b"".join(parts).decode() if parts and json.loads(b"".join(parts)) else None
    except ValueError:
        return None


def main():
    answers = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.stdout = open(os.devnull, "w")
    answers.write(json.dumps({"version": list(sys.version_info[:3]), "numpy": None if np is None else np.__version__}) + "\n")
    answers.flush()
    for line in sys.stdin:
        job = json.loads(line)
        answer = serve_one(job, job["seconds"]) or json.dumps({"id": job["id"], "lost": "timeout", "load": ["error", "OutOfTime", "", 0], "results": []})
        answers.write(answer + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

"""Measures the mathematics library of src/ir/math against mpmath and writes the table of docs/numerics.md.

    npx tsc -p tsconfig.json
    pip install mpmath gmpy2            # gmpy2 only makes it faster
    python3 scripts/numerics/measure_ulp.py [--points 20000] [--seed 1] [--write] [--table] [name ...]

For each function and range: the largest |result - exact| in units in the last place of the exact value (2^-1074 below
2^-1022), the share of results that are the correctly rounded ones, and the worst argument. Random arguments are
uniform or uniform in the logarithm. `--write` replaces the tables between the markers in docs/numerics.md; given names, only their rows.
`--table` writes test/golden/numerics/reference.bin: for each function about a thousand arguments, half of them random and
half those with the largest errors of this run, with the correctly rounded values by mpmath.
"""
import argparse
import json
import math
import os
import random
import struct
import subprocess
import tempfile
import textwrap

import mpmath as mp

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRIG_QUICK = 411775.0


def uniform(a, b):
    return lambda rng: rng.uniform(a, b)


def log_uniform(a, b, signed=True):
    la, lb = math.log2(a), math.log2(b)

    def draw(rng):
        v = math.ldexp(1 + rng.random(), int(math.floor(rng.uniform(la, lb))))
        v = min(max(v, a), b)
        return -v if signed and rng.random() < 0.5 else v

    return draw


def near(center, width):
    """center * (1 + t), t uniform in the logarithm down to 2^-52."""
    return lambda rng: center * (1 + rng.choice((-1, 1)) * width * 2 ** -rng.uniform(0, 40))


def bits(rng):
    """Any finite number, uniform in the representation."""
    while True:
        v = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if math.isfinite(v):
            return v


def near_quadrant(rng):
    """Close to a multiple of pi/2."""
    return float(rng.randrange(-(2**18), 2**18) * mp.pi / 2)


def near_far_quadrant(rng):
    """Close to a multiple of pi/2 beyond the quick reduction."""
    with mp.workprec(200):
        return float(rng.choice((-1, 1)) * (2**18 + 1 + rng.getrandbits(rng.randrange(18, 52))) * mp.pi / 2)


def pair(a, b):
    return lambda rng: (a(rng), b(rng))


def near_pow_limit(rng):
    """x^y near overflow or underflow."""
    x = log_uniform(1e-300, 1e300, signed=False)(rng)
    target = rng.choice((709.7, -708.3, -744.0, 700.0)) * rng.uniform(0.99, 1.0001)
    l = math.log(x)
    return (x, target / l) if l != 0 else (2.0, 3.0)


def similar(rng):
    x = log_uniform(1e-300, 1e300)(rng)
    return x, x * rng.uniform(0.5, 2)


def fmod_arguments(rng):
    b = log_uniform(1e-300, 1e290)(rng)
    return b * math.ldexp(rng.random(), rng.randrange(0, 53)), b


def mp_cbrt(x):
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


def mp_fmod(x, y):
    r = mp.fmod(abs(x), abs(y))
    return r if x >= 0 else -r


def mp_lgamma(x):
    return mp.re(mp.loggamma(x))


FUNCTIONS = {
    "sin": (mp.sin, {"[-pi, pi]": uniform(-3.15, 3.15), "[-40, 40]": uniform(-40, 40), "[-1e5, 1e5]": uniform(-1e5, 1e5), "[-411775, 411775]": uniform(-TRIG_QUICK, TRIG_QUICK), "tiny": log_uniform(5e-324, 1), "near k pi/2": near_quadrant, "beyond 411775": log_uniform(411776.0, 1.7976931348623157e308), "beyond, near k pi/2": near_far_quadrant}),
    "cos": (mp.cos, {"[-pi, pi]": uniform(-3.15, 3.15), "[-40, 40]": uniform(-40, 40), "[-1e5, 1e5]": uniform(-1e5, 1e5), "[-411775, 411775]": uniform(-TRIG_QUICK, TRIG_QUICK), "tiny": log_uniform(5e-324, 1), "near k pi/2": near_quadrant, "beyond 411775": log_uniform(411776.0, 1.7976931348623157e308), "beyond, near k pi/2": near_far_quadrant}),
    "tan": (mp.tan, {"[-pi, pi]": uniform(-3.15, 3.15), "[-40, 40]": uniform(-40, 40), "[-411775, 411775]": uniform(-TRIG_QUICK, TRIG_QUICK), "tiny": log_uniform(5e-324, 1), "near k pi/2": near_quadrant, "beyond 411775": log_uniform(411776.0, 1.7976931348623157e308), "beyond, near k pi/2": near_far_quadrant}),
    "asin": (mp.asin, {"[-1, 1]": uniform(-1, 1), "tiny": log_uniform(5e-324, 1), "near 1": near(1 - 2**-30, 2**-31), "near 1/2": near(0.5, 0.1)}),
    "acos": (mp.acos, {"[-1, 1]": uniform(-1, 1), "tiny": log_uniform(5e-324, 1), "near 1": near(1 - 2**-30, 2**-31), "near 1/2": near(0.5, 0.1), "near -1/2": near(-0.5, 0.1)}),
    "atan": (mp.atan, {"[-1, 1]": uniform(-1, 1), "[-10, 10]": uniform(-10, 10), "full": bits, "near 0.414": near(0.41421356, 0.1), "near 2.414": near(2.41421356, 0.1)}),
    "atan2": (mp.atan2, {"[-10, 10]^2": pair(uniform(-10, 10), uniform(-10, 10)), "full": pair(bits, bits), "similar": similar}),
    "sinh": (mp.sinh, {"[-1, 1]": uniform(-1, 1), "[-25, 25]": uniform(-25, 25), "full": uniform(-710.4758, 710.4758), "tiny": log_uniform(5e-324, 1)}),
    "cosh": (mp.cosh, {"[-1, 1]": uniform(-1, 1), "[-25, 25]": uniform(-25, 25), "full": uniform(-710.4758, 710.4758), "tiny": log_uniform(5e-324, 1)}),
    "tanh": (mp.tanh, {"[-1, 1]": uniform(-1, 1), "[-25, 25]": uniform(-25, 25), "tiny": log_uniform(5e-324, 1)}),
    "asinh": (mp.asinh, {"[-1, 1]": uniform(-1, 1), "[-100, 100]": uniform(-100, 100), "full": bits, "tiny": log_uniform(1e-20, 1)}),
    "acosh": (mp.acosh, {"[1, 3]": uniform(1, 3), "[1, 100]": uniform(1, 100), "large": log_uniform(1, 1.7e308, signed=False), "near 1": lambda rng: 1 + 2 ** -rng.uniform(0, 51)}),
    "atanh": (mp.atanh, {"[-1, 1]": uniform(-0.9999, 0.9999), "tiny": log_uniform(5e-324, 0.5), "near 1": lambda rng: 1 - 2 ** -rng.uniform(1, 52)}),
    "exp": (mp.exp, {"[-1, 1]": uniform(-1, 1), "[-40, 40]": uniform(-40, 40), "full": uniform(-708, 709.78), "denormal result": uniform(-745.2, -708), "tiny": log_uniform(5e-324, 1)}),
    "exp2": (lambda x: mp.power(2, x), {"[-1, 1]": uniform(-1, 1), "full": uniform(-1022, 1024), "denormal result": uniform(-1075, -1022), "tiny": log_uniform(5e-324, 1)}),
    "expm1": (mp.expm1, {"[-1, 1]": uniform(-1, 1), "[-40, 40]": uniform(-40, 40), "full": uniform(-40, 709.78), "tiny": log_uniform(5e-324, 1)}),
    "log": (mp.log, {"[1/2, 2]": uniform(0.5, 2), "[0, 100]": uniform(1e-3, 100), "full": lambda rng: abs(bits(rng)), "near 1": near(1.0, 0.1), "denormal": lambda rng: rng.random() * 2**-1022}),
    "log2": (lambda x: mp.log(x, 2), {"[1/2, 2]": uniform(0.5, 2), "[0, 100]": uniform(1e-3, 100), "full": lambda rng: abs(bits(rng)), "near 1": near(1.0, 0.1), "near sqrt": near(1.41421356, 0.1), "near 1/sqrt": near(0.70710678, 0.1), "denormal": lambda rng: rng.random() * 2**-1022}),
    "log10": (mp.log10, {"[1/2, 2]": uniform(0.5, 2), "[0, 100]": uniform(1e-3, 100), "full": lambda rng: abs(bits(rng)), "near 1": near(1.0, 0.1), "denormal": lambda rng: rng.random() * 2**-1022}),
    "log1p": (mp.log1p, {"[-1/2, 1]": uniform(-0.5, 1), "[-1, 10]": uniform(-0.99999, 10), "full": lambda rng: abs(bits(rng)), "tiny": log_uniform(5e-324, 0.5)}),
    "pow": (mp.power, {"[0, 10] x [-10, 10]": pair(uniform(0, 10), uniform(-10, 10)), "near 1, large y": pair(near(1.0, 0.01), uniform(-1e4, 1e4)), "full": near_pow_limit, "small integers": pair(uniform(-100, 100), lambda rng: float(rng.randrange(-30, 31))), "halves": pair(uniform(0, 1e6), lambda rng: rng.randrange(-20, 21) / 2)}),
    "cbrt": (mp_cbrt, {"[-10, 10]": uniform(-10, 10), "full": bits, "denormal": lambda rng: rng.random() * 2**-1022}),
    "hypot": (mp.hypot, {"[-10, 10]^2": pair(uniform(-10, 10), uniform(-10, 10)), "full": pair(bits, bits), "similar": similar, "denormal": pair(lambda rng: rng.random() * 2**-1022, lambda rng: rng.random() * 2**-1022)}),
    "fmod": (mp_fmod, {"[-10, 10]^2": pair(uniform(-10, 10), uniform(-10, 10)), "|a/b| < 2^53": fmod_arguments}),
    "erf": (mp.erf, {"[-1, 1]": uniform(-1, 1), "[-6, 6]": uniform(-6, 6), "tiny": log_uniform(5e-324, 1), "near 1/2": near(0.5, 0.1)}),
    "erfc": (mp.erfc, {"[-1, 1]": uniform(-1, 1), "[-6, 27]": uniform(-6, 27), "denormal result": uniform(26.5, 27.3), "tiny": log_uniform(5e-324, 1)}),
    "gamma": (mp.gamma, {"[1/2, 3]": uniform(0.5, 3), "[0, 20]": uniform(1e-9, 20), "full": uniform(-1, 171.6), "tiny": log_uniform(1e-307, 0.5), "[-20, 0]": uniform(-20, 0), "[-170, 0]": uniform(-170, 0), "denormal result": uniform(-184, -170.7)}),
    "lgamma": (mp_lgamma, {"[0, 3]": uniform(1e-9, 3), "[0, 100]": uniform(1e-9, 100), "near 1": near(1.0, 0.1), "near 2": near(2.0, 0.1), "full": log_uniform(1e-300, 2.5e305, signed=False)}),
}


def exact(function, args):
    with mp.workprec(200):
        return function(*(mp.mpf(a) for a in args))


def error(got, want):
    """In units in the last place; 0 for equal infinities (a result beyond the range counts as infinite)."""
    nearest = to_double(want)
    if math.isinf(nearest) or math.isinf(got):
        return 0.0 if got == nearest else math.inf
    with mp.workprec(200):
        return float(abs(mp.mpf(got) - want) / mp.mpf(2) ** exponent_of_ulp(want))


def exponent_of_ulp(value):
    if value == 0:
        return -1074
    _, exponent = mp.frexp(value)  # value = m 2^e, 1/2 <= m < 1
    return max(exponent - 53, -1074)


def to_double(value):
    """Nearest binary64 (ties to even), gradual underflow, infinity beyond the range."""
    if mp.isnan(value):
        return math.nan
    if mp.isinf(value):
        return math.inf if value > 0 else -math.inf
    e = exponent_of_ulp(value)
    with mp.workprec(200):
        scaled = value / mp.mpf(2) ** e
        n = int(mp.nint(scaled))
    try:
        return math.ldexp(n, e)
    except OverflowError:
        return math.inf if n > 0 else -math.inf


def evaluate(jobs):
    """jobs: list of (name, rows); returns the results of the library, one list a job."""
    with tempfile.TemporaryDirectory() as folder:
        request = []
        for k, (name, rows) in enumerate(jobs):
            path = os.path.join(folder, f"{k}.in")
            flat = [v for row in rows for v in row]
            with open(path, "wb") as file:
                file.write(struct.pack(f"<{len(flat)}d", *flat))
            request.append({"name": name, "args": path, "out": os.path.join(folder, f"{k}.out")})
        spec = os.path.join(folder, "request.json")
        with open(spec, "w") as file:
            json.dump(request, file)
        subprocess.run(["node", os.path.join(ROOT, "scripts/numerics/evaluate_math.mjs"), spec], check=True)
        results = []
        for entry in request:
            with open(entry["out"], "rb") as file:
                data = file.read()
            results.append(struct.unpack(f"<{len(data) // 8}d", data))
        return results


TABLE_POINTS = 1000


def write_table(table, options):
    folder = os.path.join(ROOT, "test/golden/numerics")
    os.makedirs(folder, exist_ok=True)
    blocks = read_table(folder) if options.names else {}
    for name, rows in table:
        flat = [v for row in rows for v in row]
        blocks[name] = (len(rows), struct.pack(f"<{len(flat)}d", *flat))
    header = {
        "command": f"python3 scripts/numerics/measure_ulp.py --table --points {options.points} --seed {options.seed}",
        "mpmath": mp.__version__,
        "layout": "float64 little-endian, for each function in order: points rows of arguments and correctly rounded value",
        "functions": [{"name": name, "points": points} for name, (points, _) in blocks.items()],
    }
    with open(os.path.join(folder, "reference.json"), "w") as file:
        file.write(json.dumps(header, indent=2) + "\n")
    with open(os.path.join(folder, "reference.bin"), "wb") as file:
        for _, block in blocks.values():
            file.write(block)


def read_table(folder):
    """The blocks of the table as it is, so that a run for some functions keeps the others'."""
    with open(os.path.join(folder, "reference.json")) as file:
        functions = json.load(file)["functions"]
    with open(os.path.join(folder, "reference.bin"), "rb") as file:
        data = file.read()
    blocks, offset = {}, 0
    for entry in functions:
        draw = next(iter(FUNCTIONS[entry["name"]][1].values()))
        size = 8 * entry["points"] * (len(as_row(draw(random.Random(0)))) + 1)
        blocks[entry["name"]] = (entry["points"], data[offset : offset + size])
        offset += size
    return blocks


def keep_others(text, lines, names):
    """The measured table with the rows of `names` replaced or added."""
    old = text.split("<!-- measured: begin -->\n")[1].split("<!-- measured: end -->")[0].splitlines()[2:]
    named = lambda line: line.split("|")[1].strip()
    rows = [line for line in old if named(line) not in names] + lines[2:]
    order = {name: k for k, name in enumerate(FUNCTIONS)}
    return lines[:2] + sorted(rows, key=lambda line: order[named(line)])


def replace_between(text, marker, content):
    start, end = f"<!-- {marker}: begin -->\n", f"<!-- {marker}: end -->"
    head, rest = text.split(start)
    return head + start + content + end + rest.split(end)[1]


def as_row(value):
    return value if isinstance(value, tuple) else (value,)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or list(FUNCTIONS)
    lines = ["| function | range | largest error (ULP) | correctly rounded | worst argument |", "| --- | --- | --- | --- | --- |"]
    table = []
    for name in names:
        picked = []
        function, ranges = FUNCTIONS[name]
        rng = random.Random(f"{options.seed} {name}")
        jobs = [(name, [as_row(draw(rng)) for _ in range(options.points)]) for draw in ranges.values()]
        for label, (_, rows), results in zip(ranges, jobs, evaluate(jobs)):
            worst, place, equal = 0.0, rows[0], 0
            share = -(-TABLE_POINTS // (2 * len(ranges)))
            measured = []
            for row, got in zip(rows, results):
                want = exact(function, row)
                e = error(got, want) if not math.isnan(got) else math.inf
                nearest = to_double(want)
                equal += got == nearest
                measured.append((e, (*row, nearest)))
                if e > worst:
                    worst, place = e, row
            picked += [entry for _, entry in measured[:share]]
            picked += [entry for _, entry in sorted(measured[share:], key=lambda item: -item[0])[:share]]
            argument = ", ".join(repr(v) for v in place)
            lines.append(f"| {name} | {label.replace(chr(124), chr(92) + chr(124))} | {worst:.3f} | {100 * equal / len(rows):.1f} % | {argument} |")
            print(lines[-1], flush=True)
        table.append((name, picked))
    if options.table:
        write_table(table, options)
    if options.write:
        counts = subprocess.run(
            ["node", os.path.join(ROOT, "scripts/numerics/evaluate_math.mjs"), "--count"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        path = os.path.join(ROOT, "docs/numerics.md")
        with open(path) as file:
            text = file.read()
        text = replace_between(text, "measured", "\n".join(keep_others(text, lines, names)) + "\n")
        text = replace_between(text, "operations", textwrap.fill(counts, 120) + "\n")
        with open(path, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()

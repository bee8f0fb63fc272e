"""The peer of cma-es-quality.mjs: pycma with BIPOP restarts on the same functions; usage there."""
import json
import math
import platform
import sys
import warnings

warnings.filterwarnings("ignore")
import cma  # noqa: E402
import numpy as np  # noqa: E402

SEEDS, TARGET, DIMENSIONS = 15, 1e-8, (5, 10, 20)


def functions(n):
    i = np.arange(n)
    scale = 10.0 ** (6 * i / (n - 1))
    slope = 10.0 ** (i / (n - 1))
    return {
        "sphere": lambda d, x: np.sum(d * d),
        "ellipsoid": lambda d, x: np.sum(scale * d * d),
        "coupled": lambda d, x: np.sum(scale * (0.6 * d + 0.8 * np.roll(d, -1)) ** 2),
        "rosenbrock": lambda d, x: np.sum(100 * ((d[:-1] + 1) ** 2 - d[1:] - 1) ** 2 + d[:-1] ** 2),
        "ackley": lambda d, x: 20
        - 20 * math.exp(-0.2 * math.sqrt(np.mean(d * d)))
        + math.e
        - math.exp(np.mean(np.cos(2 * math.pi * d))),
        "rastrigin": lambda d, x: np.sum(d * d - 10 * np.cos(2 * math.pi * d) + 10),
        "corner": lambda d, x: np.sum(slope * (5 - x)),
    }


class Hit(Exception):
    pass


def evaluations_to_target(f, n, seed):
    optimum = 2.5 * np.sin(np.arange(n) + 1)
    count = 0

    def objective(x):
        nonlocal count
        count += 1
        x = np.asarray(x)
        value = float(f(x - optimum, x))
        if value <= TARGET:
            raise Hit
        return value

    options = {"bounds": [-5, 5], "maxfevals": 4000 * n, "verbose": -9, "seed": seed, "verb_log": 0}
    starts = np.random.RandomState(seed)
    first = [True]

    def start():
        if first[0]:
            first[0] = False
            return np.zeros(n)
        return starts.uniform(-5, 5, n)

    try:
        cma.fmin2(objective, start, 2.0, options, restarts=30, bipop=True)
    except Hit:
        return count if count <= 4000 * n else None
    return None


def main():
    results = []
    for name in functions(5):
        for n in DIMENSIONS:
            counts = [evaluations_to_target(functions(n)[name], n, seed) for seed in range(1, SEEDS + 1)]
            solved = sorted(c for c in counts if c is not None)
            logs = np.log10(solved)
            results.append(
                {
                    "function": name,
                    "dimension": n,
                    "solved": f"{len(solved)}/{SEEDS}",
                    "evaluations_median": int(solved[len(solved) // 2]) if solved else None,
                    "log10_evaluations_mean": float(np.mean(logs)) if solved else None,
                    "log10_evaluations_se": float(np.std(logs, ddof=1) / math.sqrt(len(solved))) if len(solved) > 1 else None,
                }
            )
            print(results[-1], file=sys.stderr, flush=True)
    versions = {"cma": cma.__version__, "numpy": np.__version__, "python": platform.python_version()}
    print(json.dumps({"name": "pycma-quality", "versions": versions, "results": results}, indent=1))


main()

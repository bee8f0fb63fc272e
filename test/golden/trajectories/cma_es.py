"""Independent implementation of src/strategies/cma-es (one run, no restart) in plain Python, for golden trajectories:
python3 test/golden/trajectories/cma_es.py > test/golden/trajectories/cma-es.json

Written from the tutorial's equations (arXiv:1604.00772), with the deviations listed in src/strategies/cma-es/README.md.
Rounding differs from the code under test (order of sums, libm), so candidates are compared to 1e-6.
"""
import json
import math
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "rng"))
from xoshiro128 import Rng  # noqa: E402


def cholesky(c):
    n = len(c)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = c[i][j] - sum(a[i][k] * a[j][k] for k in range(j))
            a[i][j] = math.sqrt(s) if i == j else s / a[j][j]
    return a


def correlation_condition(c, a):
    """Largest row sum of the correlations over an estimate of their smallest eigenvalue: one step of inverse iteration."""
    n = len(c)
    d = [math.sqrt(c[i][i]) for i in range(n)]
    low = [[a[i][j] / d[i] for j in range(n)] for i in range(n)]
    w = []
    for i in range(n):
        known = sum(low[i][j] * w[j] for j in range(i))
        w.append(((-1 if known > 0 else 1) - known) / low[i][i])
    v = [0.0] * n
    for i in reversed(range(n)):
        v[i] = (w[i] - sum(low[j][i] * v[j] for j in range(i + 1, n))) / low[i][i]
    largest = max(sum(abs(c[i][j]) / (d[i] * d[j]) for j in range(n)) for i in range(n))
    return largest * math.sqrt(sum(q * q for q in v) / sum(q * q for q in w))


def run(f, n, low, high, seed, generations):
    lam = 4 + math.floor(3 * math.log(n))
    mu = lam // 2
    raw = [math.log((lam + 1) / 2) - math.log(i + 1) for i in range(lam)]
    mass = lambda w: sum(w) ** 2 / sum(v * v for v in w)
    mueff, mueff_minus = mass(raw[:mu]), mass(raw[mu:])
    c1 = 2 / ((n + 1.3) ** 2 + mueff)
    cmu = min(1 - c1, 2 * (1 / 4 + mueff + 1 / mueff - 2) / ((n + 2) ** 2 + mueff))
    neg = min(1 + c1 / cmu, 1 + 2 * mueff_minus / (mueff + 2), (1 - c1 - cmu) / (n * cmu))
    w = [v / sum(raw[:mu]) if v >= 0 else neg * v / -sum(raw[mu:]) for v in raw]
    cs = (mueff + 2) / (n + mueff + 5)
    ds = 1 + 2 * max(0, math.sqrt((mueff - 1) / (n + 1)) - 1) + cs
    cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
    chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    gap = max(1, int(1 / (32 * (c1 + cmu))))

    rng = Rng(seed).split("cma-es")
    width, sigma = high - low, 0.2
    m = [(low + high) / 2] * n
    ps, pc = [0.0] * n, [0.0] * n
    c = [[float(i == j) for j in range(n)] for i in range(n)]
    a = cholesky(c)
    # Scales of the coordinates: steps are s * (a z), and c is the covariance of a z.
    c1_scale = 1 / (4 * (n + 1) ** 0.75 + mueff / 2)
    cmu_scale = min(1 - c1_scale, (mueff + 1 / mueff - 2 + lam / (2 * (lam + 5))) * c1_scale)
    c1_scale, cmu_scale = c1_scale / 3, cmu_scale / 3
    s, damping = [1.0] * n, 1.0
    trace = []
    for g in range(1, generations + 1):
        zs = [[rng.normal() for _ in range(n)] for _ in range(lam)]
        ys, xs = [], []
        for k in range(lam):
            for attempt in range(4):
                if attempt:
                    zs[k] = [rng.normal() for _ in range(n)]
                y = [s[i] * sum(a[i][j] * zs[k][j] for j in range(i + 1)) for i in range(n)]
                x = [m[i] + width * sigma * y[i] for i in range(n)]
                if all(low <= v <= high for v in x):
                    break
            ys.append(y)
            xs.append([min(high, max(low, v)) for v in x])
        trace.append({"sigma": sigma, "candidates": xs})
        fit = [f(x) for x in xs]
        order = sorted(range(lam), key=lambda k: fit[k])
        step = [sum(w[r] * ys[order[r]][i] for r in range(mu)) for i in range(n)]
        for i in range(n):
            slack = 1.5 * width * sigma * s[i] * math.sqrt(c[i][i])
            moved = m[i] + width * sigma * step[i]
            new = min(high + slack, max(low - slack, moved))
            if new != moved:
                step[i] = (new - m[i]) / (width * sigma)
            m[i] = new
        white = []
        for i in range(n):
            white.append((step[i] / s[i] - sum(a[i][j] * white[j] for j in range(i))) / a[i][i])
        ps = [(1 - cs) * p + math.sqrt(cs * (2 - cs) * mueff) * v for p, v in zip(ps, white)]
        length = math.sqrt(sum(p * p for p in ps))
        h = length / math.sqrt(1 - (1 - cs) ** (2 * g)) < (1.4 + 2 / (n + 1)) * chi
        pc = [(1 - cc) * p + h * math.sqrt(cc * (2 - cc) * mueff) * v for p, v in zip(pc, step)]
        wo = [v if v >= 0 else v * n / sum(q * q for q in zs[order[r]]) for r, v in enumerate(w)]
        decay = 1 + c1 * (1 - h) * cc * (2 - cc) - c1 - cmu * sum(w)
        us = [[ys[order[r]][i] / s[i] for i in range(n)] for r in range(lam)]
        up = [pc[i] / s[i] for i in range(n)]
        old = list(s)
        for i in range(n):
            by_path = c1_scale * (up[i] ** 2 / c[i][i] - 1)
            by_steps = cmu_scale * sum(wo[r] * (us[r][i] ** 2 / c[i][i] - 1) for r in range(lam))
            s[i] = old[i] * math.exp(min(1, max(-1, (by_path + by_steps) / (2 * damping))))
        for i in range(n):
            for j in range(n):
                rank_mu = sum(wo[r] * us[r][i] * us[r][j] for r in range(lam))
                c[i][j] = decay * c[i][j] + c1 * up[i] * up[j] + cmu * rank_mu
        exponent = cs / ds * (length / chi - 1)
        best, other = order[0], order[min(lam - 1, 1 + lam // 4)]
        if fit[best] == fit[other] and xs[best] != xs[other]:
            exponent += 0.2 + cs / ds
        sigma = min(1, sigma * math.exp(min(1, exponent)))
        if g % gap == 0:
            a = cholesky(c)
            damping = max(1.0, math.sqrt(correlation_condition(c, a)) - 1)
    return trace


def ellipsoid(x):
    return sum(10 ** (4 * i / (len(x) - 1)) * (v - 1.2 + i) ** 2 for i, v in enumerate(x))


def corner(x):
    return sum((i + 1) * v for i, v in enumerate(x))


cases = [("ellipsoid", ellipsoid, 4, 3, 40), ("ellipsoid", ellipsoid, 12, 8, 12), ("corner", corner, 3, 5, 20)]
print(
    json.dumps(
        {
            "source": f"test/golden/trajectories/cma_es.py, Python {platform.python_version()}",
            "cases": [
                {"objective": name, "n": n, "seed": seed, "lower": -5, "upper": 5, "generations": run(f, n, -5, 5, seed, g)}
                for name, f, n, seed, g in cases
            ],
        }
    )
)

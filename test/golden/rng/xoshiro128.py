"""Independent implementation of src/common/rng.ts, for golden numbers: python3 test/golden/rng/xoshiro128.py > test/golden/rng/xoshiro128.json

Integers with Python's own arithmetic, from the papers (xoshiro128**, splitmix64, FNV-1a, ziggurat); the normals use
libm's exp and log, so they are compared to 1e-12.
"""
import json
import math
import platform

M64 = (1 << 64) - 1
M32 = (1 << 32) - 1


def splitmix(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & M64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        yield z ^ (z >> 31)


def rotl(x, k):
    return ((x << k) | (x >> (32 - k))) & M32


R, V, N = 3.442619855899, 9.91256303526217e-3, 128
pdf = lambda x: math.exp(-x * x / 2)
X = [V / pdf(R), R]
y = pdf(R)
for i in range(2, N):
    y += V / X[i - 1]
    X.append(math.sqrt(-2 * math.log(y)))
X.append(0.0)


class Rng:
    def __init__(self, key):
        self.key = key
        stream = splitmix(key)
        a, b = next(stream), next(stream)
        self.s = [a & M32, a >> 32, b & M32, b >> 32]

    def u32(self):
        s = self.s
        result = (rotl((s[1] * 5) & M32, 7) * 9) & M32
        t = (s[1] << 9) & M32
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)
        return result

    def uniform(self):
        a = self.u32() >> 5
        return (a * 2**26 + (self.u32() >> 6)) / 2**53

    def normal(self):
        while True:
            a, b = self.u32(), self.u32()
            layer = a & 127
            high = (a >> 8) - (1 << 24 if a >> 31 else 0)
            share = (high * 2**29 + (b >> 3)) / 2**52
            if abs(share) < X[layer + 1] / X[layer]:
                return share * X[layer]
            if layer == 0:
                while True:
                    x = -math.log(1 - self.uniform()) / R
                    e = -math.log(1 - self.uniform())
                    if 2 * e > x * x:
                        return math.copysign(R + x, share)
            x = share * X[layer]
            top, bottom = pdf(X[layer]), pdf(X[layer + 1])
            if top + self.uniform() * (bottom - top) < pdf(x):
                return x

    def split(self, label):
        h = 0xCBF29CE484222325
        for c in label:
            h = ((h ^ ord(c)) * 0x100000001B3) & M64
        return Rng(next(splitmix(self.key ^ h)))


def golden():
    out = {"source": f"test/golden/rng/xoshiro128.py, Python {platform.python_version()}", "streams": []}
    for seed in (0, 1, 42, -1, 2**53 - 1):
        key = seed & M64
        r = Rng(key)
        state = list(r.s)
        out["streams"].append(
            {
                "seed": seed,
                "state": state,
                "uint32": [r.u32() for _ in range(8)],
                "uniform": [Rng(key).uniform()],
                "normals": (lambda q: [q.normal() for _ in range(400)])(Rng(key)),
                "split": (lambda q: [q.u32() for _ in range(4)])(Rng(key).split("cma-es")),
            }
        )
    return out


if __name__ == "__main__":
    print(json.dumps(golden()))

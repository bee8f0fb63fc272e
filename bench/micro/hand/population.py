"""The objectives over a whole population with NumPy, one thread: the other yardstick of bench/micro/native-code.mjs.
Speaks the protocol of kernels.cpp."""

import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import time

import numpy as np

X = np.fromfile(sys.argv[1]).reshape(-1, 30)


def rosenbrock(x):
    return np.sum(100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2, axis=1)


def rastrigin(x):
    return 10.0 * x.shape[1] + np.sum(x**2 - 10.0 * np.cos(2.0 * np.pi * x), axis=1)


def ackley(x):
    n = x.shape[1]
    first = -20.0 * np.exp(-0.2 * np.sqrt(np.sum(x**2, axis=1) / n))
    return first - np.exp(np.sum(np.cos(2.0 * np.pi * x), axis=1) / n) + 20.0 + np.e


kernels = {"rosenbrock": rosenbrock, "rastrigin": rastrigin, "ackley": ackley}
for line in sys.stdin:
    command, name, *rest = line.split()
    kernel = kernels[name]
    if command == "values":
        print("\n".join(repr(float(value)) for value in kernel(X)), flush=True)
    else:
        start = time.process_time()
        for _ in range(int(rest[0])):
            kernel(X)
        print(time.process_time() - start, flush=True)

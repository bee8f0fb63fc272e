"""Other solvers on problems of the set: answers each line of standard input with one, as bench/outside/ours.mjs does.

Every solver sees the unit box, so that none depends on how a problem is scaled; what starts somewhere starts at a random
point. `best` has the least value without noise after each number of evaluations in `budgets`.
"""
import json
import math
import os
import sys
import warnings
from importlib.metadata import version

for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[name] = '1'

import numpy as np

# What a library prints must not come between the answers.
answers = os.fdopen(os.dup(1), 'w')
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
warnings.simplefilter('ignore')

FAILED = 1e30


class Spent(Exception):
    pass


class Objective:
    """`f` of a source on the unit box, with a budget, noise and a record."""

    def __init__(self, task, budget):
        scope = {'__name__': 'objective'}
        exec(compile(task['code'], 'objective.py', 'exec'), scope)
        self.f = scope['f']
        self.is_array = 'import numpy' in task['code']
        self.lower, self.upper = np.array(task['bounds'], dtype=float).T
        self.n = len(self.lower)
        self.noise = task.get('noise') or {}
        self.least = task['best']
        self.rng = np.random.default_rng([task['seed'], 1])
        self.budget = budget
        self.values = []

    @property
    def left(self):
        return self.budget - len(self.values)

    def __call__(self, u):
        if self.left <= 0:
            raise Spent
        return self.value(u)

    def value(self, u):
        if self.left <= 0:
            return FAILED
        u = np.clip(np.asarray(u, dtype=float), 0, 1)
        x = np.clip(self.lower + u * (self.upper - self.lower), self.lower, self.upper)
        try:
            value = float(self.f(x if self.is_array else [float(v) for v in x]))
        except (ArithmeticError, ValueError):
            value = FAILED
        if not math.isfinite(value):
            value = FAILED
        self.values.append(value)
        if 'additive' in self.noise:
            return value + self.noise['additive'] * self.rng.standard_normal()
        if 'relative' in self.noise:
            return self.least + (value - self.least) * math.exp(self.noise['relative'] * self.rng.standard_normal())
        return value


def multistart(run):
    """`run(f, start, seed)` again and again from random points."""

    def solve(f, seed):
        rng = np.random.default_rng(seed)
        while f.left > 0:
            before = f.left
            run(f, rng.random(f.n), int(rng.integers(1, 2**31)))
            if f.left == before:
                f(rng.random(f.n))

    return solve


def scipy_local(method):
    def run(f, start, seed):
        from scipy.optimize import minimize

        minimize(f, start, method=method, bounds=[(0, 1)] * f.n, options={'maxiter': 10000})

    return multistart(run)


def py_bobyqa(f, start, seed):
    import pybobyqa

    np.random.seed(seed % 2**32)
    noisy = bool(f.noise)
    bounds = (np.zeros(f.n), np.ones(f.n))
    start = np.clip(start, 0.01, 0.99)
    pybobyqa.solve(f, start, bounds=bounds, rhobeg=0.1, rhoend=1e-10, maxfun=f.left, objfun_has_noise=noisy)


def pycma(f, start, seed):
    import cma

    options = {'bounds': [0, 1], 'seed': seed, 'verbose': -9, 'maxfevals': f.left}
    search = cma.CMAEvolutionStrategy(start, 0.25, options)
    while not search.stop():
        candidates = search.ask()
        search.tell(candidates, [f(u) for u in candidates])


def pycma_bipop(f, start, seed):
    import cma

    rng = np.random.default_rng(seed)
    options = {'bounds': [0, 1], 'seed': seed, 'verbose': -9, 'maxfevals': f.left}
    cma.fmin2(f, lambda: rng.random(f.n), 0.25, options, restarts=9, bipop=True)


def pycma_lq(f, start, seed):
    import cma

    options = {'bounds': [0, 1], 'seed': seed, 'verbose': -9, 'maxfevals': f.left}
    cma.fmin_lq_surr(f, start, 0.25, options)


def dual_annealing(f, seed):
    from scipy.optimize import dual_annealing as search

    while f.left > 0:
        search(f, [(0, 1)] * f.n, rng=np.random.default_rng(seed), maxfun=f.left, maxiter=100000)
        seed += 1


def direct(f, seed):
    from scipy.optimize import direct as search

    search(f.value, [(0, 1)] * f.n, maxfun=f.budget, maxiter=100000, vol_tol=0, len_tol=0)


def differential_evolution(f, seed):
    from scipy.optimize import differential_evolution as search

    while f.left > 0:
        search(f, [(0, 1)] * f.n, rng=np.random.default_rng(seed), maxiter=100000)
        seed += 1


def nevergrad(name):
    def solve(f, seed):
        import nevergrad as ng

        space = ng.p.Array(init=np.full(f.n, 0.5)).set_bounds(0.0, 1.0)
        space.random_state.seed(seed % 2**32)
        np.random.seed(seed % 2**32)
        search = ng.optimizers.registry[name](parametrization=space, budget=f.budget, num_workers=1)
        while f.left > 0:
            candidate = search.ask()
            search.tell(candidate, f(candidate.value))

    return solve


def optuna(sampler):
    def solve(f, seed):
        import optuna as library

        library.logging.set_verbosity(library.logging.ERROR)
        study = library.create_study(sampler=getattr(library.samplers, sampler)(seed=seed % 2**32))
        study.optimize(lambda trial: f([trial.suggest_float(f'x{i}', 0, 1) for i in range(f.n)]), n_trials=f.budget)

    return solve


def fcmaes(f, seed):
    from fcmaes.optimizer import de_cma
    from scipy.optimize import Bounds

    # Called from C++, where nothing may be raised.
    rng = np.random.default_rng(seed)
    while f.left > 0:
        before = f.left
        de_cma(f.left).minimize(f.value, Bounds(np.zeros(f.n), np.ones(f.n)), rg=rng)
        if f.left == before:
            f.value(rng.random(f.n))


SOLVERS = {
    'pycma': (multistart(pycma), 'cma'),
    'pycma-BIPOP': (multistart(pycma_bipop), 'cma'),
    'pycma-lq': (multistart(pycma_lq), 'cma'),
    'scipy-SLSQP': (scipy_local('SLSQP'), 'scipy'),
    'scipy-L-BFGS-B': (scipy_local('L-BFGS-B'), 'scipy'),
    'scipy-Powell': (scipy_local('Powell'), 'scipy'),
    'scipy-COBYQA': (scipy_local('COBYQA'), 'scipy'),
    'scipy-dual-annealing': (dual_annealing, 'scipy'),
    'scipy-DIRECT': (direct, 'scipy'),
    'scipy-DE': (differential_evolution, 'scipy'),
    'Py-BOBYQA': (multistart(py_bobyqa), 'Py-BOBYQA'),
    'nevergrad-NGOpt': (nevergrad('NGOpt'), 'nevergrad'),
    'nevergrad-NgIohTuned': (nevergrad('NgIohTuned'), 'nevergrad'),
    'optuna-TPE': (optuna('TPESampler'), 'optuna'),
    'optuna-GP': (optuna('GPSampler'), 'optuna'),
    'fcmaes': (fcmaes, 'fcmaes'),
}
# These search otherwise when they may evaluate more: each budget is a run of its own.
PLANNING = ('nevergrad-NGOpt', 'nevergrad-NgIohTuned', 'fcmaes')


def run(task, budget):
    solve, package = SOLVERS[task['solver']]
    f = Objective(task, budget)
    try:
        solve(f, task['seed'])
    except Spent:
        pass
    return f.values


def answer(task):
    if task.get('versions'):
        return {'version': f"{SOLVERS[task['solver']][1]} {version(SOLVERS[task['solver']][1])}"}
    budgets = task['budgets']
    if task['solver'] in PLANNING:
        best = [min(run(task, budget)) for budget in budgets]
    else:
        values = run(task, budgets[-1])
        best = [min(values[:budget]) for budget in budgets]
    return {'best': best, 'failed': 0}


for line in sys.stdin:
    try:
        result = answer(json.loads(line))
    except Exception as error:  # The runner says which run it was.
        result = {'error': f'{type(error).__name__}: {error}'}
    print(json.dumps(result), file=answers, flush=True)

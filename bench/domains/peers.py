"""Peers of bench/domains/peers.mjs: reads one task a line, `{"solve", "limit_s", ...}`, and answers with one line each.

An answer is `{"value", "ms", "cpu_ms", "proven"}`: the objective, the milliseconds from data in memory to the solution (the model is built
within them, packages are loaded before), those of the processor in all threads, and whether the peer says that nothing is better. `{"solve": "versions"}` gives those of the packages.
"""

import importlib.metadata
import json
import math
import sys
import time

import cvxpy
import numpy as np
import optuna
import scipy.optimize
import scipy.sparse
from ortools.linear_solver import pywraplp
from ortools.sat.python import cp_model
from pypfopt import EfficientCVaR, EfficientFrontier
from routes import routes
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.power import TTestIndPower

PACKAGES = ['PyPortfolioOpt', 'cvxpy', 'ortools', 'optuna', 'pyscipopt', 'pyvrp', 'scikit-learn', 'scipy', 'statsmodels']

optuna.logging.set_verbosity(optuna.logging.WARNING)


def versions(_task):
    known = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {'python': sys.version.split()[0], **known}


def frontier(task):
    """Variance, or the Sharpe ratio."""
    covariance = np.array(task['covariance'])
    started = time.perf_counter()
    model = EfficientFrontier(np.array(task['means']), covariance)
    if task['objective'] == 'max_sharpe':
        model.max_sharpe(task['risk_free_rate'])
    elif task['objective'] == 'efficient_return':
        model.efficient_return(task['target_return'])
    else:
        model.min_volatility()
    ms = 1000 * (time.perf_counter() - started)
    w = model.weights
    variance = float(w @ covariance @ w)
    if task['objective'] == 'max_sharpe':
        return {'value': float((w @ task['means'] - task['risk_free_rate']) / math.sqrt(variance)), 'ms': ms, 'proven': True}
    return {'value': math.sqrt(variance), 'ms': ms, 'proven': True}


def few_assets(task):
    """Volatility with at most so many assets: a mixed-integer programme of cvxpy, solved by SCIP."""
    covariance = np.array(task['covariance'])
    n = len(covariance)
    started = time.perf_counter()
    w = cvxpy.Variable(n, nonneg=True)
    held = cvxpy.Variable(n, boolean=True)
    limits = [cvxpy.sum(w) == 1, w <= held, cvxpy.sum(held) <= task['most']]
    if task.get('target_return') is not None:
        limits.append(np.array(task['means']) @ w >= task['target_return'])
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.quad_form(w, cvxpy.psd_wrap(covariance))), limits)
    problem.solve(solver='SCIP', scip_params={'limits/time': task['limit_s']})
    ms = 1000 * (time.perf_counter() - started)
    value = None if w.value is None else math.sqrt(float(w.value @ covariance @ w.value))
    return {'value': value, 'ms': ms, 'proven': problem.status == 'optimal'}


def least_cvar(task):
    returns = np.array(task['returns'])
    started = time.perf_counter()
    model = EfficientCVaR(returns.mean(axis=0), returns, beta=task['confidence'])
    model.min_cvar()
    ms = 1000 * (time.perf_counter() - started)
    return {'value': tail(-(returns @ model.weights), task['confidence']), 'ms': ms, 'proven': True}


def least_cvar_linear(task):
    """The linear programme of Rockafellar and Uryasev, by HiGHS."""
    returns = np.array(task['returns'])
    started = time.perf_counter()
    rows, n = returns.shape
    share = 1 / ((1 - task['confidence']) * rows)
    cost = np.concatenate([np.zeros(n), [1], np.full(rows, share)])
    inequality = scipy.sparse.hstack([-returns, -np.ones((rows, 1)), -scipy.sparse.eye(rows)], format='csr')
    total = np.concatenate([np.ones(n), [0], np.zeros(rows)])[None, :]
    bounds = [(0, 1)] * n + [(None, None)] + [(0, None)] * rows
    found = scipy.optimize.linprog(cost, inequality, np.zeros(rows), total, [1], bounds, method='highs')
    ms = 1000 * (time.perf_counter() - started)
    return {'value': tail(-(returns @ found.x[:n]), task['confidence']), 'ms': ms, 'proven': found.status == 0}


def tail(losses, confidence):
    losses = np.sort(losses)[::-1]
    left = 1 - confidence
    total = 0.0
    for loss in losses:
        taken = min(left, 1 / len(losses))
        total += taken * loss
        left -= taken
    return float(total / (1 - confidence))


def facilities(task):
    """Uncapacitated: cost of opening sites and serving each customer from one of them, by SCIP of OR-Tools."""
    opening, serving = task['opening'], task['serving']
    started = time.perf_counter()
    solver = pywraplp.Solver.CreateSolver('SCIP')
    solver.set_time_limit(1000 * task['limit_s'])
    is_open = [solver.BoolVar('') for _ in opening]
    cost = [variable * price for variable, price in zip(is_open, opening)]
    for prices in serving:
        served = [solver.NumVar(0, 1, '') for _ in prices]
        solver.Add(sum(served) == 1)
        for share, variable in zip(served, is_open):
            solver.Add(share <= variable)
        cost += [share * price for share, price in zip(served, prices)]
    solver.Minimize(sum(cost))
    status = solver.Solve(to_the_proof())
    ms = 1000 * (time.perf_counter() - started)
    return {'value': solver.Objective().Value(), 'ms': ms, 'proven': status == pywraplp.Solver.OPTIMAL}


def to_the_proof():
    """OR-Tools would end a search over integers at a gap of 1e-4."""
    parameters = pywraplp.MPSolverParameters()
    parameters.SetDoubleParam(parameters.RELATIVE_MIP_GAP, 0)
    return parameters


def constraint_model(build):
    """CP-SAT with its defaults; `build` returns the objective, which is maximized."""

    def solve(task):
        started = time.perf_counter()
        model = cp_model.CpModel()
        objective, sign = build(model, task)
        model.Maximize(sign * objective)
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = task['limit_s']
        status = solver.Solve(model)
        ms = 1000 * (time.perf_counter() - started)
        found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        return {'value': sign * solver.ObjectiveValue() if found else None, 'ms': ms, 'proven': status == cp_model.OPTIMAL}

    return solve


def assignment(model, task):
    values, resources, capacities = task['values'], task['resources'], task['capacities']
    chosen = [[model.NewBoolVar('') for _ in row] for row in values]
    for job in range(len(values[0])):
        model.AddExactlyOne(row[job] for row in chosen)
    for row, needs, capacity in zip(chosen, resources, capacities):
        model.Add(sum(need * one for need, one in zip(needs, row)) <= capacity)
    return sum(value * one for values_, row in zip(values, chosen) for value, one in zip(values_, row)), 1


def reach(model, task):
    booked = [model.NewBoolVar('') for _ in task['vehicles']]
    model.Add(sum(vehicle['cost'] * one for vehicle, one in zip(task['vehicles'], booked)) <= task['budget'])
    total = []
    for group in task['audience_groups']:
        seen = model.NewBoolVar('')
        covering = [one for vehicle, one in zip(task['vehicles'], booked) if group['id'] in vehicle['covers']]
        model.Add(sum(covering) >= seen)
        total.append(group['size'] * seen)
    return sum(total), 1


def bins(model, task):
    """As many bins as first-fit decreasing needs, filled in order."""
    sizes, capacity = sorted(task['item_sizes'], reverse=True), task['bin_capacity']
    left = []
    for size in sizes:
        at = next((k for k, room in enumerate(left) if room >= size), None)
        if at is None:
            left.append(capacity - size)
        else:
            left[at] -= size
    used = [model.NewBoolVar('') for _ in left]
    placed = [[model.NewBoolVar('') for _ in left] for _ in sizes]
    for row in placed:
        model.AddExactlyOne(row)
    for k, one in enumerate(used):
        model.Add(sum(size * row[k] for size, row in zip(sizes, placed)) <= capacity * one)
        if k > 0:
            model.AddImplication(one, used[k - 1])
    return sum(used), -1


def bonds(task):
    """Whole bonds for liabilities, by SCIP of OR-Tools."""
    rate = 1 + task['reinvestment_rate']
    started = time.perf_counter()
    solver = pywraplp.Solver.CreateSolver('SCIP')
    solver.set_time_limit(1000 * task['limit_s'])
    held = [solver.IntVar(0, solver.infinity(), '') for _ in task['bonds']]
    first = cash = solver.NumVar(0, solver.infinity(), '')
    for t, due in enumerate(task['liabilities']):
        left = solver.NumVar(0, solver.infinity(), '')
        paid = sum(one * bond['cash_flows'][t] for one, bond in zip(held, task['bonds']) if t < len(bond['cash_flows']))
        solver.Add(left == rate * cash + paid - due)
        cash = left
    solver.Minimize(first + sum(one * bond['price'] for one, bond in zip(held, task['bonds'])))
    status = solver.Solve(to_the_proof())
    ms = 1000 * (time.perf_counter() - started)
    return {'value': solver.Objective().Value(), 'ms': ms, 'proven': status == pywraplp.Solver.OPTIMAL}


def sample_size(task):
    started = time.perf_counter()
    size = TTestIndPower().solve_power(task['effect'], alpha=task['alpha'], power=task['power'])
    ms = 1000 * (time.perf_counter() - started)
    return {'value': math.ceil(size - 1e-9), 'ms': ms, 'proven': True}


def tune_neighbours(task):
    """All 60 settings of k nearest neighbours on iris, each valued by leaving out one row after the other."""
    features = StandardScaler().fit_transform(np.array([row[:-1] for row in task['rows']]))
    target = [row[-1] for row in task['rows']]
    space = {'k': list(range(1, 31)), 'weights': ['uniform', 'distance']}
    started = time.perf_counter()

    def accuracy(trial):
        k = trial.suggest_categorical('k', space['k'])
        model = KNeighborsClassifier(k, weights=trial.suggest_categorical('weights', space['weights']))
        return cross_val_score(model, features, target, cv=LeaveOneOut()).mean()

    study = optuna.create_study(direction='maximize', sampler=optuna.samplers.GridSampler(space, seed=1))
    study.optimize(accuracy)
    ms = 1000 * (time.perf_counter() - started)
    return {'value': study.best_value, 'ms': ms, 'proven': len(study.trials) == 60}


def tune_table(task):
    """Least value found by the tree-structured Parzen estimator in so many trials, each the look-up of a row."""
    names, places = task['parameters'], [task['columns'].index(name) for name in task['parameters']]
    metric = task['columns'].index(task['metric'])
    table = {tuple(row[i] for i in places): row[metric] for row in task['rows']}
    choices = [sorted({row[i] for row in task['rows']}) for i in places]
    started = time.perf_counter()

    def value(trial):
        # Places in the order of the values: the sampler knows that they are ordered.
        at = [trial.suggest_int(name, 0, len(own) - 1) for name, own in zip(names, choices)]
        return table[tuple(own[i] for i, own in zip(at, choices))]

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=task['seed']))
    study.optimize(value, n_trials=task['evaluations'])
    ms = 1000 * (time.perf_counter() - started)
    return {'value': study.best_value, 'ms': ms, 'proven': False}


SOLVERS = {
    'versions': versions,
    'frontier': frontier,
    'few_assets': few_assets,
    'least_cvar': least_cvar,
    'least_cvar_linear': least_cvar_linear,
    'facilities': facilities,
    'assignment': constraint_model(assignment),
    'reach': constraint_model(reach),
    'bins': constraint_model(bins),
    'bonds': bonds,
    'sample_size': sample_size,
    'routes': routes,
    'tune_neighbours': tune_neighbours,
    'tune_table': tune_table,
}

for line in sys.stdin:
    request = json.loads(line)
    before = time.process_time()
    answer = SOLVERS[request['solve']](request)
    print(json.dumps({**answer, 'cpu_ms': 1000 * (time.process_time() - before)}), flush=True)

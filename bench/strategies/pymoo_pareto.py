"""NSGA-II of pymoo, for bench/strategies/pareto.mjs: population 100, everything else as it comes.

Reads `{"problems": [{"name", "variables", "objectives", "reference", "point"}], "seeds", "evaluations"}`; writes the version and, for each
problem, the values at the point and, for each seed, the hypervolume of the front of the last population.
"""

import json
import sys

import numpy
import pymoo
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.optimize import minimize
from pymoo.problems import get_problem

task = json.load(sys.stdin)
results = {}
for wanted in task['problems']:
    options = {'n_obj': wanted['objectives']} if wanted['name'].startswith('dtlz') else {}
    problem = get_problem(wanted['name'], n_var=wanted['variables'], **options)
    hypervolumes = []
    for seed in range(1, task['seeds'] + 1):
        found = minimize(problem, NSGA2(pop_size=100), ('n_eval', task['evaluations']), seed=seed)
        hypervolumes.append(float(HV(ref_point=numpy.array(wanted['reference']))(found.F)))
    values = problem.evaluate(numpy.array([wanted['point']]))[0].tolist()
    results[wanted['name']] = {'values': values, 'hypervolumes': hypervolumes}
print(json.dumps({'version': pymoo.__version__, 'problems': results}))

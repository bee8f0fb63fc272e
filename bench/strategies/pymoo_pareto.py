"""pymoo's NSGA-II, for bench/strategies/pareto.mjs: population 100, everything else as it comes.

Reads one JSON object: {"problems": [{"name", "variables", "objectives", "reference"}], "seeds", "evaluations"}; writes the version,
and, for each problem and seed, the hypervolume of the front of the last population.
"""

import json
import sys

import pymoo
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.optimize import minimize
from pymoo.problems import get_problem

task = json.load(sys.stdin)
results = {}
for problem in task['problems']:
    options = {'n_obj': problem['objectives']} if problem['name'].startswith('dtlz') else {}
    volumes = []
    for seed in range(1, task['seeds'] + 1):
        found = minimize(
            get_problem(problem['name'], n_var=problem['variables'], **options),
            NSGA2(pop_size=100),
            ('n_eval', task['evaluations']),
            seed=seed,
        )
        volumes.append(float(HV(ref_point=problem['reference'])(found.F)))
    results[problem['name']] = volumes
print(json.dumps({'version': pymoo.__version__, 'hypervolumes': results}))

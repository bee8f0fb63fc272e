"""PyVRP on benchmark files of vehicle routing, for bench/domains: reads one task a line,
`{"file", "rounding", "limit_s" or "limit_cpu_s", "seed", "vehicles"?, "target"?}`, and answers with one line each,
`{"value", "ms", "cpu_ms", "proven"}`, as peers.py does. Needs pyvrp only.
"""

import importlib.metadata
import json
import sys
import tempfile
import time

import pyvrp
import pyvrp.stop

# Costs of an instance in those of PyVRP, which scales what it rounds to a decimal.
SCALES = {'round': 1, 'dimacs': 10}


def routes(task):
    """Cost after so many seconds."""
    problem = read(task)
    started = time.perf_counter()
    stop = Processor(task) if 'limit_cpu_s' in task else pyvrp.stop.MaxRuntime(task['limit_s'])
    found = pyvrp.solve(problem, stop=stop, seed=task['seed'], collect_stats=False, display=False)
    ms = 1000 * (time.perf_counter() - started)
    value = found.cost() / SCALES[task['rounding']] if found.is_feasible() else None
    return {'value': value, 'ms': ms, 'proven': False}


class Processor:
    """Stops after so many seconds of the processor, or at the target."""

    def __init__(self, task):
        self.end = time.process_time() + task['limit_cpu_s']
        self.target = task['target'] * SCALES[task['rounding']] + 1e-6

    def __call__(self, cost):
        return cost <= self.target or time.process_time() >= self.end

    def criteria(self):
        return []


def read(task):
    with open(task['file']) as file:
        text = file.read()
    if task['file'].endswith('.txt'):
        text = vrplib_of(text)
    with tempfile.NamedTemporaryFile('w', suffix='.vrp') as file:
        file.write(text)
        file.flush()
        problem = pyvrp.read(file.name, round_func=task['rounding'])
    if task.get('vehicles') is None:
        return problem
    return problem.replace(vehicle_types=[one.replace(num_available=task['vehicles']) for one in problem.vehicle_types()])


def vrplib_of(solomon):
    """PyVRP reads VRPLIB only."""
    rows = [line.split() for line in solomon.splitlines()]
    vehicles, capacity = next(row for row in rows if len(row) == 2 and row[0].isdigit())
    places = [row for row in rows if len(row) == 7 and row[0].isdigit()]

    def section(name, columns):
        return [name, *(' '.join([str(k), *(row[c] for c in columns)]) for k, row in enumerate(places, 1))]

    lines = [
        'NAME : solomon',
        'TYPE : VRPTW',
        f'DIMENSION : {len(places)}',
        f'VEHICLES : {vehicles}',
        f'CAPACITY : {capacity}',
        'EDGE_WEIGHT_TYPE : EUC_2D',
        *section('NODE_COORD_SECTION', [1, 2]),
        *section('DEMAND_SECTION', [3]),
        *section('TIME_WINDOW_SECTION', [4, 5]),
        *section('SERVICE_TIME_SECTION', [6]),
        'DEPOT_SECTION',
        '1',
        '-1',
        'EOF',
    ]
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    for line in sys.stdin:
        request = json.loads(line)
        before = time.process_time()
        answer = {'version': importlib.metadata.version('pyvrp')} if request.get('solve') == 'version' else routes(request)
        print(json.dumps({**answer, 'cpu_ms': 1000 * (time.process_time() - before)}), flush=True)

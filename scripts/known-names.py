"""Prints src/frontend/library/known-names.ts: which names modules have in every version, for compiling without an interpreter.

python3 scripts/known-names.py --python 3.8 --python 3.9 ... --numpy OLDEST --numpy NEWEST > src/frontend/library/known-names.ts

`--python`: interpreters of each minor version of Python, in order; `--numpy`: interpreters with NumPy and SciPy.
"""

import argparse
import json
import subprocess

STANDARD = (
    '__future__ abc bisect calendar cmath collections collections.abc contextlib copy dataclasses datetime decimal enum '
    'fractions functools heapq io itertools json logging math numbers operator os os.path pathlib pprint random re '
    'statistics string struct sys textwrap time timeit traceback types typing uuid warnings argparse array csv glob hashlib '
    'multiprocessing pickle queue secrets shutil socket subprocess tempfile threading urllib.request'
).split()
SCIENTIFIC = (
    'numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.typing scipy scipy.constants '
    'scipy.integrate scipy.interpolate scipy.linalg scipy.optimize scipy.signal scipy.sparse scipy.spatial '
    'scipy.spatial.distance scipy.special scipy.stats'
).split()
# What a module of the standard library promises; those without a promise, and NumPy and SciPy, what they have.
PROGRAM = '''
import importlib, json, sys, types, warnings
warnings.simplefilter('ignore')
def names_of(name):
    module = importlib.import_module(name)
    if name == '__future__':
        return module.all_feature_names
    promised = None if name.startswith(('numpy', 'scipy')) else getattr(module, '__all__', None)
    submodules = lambda n: isinstance(getattr(module, n), types.ModuleType) and not getattr(module, n).__name__.startswith(name)
    found = promised or [n for n in dir(module) if not n.startswith('_') and hasattr(module, n) and not submodules(n)]
    return [n for n in found if name != 'os' or n.islower()]
print(json.dumps({name: sorted(set(names_of(name))) for name in sys.argv[1:]}))
'''


def ask(interpreter, modules):
    return json.loads(subprocess.run([interpreter, '-c', PROGRAM, *modules], check=True, capture_output=True).stdout)


def since(answers, first, name):
    """`name`, with the minor version that has it first; None where a later one has it no more."""
    there = [name in names for names in answers]
    start = there.index(True)
    if not all(there[start:]):
        return None
    return name if start == 0 else f'{name}@{first + start}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--python', action='append', required=True)
    parser.add_argument('--numpy', action='append', required=True)
    options = parser.parse_args()
    first = int(ask_minor(options.python[0]))
    standard = [ask(interpreter, STANDARD) for interpreter in options.python]
    scientific = [ask(interpreter, SCIENTIFIC) for interpreter in options.numpy]
    print('// Made by scripts/known-names.py, which says how.')
    print("import { table, type Table } from '../values/table.js';")
    print()
    print('/** Names of modules, where not in all versions with the minor version of Python 3 that has them first. */')
    print('export const KNOWN_NAMES: Table<string> = table({')
    for module in STANDARD:
        answers = [answer[module] for answer in standard]
        show(module, [since(answers, first, name) for name in answers[-1]])
    for module in SCIENTIFIC:
        show(module, sorted(set.intersection(*[set(answer[module]) for answer in scientific])))
    print('});')


def ask_minor(interpreter):
    program = 'import sys; print(sys.version_info[1])'
    return subprocess.run([interpreter, '-c', program], check=True, capture_output=True).stdout


def show(module, names):
    lines, line = [], ''
    for name in (name for name in names if name is not None):
        if len(line) + len(name) > 110:
            lines.append(line)
            line = ''
        line += f'{name} '
    lines.append(line)
    text = ' +\n    '.join(f"'{line}'" if k + 1 < len(lines) else f"'{line.strip()}'" for k, line in enumerate(lines))
    key = f"'{module}'" if '.' in module else module
    print(f'  {key}: {text},' if len(lines) == 1 else f'  {key}:\n    {text},')


main()

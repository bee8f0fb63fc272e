/**
 * Libraries import parts of themselves when they are first needed, and a worker can import nothing once it runs
 * uploaded code.
 */
import { afterAll, describe, expect, it } from 'vitest';
import {
  evaluate,
  hasNumpy,
  hasScipy,
  makeBackend,
  skipWithoutSandbox,
  withoutNumpy,
  withoutScipy,
} from './support.js';

const backend = makeBackend({ spares: 1, evaluationTimeoutMs: 60_000 });
afterAll(() => backend.close());

/** Files, documentation and tests: nothing that an objective needs. */
const OUTSIDE = [
  ...['DataSource', 'info', 'lookfor', 'show_runtime', 'show_config', 'test', 'load', 'loadtxt', 'genfromtxt', 'save'],
  ...['savez', 'savez_compressed', 'savetxt', 'recfromcsv', 'recfromtxt', 'mafromtxt', 'fromregex', 'source', 'who'],
  ...['memmap', 'add_newdoc', 'deprecate', 'deprecate_with_doc', 'get_include', 'getbufsize', 'setbufsize'],
];

/** Calls what a module has with every combination of a few arguments and tells what could not be imported. */
const callEverything = (modules: readonly string[]): string => `
${modules.map((name) => `import ${name}`).join('\n')}
import numpy, warnings
warnings.simplefilter('ignore')
OUTSIDE = set(${JSON.stringify(OUTSIDE)})
SMALL = numpy.array([[2.0, 1.0], [1.0, 3.0]])
ARGUMENTS = [
    (), (0.5,), (SMALL,), (SMALL[0],), (SMALL[0], SMALL[1]), (SMALL, SMALL[0]), (SMALL, SMALL), (SMALL[0], 0.5), (SMALL, 2),
    (SMALL, 50), (2, SMALL[0]), (SMALL[0], 0.2, 0.7), (lambda v: v * v - 2.0, 0.0, 2.0), (lambda v: (v * v).sum(), SMALL[0]),
    (numpy.array([3, 1, 1]),), (numpy.array([3, 1]), numpy.array([1, 2])), (numpy.array([1 + 1j, 2.0]),), ('a b',),
    ([[1.0, 2.0], [3.0, 4.0]], [0, 1]), (numpy.array([True, False]),), (numpy.array(['b', 'a']),), ('i,i', SMALL, SMALL),
]
def f(x):
    refused, called = set(), 0
    for module in (${modules.join(', ')},):
        for name in sorted(set(dir(module)) - OUTSIDE):
            if name.startswith('_'):
                continue
            try:
                function = getattr(module, name)
            except (AttributeError, ImportError):  # np.testing, by a name that no text shows
                continue
            if not callable(function) or type(function) is type(module):
                continue
            for arguments in ARGUMENTS:
                try:
                    function(*arguments)
                    called += 1
                except ImportError as error:
                    refused.add(f'{module.__name__}.{name}: {error}'[:100])
                except Exception:
                    pass
    if refused:
        raise RuntimeError(' | '.join(sorted(refused)))
    return called
`;

describe('what a library imports when it is first needed is there', () => {
  skipWithoutSandbox();

  it('for all of NumPy', async (context) => {
    context.skip(!hasNumpy, withoutNumpy);
    const modules = ['numpy', 'numpy.linalg', 'numpy.fft', 'numpy.polynomial', 'numpy.ma'];
    const { failures, values } = await evaluate(backend, callEverything(modules));
    expect(failures).toEqual([]);
    expect(values[0]).toBeGreaterThan(1_000);
  });

  it('for functions of NumPy that sort, and for those of matrices', async (context) => {
    context.skip(!hasNumpy, withoutNumpy);
    const code = `
import numpy as np
def f(x):
    a = np.array([3.0, 1.0, 2.0, 1.0])
    numbers = [np.median(a), np.percentile(a, 25), np.quantile(a, 0.75), np.nanmedian(a), np.nanpercentile(a, 50)]
    return sum(numbers) + np.unique(a).sum() + np.linalg.det(np.diag(a)) + np.histogram(a)[0].sum()
`;
    const { failures, values } = await evaluate(backend, code);
    expect(failures).toEqual([]);
    expect(values[0]).toBeCloseTo(1.5 + 1 + 2.25 + 1.5 + 1.5 + 6 + 6 + 4, 12);
  });

  it('for SciPy', async (context) => {
    context.skip(!hasScipy, withoutScipy);
    const code = `
import numpy as np
from scipy import linalg, optimize, sparse
def f(x):
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    s = np.abs(linalg.logm(a) + linalg.fractional_matrix_power(a, 0.5)).sum()
    s += sparse.csr_matrix(np.ones((4, 4))).tobsr().toarray().sum()
    bowl = lambda v: float(((np.asarray(v) - 0.5) ** 2).sum())
    s += optimize.brute(bowl, ((0.0, 1.0),), Ns=3)[0]
    s += optimize.differential_evolution(bowl, [(0.0, 1.0)] * 2, seed=1, maxiter=5).fun
    for method in ('Nelder-Mead', 'Powell', 'CG', 'BFGS', 'L-BFGS-B', 'TNC', 'COBYLA', 'SLSQP', 'trust-constr', 'COBYQA'):
        try:
            s += optimize.minimize(bowl, [0.2, 0.3], method=method).fun
        except ValueError as error:  # SciPy 1.10 has no COBYQA
            if 'Unknown solver' not in str(error):
                raise
    return s
`;
    const { failures, values } = await evaluate(backend, code);
    expect(failures).toEqual([]);
    expect(values[0]).toBeGreaterThan(16);
  });

  it('for what the standard library imports late', async () => {
    const code = `
import collections, datetime
def f(x):
    (most, count), = collections.Counter('abbb').most_common(1)
    day = datetime.datetime.strptime('2024-02-29', '%Y-%m-%d')
    return count + day.day + len('\\N{BULLET}')
`;
    const { failures, values } = await evaluate(backend, code);
    expect(failures).toEqual([]);
    expect(values[0]).toBe(33);
  });
});

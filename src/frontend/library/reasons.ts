/** Why a module's function or a name is not compiled, in words for the person who wrote the source. */
import { table, type Table } from '../values/table.js';

const RANDOM = 'of random numbers, common ones of random, numpy.random.seed and RandomState with a seed are compiled';
const OUTSIDE = 'it reaches outside of the function';
const CLOCK = 'it reads the clock';
const ITERATES = 'it iterates in its own code to its own tolerance';
const OWN_CODE = 'its library is none that is compiled';
const DATES = 'dates and times are not compiled';

/** By the beginning of the dotted path; the longest one counts. */
const MODULE_REASONS: readonly (readonly [string, string])[] = [
  ...['random', 'numpy.random', 'secrets', 'uuid', 'scipy.stats.qmc'].map((path) => [path, RANDOM] as const),
  ...['time', 'timeit'].map((path) => [path, CLOCK] as const),
  ['datetime', DATES],
  ['calendar', DATES],
  ...['os', 'io', 'sys', 'pathlib', 'shutil', 'glob', 'subprocess', 'socket', 'urllib', 'requests', 'tempfile'].map(
    (path) => [path, OUTSIDE] as const,
  ),
  ...['threading', 'multiprocessing', 'concurrent', 'asyncio', 'ctypes', 'gc', 'inspect', 'pickle', 'sqlite3'].map(
    (path) => [path, OUTSIDE] as const,
  ),
  ['scipy.optimize', ITERATES],
  ['scipy.integrate', 'of scipy.integrate only trapezoid and simpson are compiled'],
  ...['quad', 'quadrature', 'romberg', 'ode', 'solve_ivp', 'solve_bvp'].map(
    (name) => [`scipy.integrate.${name}`, ITERATES] as const,
  ),
  ['scipy.linalg', 'of matrices solve, inv, det, norm and cholesky of numpy.linalg are compiled'],
  ...['eig', 'svd', 'expm', 'schur', 'lstsq', 'pinv', 'sqrtm', 'logm'].map(
    (name) => [`scipy.linalg.${name}`, ITERATES] as const,
  ),
  ...['numpy.linalg.eig', 'numpy.linalg.svd', 'numpy.linalg.lstsq', 'numpy.linalg.pinv', 'numpy.linalg.cond'].map(
    (path) => [path, ITERATES] as const,
  ),
  ...[
    'scipy',
    'pandas',
    'sklearn',
    'torch',
    'tensorflow',
    'jax',
    'xgboost',
    'lightgbm',
    'sympy',
    'networkx',
    'cvxpy',
  ].map((path) => [path, OWN_CODE] as const),
  ...['numba', 'statsmodels', 'casadi', 'pyomo', 'qiskit', 'PIL', 'cv2', 'matplotlib'].map(
    (path) => [path, OWN_CODE] as const,
  ),
  [
    'numpy.random.default_rng',
    'NumPy may change its numbers from version to version; RandomState with a seed is compiled',
  ],
  ...['linear_sum_assignment', 'linprog', 'milp'].map((name) => [`scipy.optimize.${name}`, OWN_CODE] as const),
  ['scipy.optimize.Bounds', 'its objects are not compiled'],
  ['scipy.optimize.LinearConstraint', 'its objects are not compiled'],
  ['scipy.optimize.NonlinearConstraint', 'its objects are not compiled'],
  ['scipy.optimize.rosen_der', 'of the formulas of scipy.optimize only rosen is compiled'],
  ['scipy.optimize.rosen_hess', 'of the formulas of scipy.optimize only rosen is compiled'],
  ['scipy.special', 'it is none of the functions of scipy.special that are compiled'],
  ['scipy.stats', 'of scipy.stats only norm.pdf, logpdf, cdf and sf, skew and kurtosis are compiled'],
  ['scipy.special.logit', 'its rounding near 1/2 differs between versions of SciPy; math.log(p / (1 - p)) is compiled'],
  ['numpy.fft', 'it sums in its own order; a sum of x[n] * np.exp(-2j * np.pi * k * n / N) is compiled'],
  ['decimal', 'it computes in decimal'],
  ['fractions', 'it computes with exact fractions'],
  ['heapq', 'the order in a heap depends on x'],
  ['bisect', 'bisect_left and bisect_right are compiled'],
  ['numpy.seterr', 'warnings of NumPy that become exceptions are not followed; with np.errstate(...) is compiled'],
];

/** Why an import is refused when it is not known what it does. */
export function reasonForImport(path: string, isAlone: boolean): string {
  const why = reasonOf(path);
  const known = isAlone
    ? 'whether it can be imported depends on the Python that runs it, and there is none to ask'
    : 'the Python that runs it was not asked whether it can be imported';
  return `${path} is not translated: ${why === null ? known : `${why}, and ${known}`}`;
}

export function reasonForMember(path: string): string {
  const why = reasonOf(path);
  return `${path} is not translated${why === null ? '' : `: ${why}`}`;
}

function reasonOf(path: string): string | null {
  const matching = MODULE_REASONS.filter(
    ([start]) => path === start || path.startsWith(`${start}.`) || isPrefixOfName(start, path),
  );
  const longest = matching.reduce<readonly [string, string] | null>(
    (best, entry) => (best === null || entry[0].length > best[0].length ? entry : best),
    null,
  );
  return longest === null ? null : longest[1];
}

/** `numpy.linalg.eig` stands for eigh, eigvals and the like, too. */
const isPrefixOfName = (start: string, path: string): boolean =>
  ['numpy.linalg.eig', 'scipy.linalg.eig', 'scipy.linalg.svd', 'scipy.integrate.ode', 'scipy.integrate.quad'].includes(
    start,
  ) && path.startsWith(start);

const NAME_REASONS: Table<string> = table({
  ...Object.fromEntries(['open', 'input', 'exit', 'quit', 'breakpoint'].map((name) => [name, OUTSIDE])),
  ...Object.fromEntries(
    ['eval', 'exec', 'compile', '__import__', 'globals', 'locals', 'vars', 'dir'].map((name) => [
      name,
      'what it does is known only when it runs',
    ]),
  ),
  id: 'it is the address of an object',
  hash: 'for text it differs from run to run',
  setattr: 'object.name = value is compiled',
  delattr: 'attributes are not deleted in compiled code',
  bytes: 'bytes are not compiled',
  bytearray: 'bytes are not compiled',
  memoryview: 'bytes are not compiled',
  ord: 'characters are not compiled',
  chr: 'characters are not compiled',
  hex: 'text of numbers is not compiled',
  bin: 'text of numbers is not compiled',
  oct: 'text of numbers is not compiled',
  issubclass: 'isinstance() is compiled',
});

export function reasonForName(name: string): string {
  const reason = NAME_REASONS[name];
  return reason === undefined
    ? `the name '${name}' is not defined in this source`
    : `${name}() is not translated: ${reason}`;
}

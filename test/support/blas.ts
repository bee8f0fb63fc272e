/** The BLAS libraries that NumPy may have on this machine, each kernel of OpenBLAS for itself. */
import { spawnSync } from 'node:child_process';
import { findNewestNumPy, findPython } from './python.js';

/** What OPENBLAS_CORETYPE may name; what the library or the processor does not have falls out. */
const CORE_TYPES = [
  ...['Prescott', 'Core2', 'Nehalem', 'Sandybridge', 'Haswell', 'Zen', 'SkylakeX', 'Cooperlake', 'SapphireRapids'],
  ...['Bulldozer', 'ARMV8', 'NEOVERSEN1', 'NEOVERSEV1', 'THUNDERX2T99'],
];

/** Uses what the tests use: a kernel that the processor does not run ends it. */
const USE = `
import numpy as np
a = np.eye(9) * 10 + np.sin(np.arange(81.0)).reshape(9, 9)
print(np.__version__, a[0] @ a[1], (a @ a).sum(), np.linalg.det(a), np.linalg.cholesky(a @ a.T).sum())
`;

export interface BlasVariant {
  readonly title: string;
  readonly python: string;
  /** For OPENBLAS_CORETYPE; null: NumPy has another library than OpenBLAS. */
  readonly core: string | null;
}

/** Takes a fifth of a second for each kernel. */
export function blasVariants(): readonly BlasVariant[] {
  return [findPython('numpy', 'scipy'), findNewestNumPy()].flatMap(({ command }) =>
    command === null ? [] : variantsOf(command),
  );
}

function variantsOf(python: string): BlasVariant[] {
  const found = new Map<string, BlasVariant>();
  for (const core of CORE_TYPES) {
    const env = { ...process.env, OPENBLAS_VERBOSE: '2', OPENBLAS_CORETYPE: core };
    const run = spawnSync(python, ['-c', USE], { env, encoding: 'utf8', timeout: 20_000 });
    if (run.status !== 0) continue;
    const numpy = `NumPy ${run.stdout.split(' ')[0]}`;
    const used = /^Core: (\S+)$/m.exec(run.stdout + run.stderr)?.[1];
    if (used === undefined) return [{ title: `${numpy}, without OpenBLAS`, python, core: null }];
    if (!found.has(used)) found.set(used, { title: `${numpy}, OpenBLAS for ${used}`, python, core });
  }
  return [...found.values()];
}

/** Products and solutions that NumPy leaves to the library, of an array `x` of at least three numbers. */
export const BLAS_EXPRESSIONS: readonly string[] = [
  'np.dot(x, x)',
  'x @ np.arange(1.0, x.size + 1)',
  'np.inner(x, x[::-1])',
  'np.vdot(x, x)',
  'np.array([x[0], x[1]]).dot(np.array([1.0, x[2]]))',
  '(np.outer(x, x) @ x)[1]',
  'np.matmul(np.outer(x, x), np.outer(x, np.ones_like(x)))[0, 1]',
  "np.einsum('i,i->', x, x)",
  "np.einsum('ij,jk', np.outer(x, x), np.outer(x, x))[1, 0]",
  'np.tensordot(np.outer(x, x), x, axes=1)[1]',
  'np.linalg.norm(x)',
  'np.linalg.norm(np.outer(x, x))',
  'np.convolve(x, x[:3])[2]',
  'np.cov(np.vstack([x, x**2]))[0, 1]',
  'np.linalg.solve(np.outer(x, x) + 5 * np.eye(x.size), x)[0]',
  'np.linalg.inv(np.outer(x, x) + 5 * np.eye(x.size))[1, 0]',
  'np.linalg.det(np.outer(x, x) + 5 * np.eye(x.size))',
  'np.linalg.det((np.outer(x, x) + 5 * np.eye(x.size)) * 1e30)',
  'np.linalg.cholesky(np.outer(x, x) + 5 * np.eye(x.size))[1, 0]',
  'np.linalg.matrix_power(np.outer(x, x), 3)[0, 1]',
];

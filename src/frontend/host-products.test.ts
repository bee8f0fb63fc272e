import { expect, test } from 'vitest';
import { notesOnHostProducts } from './host-products.js';

const places = (code: string): string[] =>
  notesOnHostProducts(code).map(({ message, line, column }) => {
    const [, what] = /last bits of (.*?) are those of the host's BLAS/.exec(message) ?? [];
    return `${what} ${line}:${column}`;
  });

test('finds what NumPy leaves to the BLAS library, each function once, under any name', () => {
  const code = `import numpy as np
from numpy import vdot as v, linalg as la
from numpy.linalg import norm
import scipy.linalg
A = np.eye(3)
def f(x):
    y = A @ x
    y @= A
    n = norm(y) + la.det(A) + np.linalg.solve(A, x)[0]
    return v(x, x) + x.dot(y) + np.dot(x, y) + np.dot(x, x) + scipy.linalg.det(A) + n
`;
  expect(places(code)).toEqual([
    ...['@ 7:9', 'numpy.linalg.norm 9:9', 'numpy.linalg.det 9:19', 'numpy.linalg.solve 9:31'],
    ...['numpy.vdot 10:12', '.dot() 10:22', 'numpy.dot 10:33', 'scipy.linalg.det 10:63'],
  ]);
  expect(places('from numpy import *\ndef f(x):\n    return dot(x, x)\n')).toEqual(['numpy.dot 3:12']);
  expect(places('def f(x):\n    return x @ x\n')).toEqual(['@ 2:12']);
});

test.each([
  ['element-wise operations and sums', 'import numpy as np\ndef f(x):\n    return np.sum(x * x) + np.max(x)\n'],
  ['a function of its own', 'def dot(a, b):\n    return a[0] * b[0]\ndef f(x):\n    return dot(x, x)\n'],
  [
    'methods of its own classes',
    'class V:\n    def dot(self, o): return 1\n    def __matmul__(self, o): return 2\ndef f(x):\n    return V().dot(x) + (V() @ V()) + x[0]\n',
  ],
  ['decorators', '@staticmethod\ndef f(x):\n    return x[0]\n'],
  ['text', 'def f(x):\n    """np.dot(x, x) @ x"""\n    return x[0]\n'],
  ['what is no Python', 'def f(x: np.dot(\n'],
])('finds nothing in %s', (_what, code) => {
  expect(places(code)).toEqual([]);
});

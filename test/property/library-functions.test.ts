/** Functions of math, NumPy and SciPy, one expression each, against CPython and on every backend. */
import { describe, expect, test } from 'vitest';
import { compareBackends, compareWithCPython, type SmallProgram } from '../support/differential.js';
import { MATH, NUMPY, SCIPY, SIGNED, type Entry } from '../support/library-expressions.js';
import { findPython } from '../support/python.js';

const program = (imports: string, [expression, ulp = 4]: Entry): SmallProgram => ({
  name: expression,
  code: `${imports}def f(x):\n    a, b, c = x[0], x[1], x[2]\n    return ${expression}\n`,
  dimensions: [3],
  rows: [],
  raises: [],
  ulp,
  zerosAreOne: false,
  argument: null,
  isCompiled: true,
  extraPoints: [],
});

function agreement(title: string, imports: string, entries: readonly Entry[], ...modules: 'scipy'[]): void {
  const python = findPython('numpy', ...modules);
  const name = `${title} agrees with CPython${python.command === null ? ` (${python.reason})` : ''}`;
  test.skipIf(python.command === null)(name, async () => {
    const programs = entries.map((entry) => program(imports, entry));
    const { comparisons, wrong } = compareWithCPython(python.command ?? '', programs);
    expect(wrong).toEqual([]);
    expect(await compareBackends(comparisons)).toEqual([]);
  });
}

describe('library functions', () => {
  agreement('math', 'import math\n', MATH);
  agreement(
    'numpy',
    'import numpy as np\n',
    NUMPY.map(([expression, ulp]) => [`0.0 + (${expression})`, ulp]),
  );
  agreement('numpy with the sign of zero', 'import numpy as np\n', SIGNED);
  agreement('scipy', 'import numpy as np\nfrom scipy import special, stats\n', SCIPY, 'scipy');
});

/** Effects of import statements, as far as an interpreter tells them, and without one. */
import { describe, expect, test } from 'vitest';
import { interpret } from '../ir/interpreter.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import { LaneStatus } from '../ir/types.js';
import { interpreterFacts } from '../../test/support/interpreter-facts.js';
import { analyzeUpload, compileObjective } from './compile.js';

/** The value at `x`, or why it is not compiled. */
function valueOf(code: string, interpreter: InterpreterFacts | null, x = 3): number | string {
  const { source } = analyzeUpload(code, 'f', { interpreter });
  const { ir, reasons } = compileObjective(source!, { dimension: 1, pythonMinor: 11, interpreter });
  if (ir === null) return reasons[0].message;
  const { value, status } = interpret(ir, [x]);
  return status === LaneStatus.Ok ? value : `flagged ${status}`;
}

const MATH = ['sqrt', 'pi', 'cos'];
const asked = ['nosuch', 'trapz', 'trapezoid', 'sumprod', 'sqrt'];
const facts = interpreterFacts(
  {
    math: MATH,
    numba: 'ModuleNotFoundError',
    cupy: 'ModuleNotFoundError',
    nosuch: 'ModuleNotFoundError',
    ctypes: 'ImportError',
    broken: 'ImportError',
    pandas: ['DataFrame'],
    'pandas.nosuch': 'ModuleNotFoundError',
    numpy: ['sum', 'trapz'],
  },
  asked,
);

const guarded = (statement: string, clause = 'ImportError'): string =>
  `try:\n    ${statement}\n    HAVE = True\nexcept ${clause}:\n    HAVE = False\ndef f(x):\n    return 1.0 if HAVE else 2.0\n`;

describe('an import', () => {
  test.each([
    ['of a module that is not there', guarded('import numba'), 2],
    ['of one that is there', guarded('import pandas'), 1],
    [
      'under another name',
      'try:\n    import cupy as xp\nexcept ImportError:\n    xp = None\ndef f(x):\n    return 1.0 if xp is None else 2.0\n',
      1,
    ],
    ['of a submodule that is not there', guarded('import pandas.nosuch'), 2],
    ['of a name that is not there', guarded('from math import nosuch'), 2],
    ['of a name that later versions have', guarded('from math import sumprod'), 2],
    ['of a name that is there', guarded('from math import sqrt'), 1],
    [
      'of names, the second of which is not there',
      'try:\n    from math import sqrt, nosuch\nexcept ImportError:\n    pass\ndef f(x):\n    return sqrt(9.0)\n',
      3,
    ],
    ['that a clause for a class below ImportError takes', guarded('import numba', 'ModuleNotFoundError'), 2],
    ['that a general clause takes', guarded('import numba', 'Exception'), 2],
    ['of a module that objectives may not use', guarded('import ctypes'), 2],
    ['relative to a package', guarded('from . import helper'), 2],
    [
      'inside the function',
      'def f(x):\n    try:\n        import numba\n    except ImportError:\n        return 5.0\n    return 1.0\n',
      5,
    ],
    ['inside a branch', 'def f(x):\n    if x[0] > 0:\n        import nosuch\n    return 1.0\n', 'flagged 64'],
    ['of a name that NumPy had', 'import numpy as np\ndef f(x):\n    return 1.0 if hasattr(np, "trapz") else 2.0\n', 1],
    [
      'of a name that it has later',
      'import numpy as np\ndef f(x):\n    return 1.0 if hasattr(np, "trapezoid") else 2.0\n',
      2,
    ],
    [
      'of a member that is missing',
      'import numpy as np\ndef f(x):\n    try:\n        return np.trapezoid([1.0, 1.0])\n    except AttributeError:\n        return np.trapz([1.0, 1.0])\n',
      1,
    ],
    [
      'of a member by name',
      'import numpy as np\nfirst = getattr(np, "trapezoid", None)\ndef f(x):\n    return 2.0 if first is None else 1.0\n',
      2,
    ],
  ])('%s', (_what, code, expected) => {
    const value = valueOf(code, facts);
    if (typeof expected === 'string') expect(value).toMatch(/^flagged/);
    else expect(value).toBe(expected);
  });

  test('does not go on where CPython does not: at the top of the source, in the function', () => {
    expect(valueOf('import nosuch\ndef f(x):\n    return x[0]\n', facts)).toBe(
      'importing nosuch raises ModuleNotFoundError in this Python',
    );
    expect(valueOf('from math import nosuch\ndef f(x):\n    return x[0]\n', facts)).toBe(
      'importing nosuch from math raises ImportError in this Python',
    );
    expect(
      valueOf('try:\n    import nosuch\nexcept ValueError:\n    pass\ndef f(x):\n    return x[0]\n', facts),
    ).toMatch(/raises/);
    expect(valueOf('def f(x):\n    import nosuch\n    return x[0]\n', facts)).toMatch(/every evaluation raises/);
  });

  test('of which the interpreter was not asked is not guessed', () => {
    expect(valueOf('import unknown\ndef f(x):\n    return x[0]\n', facts)).toMatch(/was not asked/);
    expect(valueOf(guarded('import unknown'), facts)).toMatch(/was not asked/);
    expect(valueOf(guarded('from pandas import unheard'), facts)).toMatch(/is not known/);
  });
});

describe('a module inside of a package', () => {
  const module = { raises: null, has: [], lacks: [], parts: [] };
  const asked = {
    modules: {
      xml: { ...module, lacks: ['nosuch'], parts: ['dom', 'sax'] },
      'xml.dom': module,
      'xml.dom.minidom': module,
    },
  };
  const facts = { ...asked, key: 'xml' };
  const program = (imports: string, name = 'dom'): string =>
    `${imports}\ndef f(x):\n    try:\n        xml.${name}\n    except AttributeError:\n        return 2.0\n    return 1.0\n`;
  const has = (imports: string, name = 'dom'): string =>
    `${imports}\nHAVE = hasattr(xml, "${name}")\ndef f(x):\n    return 1.0 if HAVE else 2.0\n`;

  test('that the source imports is an attribute', () => {
    for (const imports of ['import xml\nimport xml.dom', 'import xml.dom.minidom', 'import xml\nfrom xml import dom'])
      expect(valueOf(has(imports), facts)).toBe(1);
  });

  test('that others may import is not known to be one', () => {
    expect(valueOf(has('import xml'), facts)).toMatch(/is not known/);
    expect(valueOf(program('import xml'), facts)).toMatch(/is not known/);
    expect(valueOf(has('import xml\nimport xml.dom', 'sax'), facts)).toMatch(/is not known/);
  });

  test('in vain: what is none is missing', () => {
    expect(valueOf(has('import xml', 'nosuch'), facts)).toBe(2);
    expect(valueOf(program('import xml\nimport xml.dom', 'nosuch'), facts)).toBe(2);
  });
});

describe('without an interpreter', () => {
  test('compiled code stands for the standard library, NumPy and SciPy', () => {
    expect(valueOf('import math, os\nfrom typing import List\ndef f(x):\n    return math.sqrt(9.0)\n', null)).toBe(3);
    expect(
      valueOf('import numpy as np\nfrom scipy.optimize import minimize\ndef f(x):\n    return np.sum(x)\n', null),
    ).toBe(3);
    expect(valueOf(guarded('import numpy'), null)).toBe(1);
  });

  test('what only an interpreter knows is refused', () => {
    for (const statement of [
      'import numba',
      'from math import nosuch',
      'from math import sumprod',
      'from numpy import trapz',
    ]) {
      expect(valueOf(guarded(statement), null)).toMatch(/not known|none to ask/);
      expect(valueOf(`${statement}\ndef f(x):\n    return x[0]\n`, null)).toMatch(/not known|none to ask/);
    }
    expect(valueOf('import numpy as np\ndef f(x):\n    return 1.0 if hasattr(np, "trapz") else 2.0\n', null)).toMatch(
      /not known/,
    );
  });
});

describe('where the interpreter has no NumPy', () => {
  const bare = interpreterFacts({ numpy: 'ModuleNotFoundError', 'numpy.linalg': 'ModuleNotFoundError' });
  test('compiled code stands for it', () => {
    expect(valueOf('import numpy as np\ndef f(x):\n    return np.sum(x)\n', bare)).toBe(3);
    expect(valueOf('from numpy import sum, pi\ndef f(x):\n    return sum(x)\n', bare)).toBe(3);
  });

  test('but not where the source reckons with that', () => {
    expect(valueOf(guarded('import numpy'), bare)).toMatch(/reckons with that/);
    expect(
      valueOf(
        'def f(x):\n    try:\n        import numpy\n    except ImportError:\n        return 1.0\n    return 2.0\n',
        bare,
      ),
    ).toMatch(/reckons with that/);
  });
});

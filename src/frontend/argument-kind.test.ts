import { describe, expect, test } from 'vitest';
import { analyzeUpload } from './compile.js';

const kindOf = (code: string, name = 'f'): string | undefined => analyzeUpload(code, name).source?.argument;
/** Lines of the body of `def f(x)`. */
const body = (...lines: readonly string[]): string =>
  ['def f(x):', ...lines.map((line) => `    ${line}`), ''].join('\n');

describe('a NumPy array', () => {
  test.each([
    ['NumPy is imported', 'import numpy as np\ndef f(x):\n    return x[0]\n'],
    [
      'NumPy is imported in a branch',
      'try:\n    import numpy.linalg\nexcept ImportError:\n    pass\ndef f(x):\n    return x[0]\n',
    ],
    ['NumPy is imported inside', body('from numpy import sin', 'return sin(x[0])')],
    ['a power', body('return sum(x ** 2)')],
    ['a method', body('return x.sum()')],
    ['a difference', body('return sum(abs(v) for v in x - 1)')],
    ['a product with a float', body('y = x * 2.0', 'return y[0]')],
    ['a sum with a number', body('return sum(x + 1)')],
    ['a quotient from the other side', body('return sum(1 / x)')],
    ['a matrix product', 'A = [[1.0]]\n' + body('return x @ x')],
    ['unary minus', body('return sum(-x)')],
    ['another name', body('y = x', 'return sum(y ** 2)')],
    ['a chain of names', body('a = b = x', 'c = b', 'return sum(c * c)')],
    ['one of several names', body('n, y = len(x), x', 'return sum(y ** 2) / n')],
    ['a name of a conditional', body('y = x if len(x) > 1 else [1.0]', 'return sum(y ** 2)')],
    ['a walrus', body('return sum((y := x) ** 2) + y[0]')],
    ['before it is bound again', body('s = sum(x ** 2)', 'x = x[0]', 'return s + x')],
    ['behind a branch that binds it again', body('if len(x) > 9:', '    x = [1.0]', 'return sum(x ** 2)')],
    ['in one branch', body('if x[0] > 0:', '    return sum(x ** 2)', 'return x[0]')],
    [
      'in a loop that binds it again later',
      body('for k in range(2):', '    s = sum(x ** 2)', '    x = [s]', 'return s'),
    ],
    ['behind a loop whose body may never run', body('for x in range(len(x), 0):', '    pass', 'return sum(x ** 2)')],
    ['in an except clause', body('try:', '    y = x[5]', 'except IndexError:', '    y = sum(x ** 2)', 'return y')],
    ['in an inner function', body('def g():', '    return sum(x ** 2)', 'return g()')],
    ['in an inner lambda', body('g = lambda a: sum(a * x - 1.0)', 'return g(2.0)')],
    ['in a comprehension', body('return sum(v for v in [sum(x ** 2) for k in range(3)])')],
    ['in place', body('x -= 1', 'return x[0]')],
    ['in place, with a float', body('x *= 2.0', 'return x[0]')],
    ['a helper', 'def g(v):\n    return sum(v ** 2)\n' + body('return g(x)')],
    ['a helper, by keyword', 'def g(a, v):\n    return sum(v ** a)\n' + body('return g(2, v=x)')],
    ['a helper behind a helper', 'g = lambda v: sum(v ** 2)\ndef h(w):\n    return g(w)\n' + body('return h(x)')],
    ['an inner helper', body('def g(v):', '    return sum(v ** 2)', 'return g(x)')],
    ['a slice', body('return sum((x[1:] - x[:-1]) ** 2)')],
    ['products of slices', body('return sum(x[1:] * x[:-1])')],
    ['a name of a slice', body('y = x[1:]', 'return sum(y ** 2)')],
    ['a match', body('match x:', '    case y:', '        return sum(y ** 2)')],
    ['an expression', '(x - 1) @ (x - 1)'],
    ['a lambda', 'lambda v: (v ** 2).sum()'],
    [
      'where it is no float',
      body('if isinstance(x, float):', '    x = [x]', 'else:', '    x = x * 1.0', 'return sum(x)'),
    ],
  ])('%s', (_what, code) => {
    expect(kindOf(code)).toBe('ndarray');
  });
});

describe('a list', () => {
  test.each([
    ['elements', body('return sum(v * v for v in x)')],
    ['an element under its name', body('x = x[0]', 'return x ** 2 if type(x) is float else -1.0')],
    ['coordinates, one of them under its name', body('x, y = x', 'return y / x')],
    ['coordinates in brackets', body('[x, *y] = x', 'return x ** 2 - len(y)')],
    ['coordinates under other names', body('a, b = x', 'return a ** 2 - b')],
    ['the variable of a loop', body('s = 0.0', 'for x in x:', '    s += x ** 2', 'return s')],
    [
      'the variable of a loop over pairs',
      body('s = 0.0', 'for i, x in enumerate(x):', '    s += x ** 2 - i', 'return s'),
    ],
    ['the variable of a comprehension', body('return sum([x ** 2 for x in x])')],
    ['the variable of a generator', body('return sum(x ** 2 - 1 for x in x if x - 1 > 0)')],
    ['the variable of a dictionary', body('return len({x: x ** 2 for x in x})')],
    ['a parameter of a lambda', body('g = lambda x: x ** 2', 'return sum(g(v) for v in x)')],
    ['a parameter of an inner function', body('def g(x):', '    return x ** 2', 'return g(x[0]) + g(x[1])')],
    ['a name of an inner function', body('def g():', '    x = 3.0', '    return x ** 2', 'return g() + x[0]')],
    ['a parameter of a helper', 'def g(x):\n    return x ** 2\n' + body('return g(x[0])')],
    ['a helper of elements', 'def g(v):\n    return v ** 2\n' + body('return sum(map(g, x))')],
    ['a helper that is bound again', 'def g(v):\n    return v ** 2\ng = len\n' + body('return g(x)')],
    ['a helper under the name of a local', 'def g(v):\n    return v ** 2\n' + body('g = len', 'return g(x)')],
    ['a helper that is handed an element of it', 'def g(v):\n    v = v[0]\n    return v ** 2\n' + body('return g(x)')],
    ['a number on every way', body('if len(x) > 1:', '    x = x[0]', 'else:', '    x = 1.0', 'return x ** 2')],
    ['a number behind the way that returns', body('if len(x) > 1:', '    return x[1]', 'x = x[0]', 'return x ** 2')],
    ['a number in both clauses', body('try:', '    x = x[0]', 'except IndexError:', '    x = 1.0', 'return x ** 2')],
    ['a number from with', body('with open("a") as x:', '    return x ** 2')],
    ['a number that is caught', body('try:', '    y = x[0]', 'except ValueError as x:', '    y = x ** 2', 'return y')],
    ['a number that is matched', body('match x:', '    case [x, y]:', '        return x ** 2 - y', 'return 0.0')],
    ['a number by walrus', body('if (x := x[0]) > 1:', '    return x ** 2', 'return x - 1')],
    ['a number by annotation', body('x: float = x[0]', 'return x ** 2')],
    ['a repeated list', body('y = x * 2', 'return y[0]')],
    ['a longer list', body('return sum(x + [1.0])')],
    ['a closed list', body('y = x + x[:1]', 'return y[-1]')],
    ['a turned list', body('y = x[1:] + x[:1]', 'return y[-1]')],
    ['a list made of it', body('y = list(x) + x', 'return y[-1]')],
    ['an extended list', body('x += [1.0]', 'return x[-1]')],
    ['text', body('y = "%s" % x', 'return float(len(x))')],
    ['where it is a float', body('if isinstance(x, (int, float)):', '    return x ** 2', 'return x[0]')],
    ['a number where it is one', body('return x ** 2 if isinstance(x, float) else x[0]')],
    ['the argument of a star', 'def f(*x):\n    return x[0][0] ** 2\n'],
    ['a function that shares its name', body('def x():', '    return 1', 'return x ** 2')],
    ['a module that shares its name', body('y = x[0]', 'import math as x', 'return x.pi ** 2 + y')],
  ])('%s', (_what, code) => {
    expect(kindOf(code)).toBe('list');
  });

  test('loops in loops in loops are looked into for a bounded time', () => {
    const lines = Array.from({ length: 19 }, (_, k) => `${'    '.repeat(k)}for a${k + 1} in a${k}s:`);
    const inner = '    '.repeat(19);
    const dels = Array.from({ length: 19 }, (_, k) => `${inner}b${k + 1} = b${k}`);
    const code = body(
      'a0s = [1]',
      'b0 = x',
      ...lines,
      ...dels,
      `${inner}del ${dels.map((_, k) => `b${k + 1}`).join()}`,
    );
    expect(kindOf(code)).toBe('list');
  });
});

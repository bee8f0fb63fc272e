/** `try` and what raises. */
import { any, bool, num, sequence, text, vectorName } from './expressions.js';
import { returnStatement, statement, statements } from './statements.js';
import type { Writer } from './writer.js';

const NAMED = [
  ...['ZeroDivisionError', 'TypeError', 'ValueError', 'KeyError', 'IndexError', 'AttributeError', 'NameError'],
  ...['OverflowError', 'ArithmeticError', 'LookupError', 'Exception', 'RuntimeError', 'StopIteration'],
  ...['UnboundLocalError', 'AssertionError', 'NotImplementedError', 'FloatingPointError', 'BaseException'],
];

/** Expressions of which most raise, always or at some points. */
function raisingExpression(w: Writer): string {
  const n = num(w, 0);
  const x = vectorName(w) ?? '(1.0,)';
  return w.choose([
    [2, () => `1.0 / ${n}`],
    [1, () => `${n} // ${w.pick(['0', 'int(' + n + ')'])}`],
    [1, () => `${n} % ${w.pick(['0', '0.0', n])}`],
    [1.5, () => `${x}[${w.pick(['5', '10', '-7', `int(${n})`])}]`],
    [1, () => `[1.0, 2.0][int(${n})]`],
    [1, () => `[1.0, 2.0][${n}]`],
    [1.5, () => `{"a": 1.0}[${w.pick(['"b"', '"a"', text(w, 1)])}]`],
    [1, () => `{0: 1.0, 1: 2.0}[int(${n})]`],
    [
      1,
      () =>
        `math.${w.pick(['sqrt', 'log'])}(${w.pick(['-1', n, '0'])})`.replace(/math\.log\(([^)]*)\)/, 'math.sqrt($1)'),
    ],
    [1, () => `float(${w.pick(['"a"', '""', '[]', 'None', '"1.5"', '(1,)'])})`],
    [1, () => `int(${w.pick(['"a"', '"1.5"', 'None', '[1]', 'float("nan")', 'float("inf")', '"3"'])})`],
    [1, () => `${n} + ${w.pick(['None', '"a"', '[1]', '(1,)'])}`],
    [1, () => `${w.pick(['None', '"a"', '[1]', '{}'])} ${w.pick(['*', '<', '-', '/'])} ${n}`],
    [1, () => `${w.pick(['len', 'sum', 'list', 'max', 'sorted', 'iter', 'tuple', 'set', 'min'])}(${n})`],
    [0.7, () => `${w.pick(['abs', 'round', 'float', 'int'])}(${w.pick(['None', '"a"', '[1.0]'])})`],
    [0.7, () => `${w.pick(['max', 'min'])}(${w.pick(['[]', '()', '""'])})`],
    [0.7, () => `[v for v in ${x} if v > 1e9][0]`],
    [0.7, () => `[].${w.pick(['pop()', 'index(1)', 'remove(1)'])}`],
    [0.5, () => `[].append()`],
    [0.7, () => `next(iter(${w.pick(['[]', '()', `[v for v in ${x} if v > 0]`])}))`],
    [0.7, () => `(1.0).${w.pick(['foo', 'append(1)', 'real', 'is_integer()', 'upper()'])}`],
    [0.7, () => `None.${w.pick(['x', 'get("a")', 'append(1)'])}`],
    [0.7, () => `"abc".${w.pick(['foo()', 'index("z")', 'find("z")', 'append("d")'])}`],
    [0.7, () => w.pick(['nosuch', 'nosuch(1)', 'nosuch.attr', 'math.nosuch', 'math.nosuch(1.0)'])],
    [0.7, () => `sum([${n}, ${w.pick(['None', '"a"', '[1]'])}])`],
    [0.5, () => `(1, 2)[${w.pick(['2', '"a"', '1.0', 'None', '-3', 'True'])}]`],
    [0.5, () => `"abc"[${w.pick(['3', 'int(' + n + ')', '"a"', '-1'])}]`],
    [0.5, () => `10.0 ** ${w.pick(['400', '308', 'int(' + n + ') * 200'])}`],
    [0.5, () => `0.0 ** ${w.pick(['-1', '-0.5', n])}`],
    [0.5, () => `${n}(${n})`],
    [0.5, () => `${n}[0]`],
    [0.4, () => `abs(${n}, 2)`],
    [0.4, () => `len()`],
    [0.4, () => `math.floor(float(${w.pick(['"nan"', '"inf"'])}))`],
    [0.4, () => `round(float(${w.pick(['"nan"', '"inf"'])}))`],
    [0.4, () => `range(${w.pick(['1.5', n, '"a"', '0, 3, 0'])})`],
    [0.4, () => `[1.0] * ${n}`],
    [0.4, () => `{}[[]]`],
    [0.4, () => `{[1]: 2}`],
    [0.4, () => `{${n}: 1.0}[${n}]`],
    [0.4, () => `dict(${w.pick(['1', '[1]', '["ab"]', '[(1, 2)]'])})`],
    [0.4, () => `isinstance(${n}, 1)`],
    [0.3, () => `int(1e400)`],
    [
      0.3,
      () =>
        `math.${w.pick(['factorial(-1)', 'factorial(3)', 'gcd(1.5, 2)', 'exp(1000)', 'acos(2)', 'comb(-1, 2)', 'fmod(1.0, 0.0)'])}`,
    ],
    [0.3, () => `(lambda a, b: a + b)(${n})`],
    [0.3, () => `(lambda: 1.0)(${n})`],
    [0.3, () => `zip(${x}, ${n})`],
    [0.3, () => `[a for a, b in ${x}]`],
    [0.3, () => `sum(v[0] for v in ${x})`],
    [0.3, () => `sorted([1, "a", ${n}])`],
    [0.3, () => `min(${n}, None)`],
    [0.3, () => `1 << ${w.pick(['-1', 'int(' + n + ')'])}`],
    [0.3, () => `${n} & 1`],
    [0.3, () => `~${n}`],
    [0.3, () => `${n} in ${n}`],
    [0.3, () => `"%d" % ${w.pick(['"a"', n, '(1, 2)'])}`],
    [0.3, () => `f"{${n}:d}"`],
    [0.3, () => `"{}".format()`],
    [w.if('any', 2), () => `${any(w, 1)} + 1.0`],
    [w.if('any', 1), () => `len(${any(w, 1)})`],
    [w.if('any', 1), () => `float(${any(w, 1)})`],
    [w.if('any', 0.6), () => `${any(w, 1)}[0]`],
    [w.if('any', 0.6), () => `abs(${any(w, 1)})`],
    [w.if('any', 0.4), () => `math.sqrt(${any(w, 1)})`],
    [w.if('any', 0.4), () => `-${any(w, 1)}`],
    [w.if('any', 0.4), () => `sum(${any(w, 1)})`],
    [w.usesNumPy ? 5 : 0, () => raisingArrays(w)],
  ]);
}

function raisingArrays(w: Writer): string {
  return w.pick([
    ...['np.sum(x, axis=1)', 'np.sum(x[0], axis=0)', 'np.max(x[:0])', 'np.sum(x @ 2)', 'np.expand_dims(x, 5)'],
    ...[
      'x.reshape(7)',
      'x.reshape(-1, 2)',
      'x + np.ones(7)',
      'x[7]',
      'x["a"]',
      'np.zeros(3)[3]',
      'np.ones((2, 2))[0, 2]',
    ],
    ...['x[x[0]]', 'np.array([1, "a"]) + 1', 'np.concatenate([])', 'np.stack([x, np.ones(7)])', 'np.zeros(-1)'],
    ...[
      'np.nosuch',
      'np.argmin([])',
      'x.nosuch',
      'np.array([[1, 2], [3]], dtype=float)',
      'x.sum(axis=2)',
      'np.sum(x[0], axis=-1)',
    ],
    ...['float(np.ones(2))', 'bool(np.ones(2))', 'int(np.array([]))', 'np.mean(x[0], axis=0)', 'np.cumsum(x, axis=1)'],
    ...[
      'np.linspace(0, 1, -1)',
      'np.eye(2)[2]',
      'np.dot(np.ones(2), np.ones(3))',
      'np.ones(2) @ np.ones(3)',
      'x.item(9)',
    ],
    ...[
      'np.int64(3) // 0',
      'np.float64(1.0) / 0',
      'x[0] / 0',
      'np.array([1, 2]) ** -1',
      '(x > 0) - (x > 1)',
      '-(x > 0)',
    ],
    ...[
      'np.full(2, None) + 1',
      'np.clip(x)',
      'np.where(x)',
      'np.diff(x, n=-1)',
      'np.split(x, 7)',
      'np.array(x, dtype="nosuch")',
    ],
  ]);
}

export function raisingStatement(w: Writer): void {
  const own = w.exceptions.length > 0 ? w.pick(w.exceptions) : 'ValueError';
  w.choose([
    [
      3,
      () => {
        const name = w.name('num');
        w.line(`${name} = ${raisingExpression(w)}`);
        w.bind({ name, kind: 'any' });
      },
    ],
    [
      2,
      () =>
        w.block(`if ${bool(w, 1)}:`, () =>
          w.line(
            `raise ${w.pick([own, `${own}("bad")`, 'ValueError', 'KeyError("k")', 'RuntimeError("no")', 'ArithmeticError', 'IndexError()', 'StopIteration', 'TypeError("t") from None'])}`,
          ),
        ),
    ],
    [1, () => w.line(`assert ${bool(w, 1)}`)],
    [0.7, () => w.line(`a, b = ${w.pick(['[1.0]', 'x', '(1.0, 2.0, 3.0)', num(w, 0), '"ab"', sequence(w, 1)])}`)],
    [0.5, () => w.line(`del ${w.pick(['nosuch', '{}["a"]', '[][0]'])}`)],
    [0.5, () => w.line(raisingExpression(w))],
    [0.3, () => w.line(`${w.pick(['(1, 2)[0] = 3', '"abc"[0] = "d"', '[][0] = 1', 'None.a = 1', '(1.0).b = 2'])}`)],
    [0.3, () => w.line(`raise ${w.pick(['1', '"text"', 'None', 'int', 'NotImplemented'])}`)],
    [
      0.3,
      () =>
        w.block(`for a, b in ${w.pick(['x', '[(1, 2, 3)]', '[1]', '{"ab": 1}', '{"a": 1}'])}:`, () => w.line('pass')),
    ],
    [0.3, () => w.block(`for v in ${num(w, 0)}:`, () => w.line('pass'))],
    [0.2, () => w.block(`with ${num(w, 0)}:`, () => w.line('pass'))],
  ]);
}

export function tryStatement(w: Writer, d: number): void {
  const inFunction = w.inFunction > 0;
  const leave = (): void => {
    if (inFunction && w.chance(0.6)) returnStatement(w);
    else statements(w, 1, d - 1);
  };
  w.block('try:', () => {
    if (w.chance(0.3)) statement(w, d - 1);
    w.choose([
      [5, () => raisingStatement(w)],
      [2, () => (inFunction ? w.line(`return ${raisingExpression(w)}`) : raisingStatement(w))],
      [
        1.5,
        () => {
          const name = w.name('num');
          w.line(`${name} = ${num(w, 2)}`);
          w.bind({ name, kind: 'num' });
        },
      ],
      [d > 1 ? 1.2 : 0, () => tryStatement(w, d - 1)],
    ]);
    if (w.chance(0.25)) statement(w, d - 1);
  });
  const onlyFinally = w.chance(0.06);
  if (!onlyFinally) {
    const count = w.chance(0.08) ? 8 + w.below(8) : 1 + w.below(3);
    const used = new Set<string>();
    for (let k = 0; k < count; k++) {
      const name = w.exceptions.length > 0 && w.chance(0.3) ? w.pick(w.exceptions) : w.pick(NAMED);
      if (used.has(name)) continue;
      used.add(name);
      const bound = w.chance(0.25) ? w.fresh('e') : null;
      const clause = w.chance(0.2) ? `(${name}, ${w.pick(NAMED)})` : name;
      w.block(`except ${clause}${bound === null ? '' : ` as ${bound}`}:`, () => handler(w, d, bound, leave));
    }
    if (w.chance(0.12)) w.block('except:', leave);
    if (w.chance(0.2)) w.block('else:', leave);
  }
  if (onlyFinally || w.chance(0.2)) {
    w.block('finally:', () => (w.chance(0.1) ? leave() : statement(w, 0)));
  }
}

function handler(w: Writer, d: number, bound: string | null, leave: () => void): void {
  w.choose([
    [6, leave],
    [0.7, () => w.line('raise')],
    [
      0.6,
      () =>
        w.line(
          `raise ${w.pick(['ValueError("again")', 'RuntimeError', 'KeyError("x")', 'TypeError()'])}${bound === null ? w.pick(['', ' from None']) : ` from ${bound}`}`,
        ),
    ],
    [1.5, () => statements(w, 1, d - 1)],
    [
      bound === null ? 0 : 1,
      () => {
        const name = w.name('num');
        w.line(
          `${name} = ${w.pick([`1.0 if isinstance(${bound}, ${w.pick(NAMED)}) else 2.0`, `len(${bound}.args)`, `len(str(${bound}))`, `float(type(${bound}) is ${w.pick(NAMED)})`, `1.0 if ${bound} else 0.0`, `len(type(${bound}).__name__)`])}`,
        );
        w.bind({ name, kind: 'num' });
      },
    ],
    [0.4, () => w.line('pass')],
  ]);
}

/** Statements and expressions with arrays. Sums, products and comparisons are exact; what is not says so. */
import { bool, num } from './expressions.js';
import type { Writer } from './writer.js';

const arrayOf = (w: Writer): string => w.find('array', 'vector')?.name ?? 'np.array([1.0, -2.0, 0.5])';

/** An array of one axis, mostly as long as x. */
export function array(w: Writer, d = 1): string {
  if (d <= 0) return arrayOf(w);
  const e = (): string => array(w, d - 1);
  return w.choose([
    [3, () => arrayOf(w)],
    [4, () => `(${e()} ${w.pick(['+', '-', '*', '*'])} ${w.chance(0.5) ? e() : num(w, 0)})`],
    [1, () => `(${num(w, 0)} ${w.pick(['-', '*', '+'])} ${e()})`],
    [1, () => `${w.chance(0.5) ? arrayOf(w) : `(${e()})`} ** 2`],
    [
      1,
      () =>
        `np.${w.pick(['abs', 'floor', 'ceil', 'sign', 'square', 'trunc', 'rint', 'negative', 'fabs', 'round'])}(${e()})`,
    ],
    [0.7, () => `np.sqrt(np.abs(${e()}))`],
    [1, () => `np.${w.pick(['maximum', 'minimum', 'fmax', 'fmin'])}(${e()}, ${w.chance(0.5) ? num(w, 0) : e()})`],
    [0.7, () => `np.clip(${e()}, ${w.pick(['-1', '0', '-2.5'])}, ${w.pick(['1', '2', '3.5', 'None'])})`],
    [1, () => `np.where(${e()} ${w.pick(['>', '<', '>=', '=='])} ${num(w, 0)}, ${e()}, ${num(w, 0)})`],
    [0.7, () => `${arrayOf(w)}[${w.pick(['::-1', '1:', ':-1', ':2', '::2', ':', '...'])}]`],
    [0.6, () => `${arrayOf(w)}[${arrayOf(w)} ${w.pick(['>', '<='])} ${w.pick(['0', '1.0', '-1'])}]`],
    [0.6, () => `np.${w.pick(['sort', 'cumsum', 'flip', 'copy', 'cumprod', 'asarray', 'array', 'ravel'])}(${e()})`],
    [0.4, () => `np.${w.pick(['roll', 'tile', 'repeat', 'append'])}(${arrayOf(w)}, ${w.pick(['1', '2'])})`],
    [0.4, () => `np.concatenate([${e()}, ${e()}])`],
    [
      0.5,
      () =>
        `np.${w.pick(['zeros', 'ones', 'arange'])}(${w.pick(['len(x)', '3', 'x.size', '2'])}${w.pick(['', ', dtype=int', ', dtype=float'])})`,
    ],
    [
      0.4,
      () =>
        `np.${w.pick(['zeros_like', 'ones_like', 'full_like'])}(${arrayOf(w)}${'X'})`
          .replace(/full_like\((\w+)X/, 'full_like($1, 2.5')
          .replace('X)', ')'),
    ],
    [0.4, () => `np.linspace(${w.pick(['0', '-1'])}, ${w.pick(['1', '2'])}, ${w.pick(['3', 'len(x)', '5'])})`],
    [0.5, () => `np.array([${num(w, 0)}, ${num(w, 0)}, ${w.pick(['1', '2.5', 'True'])}])`],
    [0.4, () => `np.array([${w.pick(['1, 2', '1, 2, 3', 'True, False', '1.5, 2', '0, -1'])}])`],
    [0.4, () => `np.diff(${e()})`],
    [
      0.4,
      () =>
        `(${arrayOf(w)} > ${num(w, 0)}) ${w.pick(['* 1.0', '& (x < 2)', '| (x > 3)', '* x', '+ 1'])}`.replace(
          /^(.*)$/,
          '($1)',
        ),
    ],
    [
      0.4,
      () =>
        `${arrayOf(w)}.astype(${w.pick(['int', 'float', 'np.float64', 'np.int64', 'bool', '"int32"', 'np.float32'])})`,
    ],
    [0.4, () => `(${e()} ${w.pick(['//', '%'])} ${w.pick(['2', '1.5', '3', '-2'])})`],
    [0.3, () => `${arrayOf(w)} / ${w.pick(['2', num(w, 0), arrayOf(w)])}`.replace(/^(.*)$/, '($1)')],
    [0.3, () => `np.array([v * 2 for v in ${arrayOf(w)}])`],
    [0.3, () => `${matrix(w)}[${w.pick(['0', ':, 0', '-1', ':, -1', '1, :'])}]`],
    [0.3, () => `${matrix(w)}.${w.pick(['sum', 'max', 'min', 'mean', 'prod'])}(axis=${w.pick(['0', '1', '-1'])})`],
    [0.2, () => `-${arrayOf(w)}`],
    [0.2, () => `np.${w.pick(['isnan', 'isfinite', 'signbit', 'logical_not'])}(${e()}) * 1`],
    [0.2, () => `np.unique(${e()})`],
  ]);
}

export function matrix(w: Writer): string {
  const known = w.find('matrix');
  if (known !== null && w.chance(0.5)) return known.name;
  return w.choose([
    [2, () => `np.array([[${num(w, 0)}, 1.0], [2.0, ${num(w, 0)}]])`],
    [1, () => `np.outer(${arrayOf(w)}, ${arrayOf(w)})`],
    [1, () => `${arrayOf(w)}.reshape(${w.pick(['-1, 1', '1, -1', '(1, -1)'])})`],
    [1, () => `${arrayOf(w)}[${w.pick(['None, :', ':, None', ':, np.newaxis'])}]`],
    [1, () => `np.arange(6${w.pick(['', '.0'])}).reshape(${w.pick(['2, 3', '3, 2'])})`],
    [1, () => `np.${w.pick(['stack', 'vstack', 'column_stack', 'array'])}([${arrayOf(w)}, ${arrayOf(w)}])`],
    [0.6, () => `np.eye(${w.pick(['2', 'len(x)'])}) * ${num(w, 0)}`],
    [0.5, () => `np.diag(${arrayOf(w)})`],
    [0.5, () => `(${arrayOf(w)}[:, None] - ${arrayOf(w)}[None, :])`],
    [0.5, () => `np.${w.pick(['tril', 'triu', 'transpose'])}(np.outer(x, x))`],
  ]);
}

/** A scalar made of arrays; may be an np.float64, an np.int64 or an np.bool_. */
export function scalar(w: Writer, d = 1): string {
  const a = (): string => array(w, d);
  return w.choose([
    [6, () => `np.sum(${a()})`],
    [
      2,
      () =>
        `${arrayOf(w)}.${w.pick(['sum', 'max', 'min', 'prod', 'mean', 'argmin', 'argmax', 'var', 'ptp', 'any', 'all'])}()`,
    ],
    [
      2,
      () =>
        `np.${w.pick(['max', 'min', 'prod', 'mean', 'var', 'std', 'argmax', 'argmin', 'amax', 'median', 'count_nonzero', 'any', 'all', 'nansum', 'ptp'])}(${a()})`,
    ],
    [
      1,
      () =>
        `np.sum(${matrix(w)}${w.pick(['', ', axis=0)[0', ', axis=1)[-1', ', axis=None'])})`.replace(
          /\)\[(-?\d)\)$/,
          ')[$1]',
        ),
    ],
    [1, () => `${arrayOf(w)}[${w.pick(['0', '-1', 'int(abs(x[0])) % len(x)'])}]`],
    [0.7, () => `np.${w.pick(['max', 'min', 'sum'])}(${a()}, initial=${w.pick(['0', '2.5', '-1'])})`],
    [0.5, () => `${matrix(w)}[${w.pick(['0, 0', '-1, -1', '0][0'])}]`],
    [0.7, () => `len(${a()})`],
    [0.5, () => `${matrix(w)}.shape[${w.below(2)}]`],
    [0.5, () => `${a()}.${w.pick(['size', 'ndim', 'shape[0]'])}`],
    [
      0.5,
      () =>
        `float(np.${w.pick(['all', 'any', 'allclose', 'array_equal'])}(${a()}${'X'}))`
          .replace(/(allclose|array_equal)\((.*)X\)\)$/, '$1($2, x))')
          .replace('X))', '))'),
    ],
    [0.4, () => `np.trace(${matrix(w)})`],
    [0.5, () => `sum(${a()})`],
    [0.4, () => `np.abs(${num(w, 0)})`],
    [0.3, () => `np.where(${bool(w, 1)}, ${num(w, 0)}, ${num(w, 0)})`],
    [0.3, () => `np.float64(${num(w, 0)})`],
    [0.3, () => `np.int64(${w.pick(['3', '-2', 'int(x[0])'])}) ${w.pick(['// 2', '/ 2', '* 2.5', '% 3', '** 2'])}`],
    [0.3, () => `np.sum(x > 0)`],
    [0.3, () => `np.array([1, 2, 3])[${w.pick(['0', 'np.argmax(x) % 3', '-1'])}]`],
    [0.3, () => inexact(w, `np.dot(${arrayOf(w)}, ${arrayOf(w)})`)],
    [0.2, () => inexact(w, `(${arrayOf(w)} @ ${arrayOf(w)})`)],
    [0.2, () => inexact(w, `np.linalg.norm(${arrayOf(w)})`)],
  ]);
}

function inexact(w: Writer, text: string): string {
  w.isExact = false;
  return text;
}

export function numpyStatement(w: Writer): void {
  const target = w.find('array');
  w.choose([
    [
      3,
      () => {
        const [value, name] = [array(w, 2), w.name('array')];
        w.line(`${name} = ${value}`);
        w.bind({ name, kind: 'array' });
      },
    ],
    [
      3,
      () => {
        const [value, name] = [scalar(w, 2), w.name('num')];
        w.line(`${name} = ${value}`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        const [value, name] = [matrix(w), w.name('matrix')];
        w.line(`${name} = ${value}`);
        w.bind({ name, kind: 'matrix' });
      },
    ],
    [
      2.5,
      () => {
        const a = target?.name ?? 'x';
        w.line(
          w.choose([
            [
              2,
              () =>
                `${a}[${w.pick(['0', '-1', ':1', '1:', ':', '::2', `${a} > 0`, `${a} < 0`, '[0, -1]', 'np.array([0])'])}] ${w.pick(['=', '+=', '*=', '-='])} ${num(w, 1)}`,
            ],
            [1, () => `${a} ${w.pick(['+=', '-=', '*='])} ${w.chance(0.5) ? num(w, 0) : array(w, 1)}`],
            [0.5, () => `${a}[:] = ${array(w, 1)}`],
            [0.4, () => `${a}.sort()`],
            [0.3, () => `${a}.fill(${num(w, 0)})`],
            [0.3, () => `np.${w.pick(['add', 'multiply', 'maximum'])}(${a}, ${num(w, 0)}, out=${a})`],
          ]),
        );
      },
    ],
    [
      1.5,
      () => {
        const name = w.name('array');
        w.line(
          `${name} = ${arrayOf(w)}${w.pick(['', '[:]', '[1:]', '[::-1]', '.copy()', '.T', '.ravel()', '.reshape(-1)', '.flatten()'])}`,
        );
        w.bind({ name, kind: 'array' });
        w.line(`${name}[${w.pick(['0', ':', '-1'])}] ${w.pick(['=', '+='])} ${num(w, 0)}`);
      },
    ],
    [
      0.7,
      () => {
        const name = w.name('matrix');
        w.line(`${name} = np.zeros((2, ${w.pick(['2', '3'])})${w.pick(['', ', dtype=int'])})`);
        w.line(`${name}[${w.pick(['0', ':, 0', '0, 1', '1, :'])}] ${w.pick(['=', '+='])} ${num(w, 1)}`);
        w.bind({ name, kind: 'matrix' });
      },
    ],
    [
      0.7,
      () => {
        const name = w.name('array');
        w.line(
          `${name} = np.${w.pick(['zeros', 'ones', 'empty_like'])}(3${w.pick(['', ', dtype=int', ', dtype=bool', ', int'])})`.replace(
            /empty_like\(3[^)]*\)/,
            'zeros(3)',
          ),
        );
        w.line(`${name}[${w.below(3)}] = ${num(w, 1)}`);
        w.bind({ name, kind: 'array' });
      },
    ],
    [
      1,
      () =>
        w.block(
          `if ${w.pick([`np.any(${array(w, 1)} > ${num(w, 0)})`, `np.all(${array(w, 1)} < ${num(w, 0)})`, `(x > 0).all()`, `x.any()`, `np.isnan(x).any()`, `len(x[x > 0]) > 1`, `x[x > 1].size`, `np.array_equal(x, np.sort(x))`, `x[0] in x[1:]`, `(x == x[0]).sum() == x.size`])}:`,
          () => {
            const name = w.name('num');
            if (w.inFunction > 0 && w.chance(0.5)) w.line(`return ${w.returns === 'num' ? num(w, 1) : '1.0'}`);
            else w.line(`${name} = ${scalar(w, 1)}`);
          },
        ),
    ],
    [
      0.6,
      () =>
        w.block(`for ${w.pick(['row', 'v'])} in ${matrix(w)}:`, () =>
          w.line(
            `${w.find('num')?.name ?? 'zz'} = ${w.lines[w.lines.length - 1].includes(' row ') ? 'row' : 'v'}.sum()`,
          ),
        ),
    ],
  ]);
}

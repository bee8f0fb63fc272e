/**
 * Random objectives with feasibility checks, penalties and early returns, whose minimum is easily proven where it is
 * read rightly.
 */
import { Rng } from '../../../src/common/rng.js';
import type { OrdinaryProgram } from './program.js';
import { Writer } from './writer.js';

const BIG = ['1e6', '1000.0', 'BIG', '1e6', '100.0', 'float("inf")'];
const MESSAGES = ['"too small"', '"sum"', '"ok"', '"low"', '"x0"', '""', '"bad"'];

/**
 * What a check says of a candidate that is feasible and of one that is not: `infeasible` and `feasible` as Python
 * writes them.
 */
interface Answers {
  readonly bad: string;
  readonly good: string;
}

const ANSWERS: readonly Answers[] = [
  { bad: 'None', good: '"ok"' },
  { bad: '"too small"', good: 'None' },
  { bad: '"low"', good: '""' },
  { bad: 'False', good: 'True' },
  { bad: 'None', good: '1.0' },
  { bad: '0', good: '1' },
  { bad: '["neg"]', good: '[]' },
  { bad: '[]', good: '[1]' },
  { bad: '(False, "neg")', good: '(True, None)' },
  { bad: 'None', good: 'x' },
  { bad: '{"g": 2.0}', good: '{}' },
  { bad: '0.0', good: 'None' },
  { bad: '"bad"', good: '1.0' },
  { bad: 'None', good: 'True' },
  { bad: '1', good: 'None' },
  { bad: '()', good: '(1,)' },
];

export function feasibilityProgram(seed: number): OrdinaryProgram {
  const w = new Writer(Rng.create(seed ^ 0x5eed), new Set());
  w.dimension = w.pick([1, 2, 2, 2, 3]);
  w.usesNumPy = w.chance(0.2);
  w.line('import math');
  if (w.usesNumPy) w.line('import numpy as np');
  w.line(`BIG = ${w.pick(['1e6', '1e5', '10 ** 6', '1e9'])}`);
  if (w.chance(0.5))
    w.line(
      `PENALTY = {"too small": 10.0, "sum": 50.0, "low": ${w.pick(['5', '7.5'])}, "x0": 3.0, None: ${w.pick(['0.0', '2.0'])}}`,
    );
  else w.line(`PENALTY = dict(low=5.0, sum=2.0)`);
  const answers = w.pick(ANSWERS);
  const raises = w.chance(0.15);
  if (raises) w.scope(`class Infeasible(${w.pick(['Exception', 'ValueError'])}):`, [], () => w.line('pass'), false);
  w.line(`def check(x${w.chance(0.2) ? ', eps=1e-9' : ''}):`);
  w.indent++;
  if (raises) raisingCheck(w);
  else check(w, answers);
  w.indent--;
  w.line('def f(x):');
  w.indent++;
  if (w.chance(0.3))
    w.line(w.pick(['n = len(x)', 'a = x[0]', 'total = 0.0', 'x = list(x)', '"""Cost, or a penalty."""']));
  if (raises) guardByException(w);
  else guard(w, answers);
  if (w.chance(0.25)) secondGuard(w, answers, raises);
  w.line(`return ${value(w)}`);
  const dimensions = [w.dimension];
  return {
    code: `${w.lines.join('\n')}\n`,
    dimensions,
    argument: w.usesNumPy ? 'ndarray' : 'list',
    isExact: w.isExact,
    features: [],
  };
}

const at = (w: Writer): string => `x[${w.below(w.dimension)}]`;
const level = (w: Writer): string => w.pick(['0', '1', '0.5', '-1', '1.5', '-0.5', '2', '3']);

/** Holds where the candidate is feasible. */
function constraint(w: Writer): string {
  return w.choose([
    [4, () => `${at(w)} ${w.pick(['>', '>=', '<', '<='])} ${level(w)}`],
    [3, () => `${at(w)} + ${at(w)} ${w.pick(['>', '>=', '<', '<='])} ${level(w)}`],
    [
      1,
      () =>
        `${w.pick(['-1', '0', '-2'])} ${w.pick(['<', '<='])} ${at(w)} ${w.pick(['<', '<='])} ${w.pick(['1', '2', '3'])}`,
    ],
    [1, () => `sum(x) ${w.pick(['>', '<='])} ${level(w)}`],
    [1, () => `${at(w)} * ${at(w)} ${w.pick(['>', '<', '<='])} ${w.pick(['1', '2', '4'])}`],
    [0.7, () => `all(v ${w.pick(['>', '<', '>='])} ${level(w)} for v in x)`],
    [0.7, () => `any(v ${w.pick(['>', '<'])} ${level(w)} for v in x)`],
    [0.5, () => `abs(${at(w)}) ${w.pick(['>', '<='])} ${w.pick(['1', '0.5', '2'])}`],
    [0.5, () => `max(x) ${w.pick(['>', '<'])} ${level(w)}`],
    [0.4, () => `int(${at(w)}) ${w.pick(['!=', '=='])} ${w.pick(['0', '1', '-1'])}`],
    [0.4, () => `(${constraint(w)}) ${w.pick(['and', 'or'])} (${constraint(w)})`],
    [0.3, () => `not (${constraint(w)})`],
  ]);
}

function check(w: Writer, { bad, good }: Answers): void {
  w.choose([
    [3, () => w.line(`return ${constraint(w)} and ${good} or ${bad}`)],
    [3, () => w.line(`return ${good} if ${constraint(w)} else ${bad}`)],
    [
      4,
      () => {
        w.block(`if not (${constraint(w)}):`, () => w.line(`return ${bad}`));
        if (w.chance(0.4))
          w.block(`if ${constraint(w)}:`, () => w.line(`return ${w.pick([good, bad, w.pick(MESSAGES)])}`));
        if (good !== 'None' || w.chance(0.3)) w.line(`return ${good}`);
      },
    ],
    [
      2,
      () => {
        w.block('for v in x:', () => w.block(`if v ${w.pick(['<', '>'])} ${level(w)}:`, () => w.line(`return ${bad}`)));
        if (good !== 'None' || w.chance(0.3)) w.line(`return ${good}`);
      },
    ],
    [
      2,
      () => {
        w.line('found = []');
        for (let k = 1 + w.below(3); k > 0; k--)
          w.block(`if ${constraint(w)}:`, () => w.line(`found.append(${w.pick(MESSAGES)})`));
        w.line(
          `return ${w.pick(['found', 'found or None', 'found[0] if found else None', 'not found', 'len(found)', '"; ".join(found)', 'tuple(found)'])}`,
        );
      },
    ],
    [1, () => w.line(`return next((${w.pick(MESSAGES)} for v in x if v ${w.pick(['<', '>'])} ${level(w)}), None)`)],
    [
      1,
      () =>
        w.line(
          `return [m for m, ok in ((${w.pick(MESSAGES)}, ${constraint(w)}), (${w.pick(MESSAGES)}, ${constraint(w)})) if not ok]`,
        ),
    ],
    [1, () => w.line(`return {"low": ${constraint(w)}, "sum": ${constraint(w)}}`)],
    [
      1,
      () =>
        w.line(
          `return ${w.pick(['{True: None, False: "low"}', '{1: "ok", 0: None}', '{False: [], True: [1]}'])}[${constraint(w)}]`,
        ),
    ],
    [0.7, () => w.line(`return (${constraint(w)}) ${w.pick(['or', 'and'])} ${w.pick(['None', '"low"', '0'])}`)],
    [
      0.5,
      () => {
        w.block('try:', () => w.line(`return [1.0, 2.0][int(${at(w)})]`));
        w.block(`except ${w.pick(['IndexError', 'LookupError', 'Exception', '(ValueError, IndexError)'])}:`, () =>
          w.line(`return ${bad}`),
        );
      },
    ],
  ]);
}

function raisingCheck(w: Writer): void {
  w.block(`if ${constraint(w)}:`, () =>
    w.line(
      `raise ${w.pick(['Infeasible', 'Infeasible("low")', 'ValueError("x")', 'KeyError("x")', 'Infeasible from None', 'ZeroDivisionError'])}`,
    ),
  );
  if (w.chance(0.4)) w.line(`assert ${constraint(w)}`);
  if (w.chance(0.4)) w.line(`return ${w.pick(['1.0', 'None', 'True', `1.0 / ${at(w)}`, `math.sqrt(${at(w)})`])}`);
}

function guardByException(w: Writer): void {
  w.block('try:', () => w.line(w.pick(['check(x)', 'ok = check(x)', `check(x); a = ${value(w)}`])));
  for (const name of w.pick([
    ['Infeasible'],
    ['ValueError'],
    ['KeyError', 'Infeasible'],
    ['ArithmeticError', 'Exception'],
    ['(Infeasible, AssertionError)'],
    ['LookupError', 'ValueError', 'Exception'],
    ['Exception'],
  ])) {
    w.block(`except ${name}${w.chance(0.2) ? ' as e' : ''}:`, () =>
      w.line(`return ${w.chance(0.5) ? w.pick(BIG) : penalised(w)}`),
    );
  }
  if (w.chance(0.2)) w.block('else:', () => w.line(`return ${value(w)}`));
}

const penalised = (w: Writer): string => `${w.pick(['100.0', '1e3', 'BIG'])} ${w.pick(['+', '-'])} ${at(w)}`;

function guard(w: Writer, { bad, good }: Answers): void {
  const big = w.pick(BIG);
  w.choose([
    [5, () => w.block(`if not check(x):`, () => w.line(`return ${big}`))],
    [4, () => w.block(`if check(x):`, () => w.line(`return ${big}`))],
    [2, () => w.block(`if check(x) is ${w.pick(['None', 'not None'])}:`, () => w.line(`return ${big}`))],
    [
      3,
      () => {
        const name = w.pick(['err', 'msg', 'ok', 'result']);
        w.line(`${name} = check(x)`);
        w.block(
          `if ${w.pick([name, `not ${name}`, `${name} is None`, `${name} is not None`, `${name} == ${bad}`, `${name} != ${good}`, `bool(${name})`, `${name} == "ok"`, `isinstance(${name}, str)`])}:`,
          () =>
            w.line(`return ${w.pick([big, penalised(w), `BIG if ${name} else 50.0`, `PENALTY.get(${name}, 25.0)`])}`),
        );
      },
    ],
    [
      2,
      () =>
        w.block(
          `if ${w.pick([`(msg := check(x)) is not None`, `(msg := check(x))`, `not (msg := check(x))`, `(msg := check(x)) == ${bad}`])}:`,
          () => w.line(`return ${w.pick([big, 'PENALTY.get(msg, 7.0)', 'len(msg) * 10.0', penalised(w)])}`),
        ),
    ],
    [
      1,
      () =>
        w.block(
          `if check(x) ${w.pick(['==', '!=', 'in', 'not in'])} ${w.pick([`(${bad}, ${good})`, '("ok", "")', '(None, 0)', '["low", "sum", ""]'])}:`,
          () => w.line(`return ${big}`),
        ),
    ],
    [1, () => w.block(`if check(x) ${w.pick(['==', '!='])} ${w.pick([bad, good])}:`, () => w.line(`return ${big}`))],
    [
      1,
      () =>
        w.line(
          `weight = ${w.pick([`check(x) or 2.0`, `2.0 if check(x) else 3.0`, `float(bool(check(x)))`, `PENALTY.get(check(x), 1.5)`, `(check(x) is None) * 10.0`, `1.0 if check(x) == ${bad} else 0.0`])}`,
        ),
    ],
    [
      1,
      () =>
        w.block('match check(x):', () => {
          w.block(
            `case ${w.pick(['None', '"low"', '""', '[]', '0', 'True', '"too small"', 'str()', '[_]', '(False, _)'])}:`,
            () => w.line(`return ${big}`),
          );
          if (w.chance(0.5)) w.block('case _:', () => w.line(`return ${value(w)}`));
        }),
    ],
    [
      1,
      () => {
        w.line('penalty = 0.0');
        w.block(`for ${w.pick(['m', 'why'])} in check(x) or ${w.pick(['[]', '()'])}:`, () =>
          w.line(`penalty += ${w.pick(['10.0', 'PENALTY.get("low", 1.0)', '5'])}`),
        );
        w.block('if penalty:', () => w.line('return 100.0 + penalty'));
      },
    ],
    [
      1,
      () =>
        w.line(
          `bad = ${w.pick(['[k for k, v in {"a": check(x), "b": x[0] > 0}.items() if not v]', 'list(filter(None, [check(x)]))', '[c for c in (check(x), None) if c is not None]'])}`,
        ) ?? w.block('if bad:', () => w.line(`return ${w.pick([big, 'len(bad) * 100.0'])}`)),
    ],
    [
      0.7,
      () =>
        w.block(
          `if ${w.pick(['any([check(x)])', 'all([check(x), True])', 'not all((check(x), 1))', 'any(c for c in (check(x),))'])}:`,
          () => w.line(`return ${big}`),
        ),
    ],
    [
      0.7,
      () =>
        w.block(
          `if ${w.pick(['len(check(x) or "")', 'str(check(x)) == "None"', 'callable(check(x))', 'type(check(x)) is str', 'isinstance(check(x), (str, list))'])}:`,
          () => w.line(`return ${big}`),
        ),
    ],
    [0.5, () => (w.line('ok, *why = check(x)'), w.block('if not ok:', () => w.line(`return ${big}`)))],
    [0.5, () => w.line(`assert ${w.pick(['check(x)', 'not check(x)', 'check(x) is None'])}, "infeasible"`)],
    [0.5, () => w.block('while not check(x):', () => w.line(`return ${big}`))],
  ]);
}

function secondGuard(w: Writer, answers: Answers, raises: boolean): void {
  w.choose([
    [2, () => w.block(`if ${constraint(w)}:`, () => w.line(`return ${w.chance(0.5) ? w.pick(BIG) : penalised(w)}`))],
    [raises ? 0 : 1, () => guard(w, answers)],
  ]);
}

function value(w: Writer): string {
  const term = (): string => {
    const v = at(w);
    const c = w.pick(['0.5', '1', '2', '0.0', '1.5']);
    return w.choose([
      [3, () => `(${v} - ${c}) * (${v} - ${c})`],
      [
        2,
        () => {
          w.isExact = false;
          return `(${v} - ${c}) ** 2`;
        },
      ],
      [1, () => `abs(${v} - ${c})`],
      [0.7, () => `max(${v}, ${c})`],
      [0.7, () => `${v} * ${v}`],
      [0.5, () => `${v}`],
    ]);
  };
  const sums = w.usesNumPy
    ? ['np.sum(x * x)', 'np.sum(np.abs(x))']
    : ['sum(v * v for v in x)', 'sum(abs(v) for v in x)'];
  return w.choose([
    [3, () => Array.from({ length: 1 + w.below(3) }, term).join(' + ')],
    [1, () => w.pick(sums)],
    [1, () => `${w.pick(sums)} + ${term()}`],
  ]);
}

/** Statements of random programs. */
import {
  CLASSES,
  any,
  bool,
  definite,
  dict,
  expression,
  int,
  key,
  list,
  num,
  observed,
  sequence,
  test,
  text,
  vectorName,
} from './expressions.js';
import { classDefinition, functionDefinition } from './definitions.js';
import { raisingStatement, tryStatement } from './exceptions.js';
import { numpyStatement } from './numpy.js';
import type { Kind, Writer } from './writer.js';

/** `d`: how deep blocks may still nest. */
export function statements(w: Writer, count: number, d: number): void {
  for (let k = 0; k < count && w.budget > 0; k++) statement(w, d);
}

export function statement(w: Writer, d: number): void {
  const nests = d > 0 ? 1 : 0;
  w.choose([
    [6, () => assignment(w)],
    [3, () => augmented(w)],
    [3 * nests, () => branch(w, d)],
    [2 * nests, () => guard(w, d)],
    [w.if('loops', 2.5) * nests, () => loop(w, d)],
    [w.if('exceptions', 4) * nests, () => tryStatement(w, d)],
    [w.if('exceptions', 0.3), () => raisingStatement(w)],
    [w.if('match', 2.5) * nests, () => matchStatement(w, d)],
    [w.if('closures', 1.5) * nests, () => functionDefinition(w, d - 1, 'num')],
    [w.if('scopes', 1) * nests, () => scopes(w)],
    [w.if('classes', 0.5) * nests, () => classDefinition(w)],
    [w.if('aliases', 2.5), () => mutation(w)],
    [w.if('unpacking', 1.5), () => unpacking(w)],
    [w.if('dict', 1.5), () => dictStatement(w)],
    [w.if('state', 0.8), () => state(w)],
    [w.if('generators', 0.8) * nests, () => generator(w)],
    [w.usesNumPy ? 5 : 0, () => numpyStatement(w)],
    [0.3, () => w.line(`assert ${bool(w, 1)}${w.chance(0.5) ? ', "bad"' : ''}`)],
    [0.2, () => del(w)],
    [w.inLoop > 0 ? 1.5 : 0, () => leaveLoop(w)],
    [0.2, () => w.line(w.pick(['pass', '"""text"""', `print(${num(w, 0)})`, `print("at", x)`]))],
    [0.15 * nests, () => withStatement(w, d)],
  ]);
}

export function returnStatement(w: Writer): void {
  w.line(
    `return ${
      w.returns === 'any'
        ? w.choose([
            [2, () => definite(w, 1)],
            [1, () => any(w, 1)],
            [1, () => num(w, 1)],
          ])
        : expression(w, w.returns, 2)
    }`,
  );
}

function kindToAssign(w: Writer): Kind {
  return w.choose<Kind>([
    [6, () => 'num'],
    [w.if('integers', 2), () => 'int'],
    [0.8, () => 'bool'],
    [w.if('text', 1.2), () => 'text'],
    [w.if('any', 3), () => 'any'],
    [w.if('list', 2), () => 'list'],
    [w.if('dict', 1.5), () => 'dict'],
    [w.if('classes', 1), () => 'object'],
  ]);
}

function assignment(w: Writer): void {
  const kind = kindToAssign(w);
  if (w.chance(0.03) && vectorName(w) === 'x' && w.inFunction === 1) return rebindArgument(w);
  if (kind === 'dict') {
    const { text: value, keys } = dict(w, 2);
    const name = w.name('dict');
    w.line(`${name} = ${value}`);
    w.bind({ name, kind, keys });
    return;
  }
  const value = expression(w, kind, 2);
  const name = w.name(kind);
  w.choose([
    [10, () => w.line(`${name} = ${value}`)],
    [0.5, () => w.line(`${name}: float = ${value}`)],
    [
      0.5,
      () => {
        const other = w.name(kind);
        w.line(`${name} = ${other} = ${value}`);
        w.bind({ name: other, kind });
      },
    ],
  ]);
  w.bind({ name, kind });
}

/** `x = x[0]` and the like: what x was in the signature it is no more. */
function rebindArgument(w: Writer): void {
  w.choose([
    [
      2,
      () => {
        w.line('x = x[0]');
        w.bind({ name: 'x', kind: 'num' });
      },
    ],
    [
      1,
      () => {
        w.line(w.pick(['x = list(x)', 'x = x[:]', 'x = [v + 1.0 for v in x]', 'x = sorted(x)', 'x = tuple(x)']));
        w.bind({ name: 'x', kind: 'vector' });
      },
    ],
    [
      1,
      () => {
        w.line('x, *rest = x');
        w.bind({ name: 'x', kind: 'num' });
        w.bind({ name: 'rest', kind: 'list' });
      },
    ],
  ]);
}

function augmented(w: Writer): void {
  const target = w.find('num', 'int', ...(w.chance(0.2) ? (['any', 'text', 'list'] as const) : []));
  if (target === null) return assignment(w);
  if (target.kind === 'list') return w.line(`${target.name} ${w.pick(['+=', '+='])} ${list(w, 1)}`);
  if (target.kind === 'text') return w.line(`${target.name} += ${text(w, 1)}`);
  w.line(`${target.name} ${w.pick(['+=', '-=', '*=', '+=', '+=', '/=', '//=', '%='])} ${num(w, 1)}`);
}

function condition(w: Writer): string {
  const name = w.fresh('g');
  return w.choose([
    [6, () => bool(w, 2)],
    [w.if('any', 3), () => any(w, 2)],
    [w.if('any', 2), () => `not ${any(w, 1)}`],
    [w.if('list', 0.7), () => list(w, 1)],
    [w.if('text', 0.5), () => text(w, 1)],
    [
      w.if('walrus', 1),
      () =>
        `(${name} := ${w.has('any') ? any(w, 1) : num(w, 1)}) ${w.pick(['', 'is not None', '== 1', 'is None'])}`.trim(),
    ],
  ]);
}

function branch(w: Writer, d: number): void {
  w.block(`if ${condition(w)}:`, () => statements(w, 1 + w.below(2), d - 1));
  for (let k = w.below(3); k > 1; k--) w.block(`elif ${condition(w)}:`, () => statements(w, 1 + w.below(2), d - 1));
  if (w.chance(0.5)) w.block('else:', () => statements(w, 1 + w.below(2), d - 1));
}

/** What a feasibility check looks like. */
function guard(w: Writer, d: number): void {
  if (w.chance(0.15)) return w.block(`if ${condition(w)}:`, () => statement(w, d - 1));
  w.block(
    `if ${w.choose([
      [2, () => condition(w)],
      [w.if('any', 3), () => `not ${any(w, 2)}`],
      [w.if('any', 2), () => test(w, any(w, 2))],
    ])}:`,
    () => (w.chance(w.inLoop > 0 ? 0.5 : 0.85) && w.inFunction > 0 ? returnStatement(w) : statement(w, 0)),
  );
}

function loop(w: Writer, d: number): void {
  const body = (): void => {
    w.inLoop++;
    statements(w, 1 + w.below(3), d - 1);
    w.inLoop--;
  };
  const x = vectorName(w) ?? '(1.0, 2.0)';
  const [i, v] = [w.pick(['i', 'j', 'k']), w.pick(['v', 'xi', 'c'])];
  w.choose([
    [4, () => w.block(`for ${v} in ${sequence(w, 1)}:`, () => (w.bind({ name: v, kind: 'num' }), body()))],
    [
      4,
      () =>
        w.block(
          `for ${i} in range(${w.pick(['len(' + x + ')', '2', '3', '1, 3', '3, 0, -1', 'len(' + x + ') - 1'])}):`,
          () => (w.bind({ name: i, kind: 'int' }), body()),
        ),
    ],
    [
      2,
      () =>
        w.block(
          `for ${i}, ${v} in enumerate(${sequence(w, 1)}):`,
          () => (w.bind({ name: i, kind: 'int' }), w.bind({ name: v, kind: 'num' }), body()),
        ),
    ],
    [
      1,
      () =>
        w.block(
          `for a, b in zip(${sequence(w, 1)}, ${sequence(w, 1)}):`,
          () => (w.bind({ name: 'a', kind: 'num' }), w.bind({ name: 'b', kind: 'num' }), body()),
        ),
    ],
    [
      w.if('dict', 1.5),
      () =>
        w.block(`for key, val in ${dict(w, 1).text}.items():`, () => (w.bind({ name: 'val', kind: 'num' }), body())),
    ],
    [
      w.if('any', 1),
      () =>
        w.block(
          `for val in (${definite(w, 1)}, ${any(w, 1)}, ${definite(w, 1)}):`,
          () => (w.bind({ name: 'val', kind: 'any' }), body()),
        ),
    ],
    [
      2,
      () => {
        const n = w.fresh('n');
        w.line(`${n} = ${w.pick(['0', `int(abs(${num(w, 0)})) % 5`, '3'])}`);
        w.block(`while ${n} ${w.pick(['< 3', '< 5', '< 2'])}${w.chance(0.2) ? ` and ${bool(w, 1)}` : ''}:`, () => {
          w.line(`${n} += 1`);
          body();
        });
      },
    ],
  ]);
  if (w.chance(0.2)) w.block('else:', () => statements(w, 1, d - 1));
}

function leaveLoop(w: Writer): void {
  const way = w.pick(['break', 'continue', 'break']);
  if (w.chance(0.1)) return w.line(way);
  w.block(`if ${condition(w)}:`, () => w.line(way));
}

function matchStatement(w: Writer, d: number): void {
  const subject = w.choose([
    [w.if('any', 4), () => any(w, 2)],
    [1, () => num(w, 1)],
    [1, () => int(w, 1)],
    [w.if('text', 1), () => text(w, 1)],
    [1, () => `(${num(w, 0)}, ${w.has('any') ? any(w, 1) : num(w, 0)})`],
    [1, () => list(w, 1)],
    [w.if('dict', 1), () => dict(w, 1).text],
  ]);
  w.block(`match ${subject}:`, () => {
    const count = 1 + w.below(4);
    for (let k = 0; k < count; k++) {
      const { pattern, binds } = patternOf(w, 2);
      const isTaken = binds.length > 0;
      const before = w.variables;
      for (const name of binds) w.bind({ name, kind: 'any' });
      const guarded = w.chance(0.2) ? ` if ${bool(w, 1)}` : '';
      w.block(`case ${pattern}${guarded}:`, () =>
        w.inFunction > 0 && w.chance(0.35) ? returnStatement(w) : statements(w, 1, d - 1),
      );
      if (isTaken) w.variables = before;
    }
    if (w.chance(0.6))
      w.block('case _:', () => (w.inFunction > 0 && w.chance(0.35) ? returnStatement(w) : statements(w, 1, d - 1)));
  });
}

function patternOf(w: Writer, d: number): { pattern: string; binds: string[] } {
  const simple = (pattern: string): { pattern: string; binds: string[] } => ({ pattern, binds: [] });
  const inner = (): { pattern: string; binds: string[] } => patternOf(w, d - 1);
  return w.choose([
    [3, () => simple(w.pick(['None', '0', '1', '2.0', '-1', '"ok"', '"a"', 'True', 'False', '""', '3']))],
    [1.5, () => simple(w.pick(['float()', 'int()', 'str()', 'list()', 'bool()', 'dict()', 'tuple()']))],
    [
      1,
      () => {
        const name = w.fresh('m');
        return { pattern: `${w.pick(['float', 'int', 'str', 'list', 'bool'])}(${name})`, binds: [name] };
      },
    ],
    [1, () => simple(w.pick(['0 | 1', 'None | 0', '"a" | "ok"', 'int() | float()', '1 | None | "b"']))],
    [
      d > 0 ? 1 : 0,
      () => {
        const [a, b] = [inner(), inner()];
        const binds = [...a.binds, ...b.binds];
        return {
          pattern: w.pick([
            `(${a.pattern}, ${b.pattern})`,
            `[${a.pattern}, ${b.pattern}]`,
            `[${a.pattern}, ${b.pattern}, *_]`,
          ]),
          binds,
        };
      },
    ],
    [0.6, () => simple(w.pick(['[]', '()', '[_]', '[_, _]', '[_, *_]', '{}']))],
    [
      0.6,
      () => {
        const name = w.fresh('m');
        return { pattern: w.pick([`[${name}, *_]`, `[*${name}]`, `{"a": ${name}}`, `(${name}, _)`]), binds: [name] };
      },
    ],
    [
      d > 0 ? 0.6 : 0,
      () => {
        const [name, { pattern, binds }] = [w.fresh('m'), inner()];
        return { pattern: `(${pattern}) as ${name}`, binds: [...binds, name] };
      },
    ],
    [
      w.classes.length > 0 ? 0.8 : 0,
      () => {
        const c = w.pick(w.classes);
        return simple(
          w.chance(0.5) || c.attributes.length === 0
            ? `${c.name}()`
            : `${c.name}(${w.pick(c.attributes)}=${w.pick(['0', '1.0', '_'])})`,
        );
      },
    ],
  ]);
}

/** Two names for one thing. */
function mutation(w: Writer): void {
  const target = w.find('list', 'vector');
  if (target === null || (target.kind === 'vector' && w.chance(0.6))) {
    const name = w.name('list');
    w.line(
      `${name} = ${w.choose([
        [2, () => list(w, 1)],
        [1, () => `list(${vectorName(w) ?? '()'})`],
        [0.5, () => '[]'],
        [0.5, () => vectorName(w) ?? '[]'],
      ])}`,
    );
    return w.bind({ name, kind: 'list' });
  }
  const l = target.name;
  w.choose([
    [
      3,
      () =>
        w.line(
          `${l}[${w.pick(['0', '-1', '1', `int(abs(${num(w, 0)})) % 2`])}] ${w.pick(['=', '+=', '*='])} ${num(w, 1)}`,
        ),
    ],
    [
      2,
      () => {
        const other = w.name('list');
        w.line(`${other} = ${l}${w.pick(['', '', '[:]', '.copy()'])}`);
        w.bind({ name: other, kind: 'list' });
      },
    ],
    [
      target.kind === 'list' ? 4 : 0.1,
      () =>
        w.line(
          w.choose([
            [3, () => `${l}.append(${w.has('any') && w.chance(0.2) ? any(w, 1) : num(w, 1)})`],
            [1, () => `${l}.extend(${sequence(w, 1)})`],
            [1, () => `${l}.insert(${w.pick(['0', '1', '-1'])}, ${num(w, 0)})`],
            [1, () => `${l}.pop(${w.pick(['', '0', '-1'])})`],
            [0.5, () => `${l}.remove(${num(w, 0)})`],
            [1, () => `${l}.sort(${w.pick(['', 'reverse=True', 'key=abs', 'key=lambda q: -q'])})`],
            [0.7, () => `${l}.reverse()`],
            [0.5, () => `del ${l}[${w.pick(['0', '-1', ':1'])}]`],
            [0.4, () => `${l}.clear()`],
            [0.7, () => `${l}[${w.pick(['1:', ':1', ':', '0:2'])}] = ${list(w, 1)}`],
            [0.5, () => `${l} *= ${w.pick(['2', '0', '1'])}`],
          ]),
        ),
    ],
    [
      0.7,
      () => {
        const name = w.name('list');
        w.line(`${name} = [${l}, ${l}]`);
        w.line(`${name}[0]${w.pick(['[0] = ', '[-1] += '])}${num(w, 0)}`);
      },
    ],
    [0.7, () => w.line(`${l}[0], ${l}[-1] = ${l}[-1], ${l}[0]`)],
    [
      0.5,
      () => {
        const f = w.fresh('change');
        w.scope(`def ${f}(q):`, [], () => w.line(w.pick(['q[0] = 5.0', 'q.append(1.0)', 'q = [0.0]', 'q += [1.0]'])));
        w.line(`${f}(${l})`);
      },
    ],
  ]);
}

function unpacking(w: Writer): void {
  const a = w.name('num');
  const other = w.name('num');
  // CPython 3.11.2 has a bug of its own where a target has one name twice.
  const b = other === a || other === 'c' ? w.fresh('b') : other;
  const bind = (...names: string[]): void => names.forEach((name) => w.bind({ name, kind: 'num' }));
  const x = vectorName(w) ?? '(1.0, 2.0)';
  w.choose([
    [3, () => (w.line(`${a}, ${b} = ${num(w, 1)}, ${num(w, 1)}`), bind(a, b))],
    [2, () => (w.line(`${a}, *${w.pick(['rest', 'tail'])} = ${sequence(w, 1)}`), bind(a))],
    [1, () => (w.line(`*head, ${a} = ${x}`), bind(a))],
    [1, () => (w.line(`(${a}, ${b}), c = (${num(w, 0)}, ${num(w, 0)}), ${num(w, 0)}`), bind(a, b, 'c'))],
    [0.7, () => (w.line(`${a}, ${b} = ${b === a ? num(w, 0) : `${num(w, 0)}, ${num(w, 0)}`}`), bind(a, b))],
    [0.6, () => (w.line(`${a}, ${b} = ${x}[:2]`), bind(a, b))],
    [0.6, () => (w.line(`${a}, ${b} = sorted([${num(w, 0)}, ${num(w, 0)}])`), bind(a, b))],
    [
      w.if('any', 0.7),
      () => {
        w.line(
          `${a}, ${b} = (${num(w, 0)}, ${definite(w, 1)}) if ${bool(w, 1)} else (${definite(w, 1)}, ${num(w, 0)})`,
        );
        w.bind({ name: a, kind: 'any' });
        w.bind({ name: b, kind: 'any' });
      },
    ],
    [0.3, () => (w.line(`${a}, ${b} = divmod(${num(w, 0)}, 2)`), bind(a, b))],
  ]);
}

function dictStatement(w: Writer): void {
  const target = w.find('dict');
  if (target === null) {
    const { text: value, keys } = dict(w, 2);
    const name = w.name('dict');
    w.line(`${name} = ${value}`);
    return w.bind({ name, kind: 'dict', keys });
  }
  const t = target.name;
  w.line(
    w.choose([
      [3, () => `${t}[${w.pick(['"a"', '"c"', '0', key(w)])}] ${w.pick(['=', '=', '+='])} ${num(w, 1)}`],
      [1, () => `${t}.update(${w.pick(['{"a": 1.0}', 'b=2.0', '{0: 5.0}'])})`],
      [1, () => `${t}.setdefault(${key(w)}, ${num(w, 0)})`],
      [0.6, () => `${t}.pop(${key(w)}, None)`],
      [0.4, () => `del ${t}[${w.pick(target.keys ?? ['"a"'])}]`],
      [1, () => `${t}[${key(w)}] = ${t}.get(${key(w)}, 0) + ${num(w, 0)}`],
    ]),
  );
}

/** Comprehensions, lambdas and nested functions that look for names in the scopes around them. */
function scopes(w: Writer): void {
  const name = w.pick(['n', 'k', 's', 'a']);
  w.choose([
    [
      2,
      () => {
        const fs = w.fresh('fs');
        w.line(`${fs} = [lambda: i * ${num(w, 0)} for i in range(3)]`);
        w.line(`${name} = ${fs}[${w.below(3)}]()`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        const fs = w.fresh('fs');
        w.line(`${fs} = []`);
        w.block('for i in range(3):', () => w.line(`${fs}.append(lambda q${w.pick(['', ', i=i'])}: q + i)`));
        w.line(`${name} = sum(g(${num(w, 0)}) for g in ${fs})`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [
      2,
      () => {
        const c = w.fresh('C');
        w.line(`${name} = ${num(w, 0)}`);
        w.bind({ name, kind: 'num' });
        w.scope(
          `class ${c}:`,
          [],
          () => {
            w.line(`${name} = ${w.pick(['10', '2.5', `${name} + 1`])}`);
            w.line(
              w.pick([
                `t = [${name} + i for i in range(2)]`,
                `t = [i for i in range(int(${name}) % 3)]`,
                `t = [(lambda: ${name})()]`,
                `t = [${name}]`,
                `t = [i for i in (${name}, 1)]`,
              ]),
            );
            if (w.chance(0.4)) w.line(`g = ${w.pick(['staticmethod(', '('])}lambda: ${name})`);
            if (w.chance(0.3)) w.scope('class Inner:', [], () => w.line(`u = ${name}`), false);
          },
          false,
        );
        const a = w.name('num');
        w.line(`${a} = sum(${c}.t) + ${c}.${name}`);
        w.bind({ name: a, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        const a = w.name('num');
        w.line(
          `${a} = ${w.pick([`[b for a in ${sequence(w, 0)} for b in [a + 1.0]][0]`, `sum([${name} for ${name} in ${sequence(w, 0)}])`, `[[i * j for j in range(2)] for i in range(2)][1][1]`, `sum(i for i in range(3) if i != ${num(w, 0)})`, `[a for b in ${sequence(w, 0)} for a in [a + b]][0]`])}`,
        );
        w.bind({ name: a, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        const f = w.fresh('inner');
        w.line(`${name} = ${num(w, 0)}`);
        w.bind({ name, kind: 'num' });
        w.scope(`def ${f}(q):`, [{ name: 'q', kind: 'num' }], () => {
          if (w.chance(0.6)) w.line(`nonlocal ${name}`);
          w.line(`${name} ${w.pick(['=', '+='])} ${w.pick(['q', 'q * 2', '1.0'])}`);
          w.line(`return ${w.pick([name, `${name} + q`, 'q'])}`);
        });
        w.line(`${w.pick(['r', 't'])} = ${f}(${num(w, 0)}) + ${name}`);
      },
    ],
    [
      0.6,
      () => {
        w.block(`if ${bool(w, 1)}:`, () => w.line(`late = ${num(w, 0)}`));
        w.line(`${name} = late`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [
      0.5,
      () => {
        w.block(`for ${name} in range(${w.pick(['2', '0', 'len(x)'])}):`, () => w.line('pass'));
        w.bind({ name, kind: 'int' });
      },
    ],
  ]);
}

function state(w: Writer): void {
  w.choose([
    [2, () => w.line(`CALLS[0] += 1`)],
    [1, () => w.line(`CACHE[${key(w)}] = ${num(w, 0)}`)],
    [
      1,
      () => {
        const name = w.name('num');
        w.line(`${name} = CACHE.get(${key(w)}, ${num(w, 0)})`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [
      1,
      () => {
        const name = w.name('num');
        w.line(`${name} = LIMITS[${w.below(2)}] * SCALE`);
        w.bind({ name, kind: 'num' });
      },
    ],
    [0.5, () => w.line(`HISTORY.append(${num(w, 0)})`)],
    [
      0.5,
      () => {
        const name = w.name('num');
        w.line(`${name} = float(len(${w.pick(['HISTORY', 'CACHE', 'LIMITS'])}))`);
        w.bind({ name, kind: 'num' });
      },
    ],
  ]);
}

function generator(w: Writer): void {
  const f = w.fresh('gen');
  w.scope(`def ${f}(q):`, [{ name: 'q', kind: 'vector' }], () => {
    const [before, loops] = [w.variables, w.inLoop];
    if (w.chance(0.2)) w.line(`k = 0`);
    w.block(
      w.lines[w.lines.length - 1].endsWith('k = 0') ? `while k < ${w.pick(['3', 'len(q)', '2'])}:` : `for v in q:`,
      () => {
        if (w.lines[w.lines.length - 1].includes('while')) {
          w.line('v = q[0] + k');
          w.line('k += 1');
        }
        w.bind({ name: 'v', kind: 'num' });
        w.choose([
          [2, () => w.line(`yield ${num(w, 1)}`)],
          [1, () => w.block(`if ${bool(w, 1)}:`, () => w.line(`yield ${num(w, 0)}`))],
          [0.5, () => w.block(`if ${bool(w, 1)}:`, () => w.line('return'))],
        ]);
        if (w.chance(0.4)) w.line('yield v');
      },
    );
    w.variables = before;
    w.inLoop = loops;
    if (w.chance(0.2)) w.line(`yield from ${sequence(w, 0)}`);
  });
  const name = w.name('num');
  const it = `${f}(${vectorName(w) ?? '(1.0, 2.0)'})`;
  w.line(
    `${name} = ${w.pick([`sum(${it})`, `next(${it})`, `next(${it}, 0.5)`, `len(list(${it}))`, `max(${it}, default=1.0)`, `sum(i * v for i, v in enumerate(${it}))`])}`,
  );
  w.bind({ name, kind: 'num' });
}

function del(w: Writer): void {
  const target = w.find('num', 'list', 'text');
  if (target === null || target.name === 'x') return w.line('pass');
  w.line(`del ${target.name}`);
  w.variables = w.variables.filter((v) => v.name !== target.name);
}

function withStatement(w: Writer, d: number): void {
  const manager = w.usesNumPy
    ? w.pick(['np.errstate(all="ignore")', 'np.errstate(divide="ignore")', 'contextlib.suppress(ZeroDivisionError)'])
    : w.pick([
        'contextlib.suppress(ZeroDivisionError)',
        'contextlib.suppress(KeyError, IndexError)',
        'contextlib.nullcontext()',
      ]);
  w.block(`with ${manager}:`, () => statements(w, 1 + w.below(2), d - 1));
}

export { CLASSES, observed };

/**
 * Expressions of random programs, by the kind of value that they are meant to give. `d`: how deep they may still go.
 */
import type { Kind, Variable, Writer } from './writer.js';

const FLOATS = [
  '0.0',
  '1.0',
  '2.0',
  '0.5',
  '1.5',
  '-1.0',
  '3.0',
  '10.0',
  '0.25',
  '100.0',
  '1e6',
  '0.1',
  '1e-3',
  '-2.5',
];
const INTS = ['0', '1', '2', '3', '-1', '4', '5', '7', '10'];
const TEXTS = ['"a"', '"b"', '"ok"', '"bad"', '""', '"zero"', '"x0"', '"low"', '"10"', '"neg"', "'None'", '"A b"'];
export const CLASSES = ['float', 'int', 'str', 'list', 'bool', 'tuple', 'dict', 'type(None)'];
const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];

export function vectorName(w: Writer): string | null {
  return w.find('vector')?.name ?? null;
}

/** x[i], where there is one. */
function element(w: Writer): string {
  const vector = w.find('vector');
  if (vector === null) return w.pick(FLOATS);
  const k = w.below(w.dimension);
  return w.choose([
    [8, () => `${vector.name}[${k}]`],
    [1, () => `${vector.name}[-1]`],
    [0.2, () => `${vector.name}[${w.below(4)}]`],
    [0.3, () => `${vector.name}[len(${vector.name}) - 1]`],
  ]);
}

export function num(w: Writer, d = 2): string {
  if (d <= 0) {
    return w.choose([
      [4, () => element(w)],
      [3, () => w.find('num', 'int')?.name ?? element(w)],
      [1.5, () => w.pick(FLOATS)],
      [0.5, () => w.pick(INTS)],
    ]);
  }
  const e = (): string => num(w, d - 1);
  return w.choose([
    [5, () => num(w, 0)],
    [9, () => `(${e()} ${w.pick(['+', '-', '*', '+', '-', '*', '/'])} ${e()})`],
    [1, () => squared(w, e())],
    [1, () => `abs(${e()})`],
    [0.4, () => `-${wrap(e())}`],
    [1, () => `${w.pick(['max', 'min'])}(${e()}, ${e()}${w.chance(0.3) ? `, ${e()}` : ''})`],
    [1.5, () => `(${e()} if ${bool(w, d - 1)} else ${e()})`],
    [1, () => `float(${w.chance(0.6) ? bool(w, d - 1) : int(w, d - 1)})`],
    [0.5, () => `int(${e()})`],
    [0.3, () => `round(${e()})`],
    [0.3, () => `(${e()} // ${w.pick(['2', '1.5', '0.5', '-2', '3'])})`],
    [0.4, () => `(${e()} % ${w.pick(['2', '1.5', '3', '-2', '1.0'])})`],
    [0.4, () => `math.${w.pick(['floor', 'ceil', 'trunc', 'fabs'])}(${e()})`],
    [0.4, () => `math.sqrt(abs(${e()}))`],
    [0.1, () => `math.copysign(${e()}, ${e()})`],
    [0.2, () => `divmod(${e()}, ${w.pick(['2', '1.5', '3'])})[${w.below(2)}]`],
    [0.6, () => `((${bool(w, d - 1)}) ${w.pick(['+', '*'])} ${e()})`],
    [w.if('any', 5), () => observed(w, d - 1)],
    [w.if('list', 2), () => fromList(w, d - 1)],
    [w.if('generators', 1.5), () => reduced(w, d - 1)],
    [w.if('dict', 2), () => fromDict(w, d - 1)],
    [w.if('text', 1), () => fromText(w, d - 1)],
    [w.if('integers', 1.5), () => int(w, d - 1)],
    [w.if('calls', 0.6), () => immediateCall(w, d - 1)],
    [w.if('sorting', 0.8), () => sortedPart(w, d - 1)],
    [w.if('sets', 0.6), () => fromSet(w, d - 1)],
    [w.if('walrus', 0.7), () => walrus(w, d - 1)],
    [w.if('classes', 1.5), () => fromObject(w, d - 1)],
    [3, () => helperCall(w, d - 1, 'num') ?? e()],
    [w.if('library', 4), () => library(w, e())],
    [w.if('complex', 1.5), () => complexPart(w, d - 1)],
  ]);
}

/** Functions whose last bits are the mathematics library's. */
function library(w: Writer, argument: string): string {
  w.isExact = false;
  return w.choose([
    [
      3,
      () => `math.${w.pick(['sin', 'cos', 'exp', 'tanh', 'atan', 'cbrt', 'erf', 'sinh', 'expm1', 'tan'])}(${argument})`,
    ],
    [1, () => `math.${w.pick(['log', 'log10', 'log1p', 'log2'])}(abs(${argument}) + ${w.pick(['1', '0.5', '1e-9'])})`],
    [1, () => `math.${w.pick(['log', 'acos', 'asin', 'gamma', 'atanh', 'sqrt', 'lgamma'])}(${argument})`],
    [1, () => `math.${w.pick(['hypot', 'atan2', 'pow', 'fmod'])}(${argument}, ${w.pick(['2', '1.5', num(w, 0)])})`],
    [1, () => `${wrap(argument)} ** ${w.pick(['2', '3', '0.5', '-1', '1.5', '4'])}`],
    [
      w.usesNumPy ? 3 : 0,
      () =>
        `np.${w.pick(['sin', 'cos', 'exp', 'log', 'tanh', 'log1p', 'power', 'arctan', 'cbrt'])}(${argument})`.replace(
          /power\((.*)\)$/,
          'power($1, 2)',
        ),
    ],
  ]);
}

function complexPart(w: Writer, d: number): string {
  const z = w.choose([
    [3, () => `complex(${num(w, d)}, ${num(w, 0)})`],
    [2, () => `(${num(w, d)} + ${num(w, 0)} * 1j)`],
    [1, () => `(${num(w, 0)} + 2j)`],
    [1, () => `complex(${num(w, 0)}).conjugate()`],
  ]);
  const other = w.pick(['(1 + 2j)', '2.0', '1j', `complex(0, ${num(w, 0)})`]);
  return w.choose([
    [3, () => `(${z} ${w.pick(['+', '-', '*', '/'])} ${other}).${w.pick(['real', 'imag'])}`],
    [1, () => `float(${z} ${w.pick(['==', '!='])} ${other})`],
    [1, () => `(${num(w, 0)} if ${z} else ${num(w, 0)})`],
    [1, () => `(${z} * ${z}).real`],
    [0.5, () => `(1.0 if isinstance(${z}, complex) else 2.0)`],
    [
      0.5,
      () => {
        w.isExact = false;
        return `abs(${z})`;
      },
    ],
    [0.3, () => `float(${z} < ${other})`],
    [0.3, () => `float(${z})`],
  ]);
}

const wrap = (text: string): string => (/^[\w.[\]"']+$/.test(text) ? text : `(${text})`);

/** Powers are only as good as the library's, multiplications are exact. */
function squared(w: Writer, text: string): string {
  if (w.chance(0.15)) {
    w.isExact = false;
    return `${wrap(text)} ** ${w.pick(['2', '2', '3', '0.5', '2.0'])}`;
  }
  return /^[\w.[\]]+$/.test(text) ? `${text} * ${text}` : `(${text}) * 2.0`;
}

export function int(w: Writer, d = 1): string {
  const e = (): string => int(w, d - 1);
  if (d <= 0) return w.find('int')?.name ?? w.pick(INTS);
  return w.choose([
    [2, () => int(w, 0)],
    [2, () => `int(${num(w, d - 1)})`],
    [1, () => `len(${vectorName(w) ?? list(w, d - 1)})`],
    [1, () => `(${e()} ${w.pick(['+', '-', '*'])} ${e()})`],
    [0.6, () => `(${e()} ${w.pick(['%', '//'])} ${w.pick(['2', '3', '5', '-3'])})`],
    [0.5, () => `round(${num(w, d - 1)})`],
    [0.5, () => `sum(1 for v in ${sequence(w, d - 1)} if v ${w.pick(COMPARISONS)} ${w.pick(FLOATS)})`],
    [w.if('integers', 0.8), () => `(${e()} ${w.pick(['&', '|', '^', '<<', '>>'])} ${w.pick(['1', '2', '3'])})`],
    [w.if('integers', 0.4), () => `~${wrap(e())}`],
    [w.if('integers', 0.4), () => `(${e()}).bit_length()`],
    [w.if('integers', 0.4), () => `abs(${e()}) ** ${w.pick(['2', '3'])}`],
    [w.if('integers', 0.3), () => `math.${w.pick(['gcd', 'comb', 'lcm'])}(abs(${e()}), ${w.pick(['2', '6', '3'])})`],
    [0.4, () => `int(${bool(w, d - 1)})`],
    [0.5, () => `((${bool(w, d - 1)}) + (${bool(w, d - 1)}))`],
    [w.if('list', 0.5), () => `${list(w, d - 1)}.count(${w.pick(FLOATS)})`],
  ]);
}

export function bool(w: Writer, d = 2): string {
  const e = (): string => bool(w, d - 1);
  const comparison = (): string => `${num(w, d - 1)} ${w.pick(COMPARISONS)} ${num(w, Math.min(1, d - 1))}`;
  if (d <= 0) {
    return w.choose([
      [5, () => `${element(w)} ${w.pick(COMPARISONS)} ${w.pick([...FLOATS, ...INTS])}`],
      [1, () => w.find('bool')?.name ?? 'True'],
      [0.3, () => w.pick(['True', 'False'])],
    ]);
  }
  return w.choose([
    [6, () => comparison()],
    [
      1.2,
      () => `${w.pick(FLOATS)} ${w.pick(['<', '<='])} ${num(w, d - 1)} ${w.pick(['<', '<=', '!=', '=='])} ${num(w, 0)}`,
    ],
    [2, () => `(${e()} ${w.pick(['and', 'or'])} ${e()})`],
    [1, () => `not (${e()})`],
    [1, () => `${w.pick(['any', 'all'])}(v ${w.pick(COMPARISONS)} ${w.pick(FLOATS)} for v in ${sequence(w, d - 1)})`],
    [0.4, () => `${w.pick(['any', 'all'])}([v ${w.pick(COMPARISONS)} ${num(w, 0)} for v in ${sequence(w, d - 1)}])`],
    [0.6, () => `${num(w, d - 1)} in (${w.pick(INTS)}, ${w.pick(FLOATS)})`],
    [0.3, () => `${num(w, d - 1)} ${w.pick(['in', 'not in'])} ${sequence(w, d - 1)}`],
    [0.3, () => `isinstance(${num(w, d - 1)}, ${w.chance(0.5) ? w.pick(CLASSES) : '(int, float)'})`],
    [0.2, () => `bool(${num(w, d - 1)})`],
    [0.2, () => `(${e()}) is ${w.pick(['True', 'False'])}`],
    [0.3, () => `math.${w.pick(['isnan', 'isinf', 'isfinite'])}(${num(w, d - 1)})`],
    [w.if('any', 5), () => test(w, any(w, d - 1))],
    [w.if('text', 1.2), () => textTest(w, d - 1)],
    [w.if('dict', 0.7), () => `${w.pick(INTS)} in ${dict(w, d - 1).text}`],
    [w.if('list', 0.8), () => `${list(w, d - 1)} ${w.pick(['==', '!=', '<'])} ${list(w, d - 1)}`],
    [w.if('list', 0.6), () => `${w.pick(['', 'not '])}${list(w, d - 1)}`],
    [w.if('calls', 0.5), () => `callable(${any(w, d - 1)})`],
    [1, () => helperCall(w, d - 1, 'bool') ?? comparison()],
  ]);
}

/** A value whose kind depends on x. */
export function any(w: Writer, d = 2): string {
  const one = (): string => definite(w, d - 1);
  const c = (): string => bool(w, Math.min(1, d - 1));
  return w.choose([
    [3, () => w.find('any')?.name ?? `(${one()} if ${c()} else None)`],
    [4, () => helperCall(w, d - 1, 'any') ?? `(None if ${c()} else ${one()})`],
    [4, () => `(${one()} if ${c()} else ${one()})`],
    [2, () => `(${w.pick(['None', num(w, 0)])} if ${c()} else ${w.pick(['None', num(w, 0), '"no"'])})`],
    [2, () => `(${c()} and ${one()} or ${one()})`],
    [1.5, () => `(${one()} ${w.pick(['or', 'and'])} ${one()})`],
    [1, () => `(${c()} and ${one()})`],
    [w.if('dict', 3), () => `${dict(w, d - 1).text}.get(${key(w)}${w.chance(0.3) ? `, ${one()}` : ''})`],
    [w.if('list', 1), () => `[${one()}, ${one()}][${c()}]`],
    [w.if('list', 1), () => `(${one()}, ${one()}, ${one()})[int(abs(${num(w, 0)})) % 3]`],
    [
      w.if('generators', 1),
      () =>
        `next((v for v in ${sequence(w, d - 1)} if v ${w.pick(COMPARISONS)} ${w.pick(FLOATS)}), ${w.pick(['None', '"none"', '-1', '0.0'])})`,
    ],
    [w.if('calls', 0.5), () => `(lambda q: ${one()} if q > 0 else ${one()})(${num(w, 0)})`],
    [w.if('text', 1), () => text(w, d - 1)],
    [w.if('sorting', 0.7), () => `max([${one()}, ${one()}], key=lambda q: q is None)`],
    [w.if('list', 1), () => list(w, d - 1)],
    [0.5, () => `(None, ${num(w, 0)})[${c()}]`],
    [0.3, () => `(${num(w, 0)} if ${c()} else ${bool(w, 0)})`],
    [
      w.if('classes', 0.7),
      () => `getattr(${objectOf(w)}, ${w.pick(['"a"', '"k"', '"zz"'])}, ${w.pick(['None', '1.5', '"no"'])})`,
    ],
  ]);
}

/** A value of one kind, whichever. */
export function definite(w: Writer, d: number): string {
  return w.choose([
    [3, () => num(w, Math.min(d, 1))],
    [2, () => 'None'],
    [w.has('text') ? 2.5 : 0.5, () => w.pick(TEXTS)],
    [1, () => w.pick(INTS)],
    [0.5, () => w.pick(['True', 'False'])],
    [w.if('list', 1.5), () => w.pick(['[]', '[1]', '[1.0, 2.0]', '()', '(1, None)', '[None]', '[0]'])],
    [w.if('dict', 0.5), () => w.pick(['{}', '{"a": 1}'])],
    [w.if('calls', 0.2), () => w.pick(['abs', 'len', 'float'])],
    [w.if('classes', 0.3), () => objectOf(w)],
  ]);
}

/** Something of `value` that is true or false. */
export function test(w: Writer, value: string): string {
  return w.choose([
    [3, () => `${value} is ${w.pick(['None', 'not None'])}`],
    [2.5, () => `not ${wrap(value)}`],
    [1.5, () => `bool(${value})`],
    [2, () => `${value} ${w.pick(['==', '!='])} ${definite(w, 1)}`],
    [1, () => `${definite(w, 1)} ${w.pick(['==', '!='])} ${value}`],
    [
      1,
      () =>
        `${value} in ${w.pick(['(None, 3.0)', '[1, "a"]', '("ok", 2)', '{"a": 1, 2: 3}', '(0, 1)', '{"ok", "b"}'])}`,
    ],
    [
      0.7,
      () =>
        `isinstance(${value}, ${w.chance(0.7) ? w.pick(CLASSES) : w.pick(['(int, float)', '(str, list)', '(int, str)'])})`,
    ],
    [0.5, () => `type(${value}) ${w.pick(['is', '=='])} ${w.pick(CLASSES)}`],
    [0.5, () => `${value} ${w.pick(['==', 'is', '!='])} ${any(w, 1)}`],
    [0.4, () => `${w.pick(['any', 'all'])}([${value}, ${definite(w, 1)}])`],
    [0.3, () => `callable(${value})`],
    [0.3, () => `${value} ${w.pick(['<', '>', '<=', '>='])} ${num(w, 0)}`],
    [0.2, () => `[${value}] == [${definite(w, 1)}]`],
    [0.2, () => `(${value}, 1) ${w.pick(['==', '!='])} (${definite(w, 1)}, 1)`],
    [w.if('formats', 0.6), () => `f"{${unquoted(value)}}" == ${w.pick(['"None"', '"ok"', '"1"', '""'])}`],
    [w.if('formats', 0.4), () => `str(${value}) ${w.pick(['==', '!='])} ${w.pick(['"None"', '"ok"', '"1"'])}`],
    [0.2, () => `type(${value}).__name__ == ${w.pick(['"float"', '"NoneType"', '"str"', '"int"'])}`],
  ]);
}

/** Before 3.12 the quotes of an f-string may not occur in its fields. */
const unquoted = (value: string): string => (/\bf["']|'|\\/.test(value) ? '1' : value.replaceAll('"', "'"));

/** A number made of a value of several kinds. */
export function observed(w: Writer, d = 1): string {
  const v = any(w, d);
  return w.choose([
    [5, () => `(${num(w, 0)} if ${w.chance(0.4) ? v : test(w, v)} else ${num(w, 0)})`],
    [2, () => `(${v} or ${num(w, 0)})`],
    [1, () => `(${v} and ${num(w, 0)} or ${num(w, 0)})`],
    [1, () => `{None: 1.0, "ok": 2.0, 1: 3.0, "": 4.0}.get(${v}, ${num(w, 0)})`],
    [0.7, () => `sum(1 for v in [${v}, ${definite(w, 1)}] if v)`],
    [0.7, () => `len(list(filter(None, [${v}, ${definite(w, 1)}])))`],
    [0.5, () => `[${definite(w, 1)}, None, "ok"].count(${v})`],
    [0.5, () => `len(${v})`],
    [0.6, () => `len([v for v in (${v}, ${definite(w, 1)}) if v is not None])`],
    [0.5, () => `(${v} if ${v} is not None else ${num(w, 0)})`],
    [0.5, () => `float(${test(w, v)})`],
    [0.3, () => `${v}`],
    [0.3, () => `(${v} + ${num(w, 0)})`],
    [0.3, () => `(lambda q=${v}: ${num(w, 0)} if q else ${num(w, 0)})()`],
  ]);
}

export function text(w: Writer, d = 1): string {
  const e = (): string => text(w, d - 1);
  if (d <= 0) return w.find('text')?.name ?? w.pick(TEXTS);
  return w.choose([
    [2, () => text(w, 0)],
    [4, () => `(${e()} if ${bool(w, d - 1)} else ${e()})`],
    [1, () => `(${e()} + ${e()})`],
    [
      1,
      () =>
        `${e()}.${w.pick(['upper()', 'strip()', 'lower()', 'title()', 'replace("a", "b")', 'split()[0]', 'zfill(3)'])}`,
    ],
    [0.7, () => `"-".join([${e()}, ${e()}])`],
    [0.5, () => `${e()} * ${w.pick(['2', '0', 'int(' + num(w, 0) + ')'])}`],
    [0.5, () => `${e()}[${w.pick(['0', '-1', ':1', '::-1', '1:'])}]`],
    [1, () => `str(${w.chance(0.6) ? int(w, d - 1) : num(w, d - 1)})`],
    [w.if('formats', 1), () => `f"{${unquoted(w.chance(0.5) ? int(w, 0) : e())}}${w.pick(['', '-x', ' '])}"`],
    [w.if('formats', 0.5), () => `"%${w.pick(['s', 'd', '.2f'])}" % (${num(w, 0)},)`],
    [w.if('formats', 0.5), () => `"{}${w.pick(['', ':{}'])}".format(${e()}, ${int(w, 0)})`],
    [1, () => helperCall(w, d - 1, 'text') ?? e()],
  ]);
}

function textTest(w: Writer, d: number): string {
  const t = text(w, d);
  return w.choose([
    [3, () => `${t} ${w.pick(['==', '!=', '<', '>='])} ${text(w, 0)}`],
    [1, () => `${w.pick(TEXTS)} in ${t}`],
    [1, () => `${t}.${w.pick(['startswith', 'endswith'])}(${w.pick(TEXTS)})`],
    [1, () => `${t} in ${w.pick(['("ok", "a")', '{"a": 1, "b": 2}', '["low", "bad"]', '"lowbad"'])}`],
    [0.5, () => `${t}.${w.pick(['isdigit', 'isalpha', 'islower'])}()`],
    [1, () => `not ${t}`],
  ]);
}

function fromText(w: Writer, d: number): string {
  return w.choose([
    [2, () => `len(${text(w, d)})`],
    [2, () => `(${num(w, 0)} if ${textTest(w, d)} else ${num(w, 0)})`],
    [1, () => `{"a": 1.0, "b": 2.0, "ok": 3.0}.get(${text(w, d)}, 0.5)`],
    [0.5, () => `${text(w, d)}.${w.pick(['count', 'find'])}(${w.pick(TEXTS)})`],
    [0.4, () => `float(${w.pick(['"1.5"', '"1e3"', '" 2 "', '"nan"', '"a"'])})`],
    [0.4, () => `int(${w.pick(['"12"', '"-3"', '"0x1f", 16', '"7"'])})`],
    [0.3, () => `ord(${text(w, 0)}[0])`],
    [0.5, () => `(${text(w, d)} and ${num(w, 0)} or ${num(w, 0)})`],
  ]);
}

/** Something to go through; numbers. */
export function sequence(w: Writer, d: number): string {
  return w.choose([
    [5, () => vectorName(w) ?? list(w, d)],
    [1, () => list(w, d)],
    [0.5, () => `range(${w.pick(['2', '3', '4'])})`],
  ]);
}

export function list(w: Writer, d = 1): string {
  const known = w.find('list');
  if (d <= 0) return known !== null && w.chance(0.7) ? known.name : `[${num(w, 0)}, ${num(w, 0)}]`;
  const c = (): string => bool(w, d - 1);
  return w.choose([
    [3, () => known?.name ?? `list(${vectorName(w) ?? '(1.0, 2.0)'})`],
    [2, () => `[${Array.from({ length: 1 + w.below(3) }, () => num(w, d - 1)).join(', ')}]`],
    [
      2,
      () =>
        `[${within(w, ['v'], () => num(w, d - 1))} for v in ${sequence(w, d - 1)}${w.chance(0.4) ? ` if v ${w.pick(COMPARISONS)} ${w.pick(FLOATS)}` : ''}]`,
    ],
    [1, () => `list(${vectorName(w) ?? '(1.0,)'})`],
    [1, () => `sorted(${sequence(w, d - 1)}${w.chance(0.4) ? ', reverse=True' : ''})`],
    [0.7, () => `${list(w, d - 1)}[${w.pick(['1:', ':-1', '::-1', '::2', ':1', ':'])}]`],
    // Of two names for x nothing says that lists are meant.
    [0.7, () => `(${list(w, d - 1)} + list(${list(w, d - 1)}))`],
    [0.4, () => `[${num(w, 0)}] * ${w.pick(['2', '3', 'len(' + (vectorName(w) ?? '[1]') + ')'])}`],
    [0.8, () => `([] if ${c()} else [${num(w, 0)}])`],
    [0.5, () => `(${list(w, d - 1)} if ${c()} else ${list(w, d - 1)})`],
    [0.4, () => `list(map(abs, ${sequence(w, d - 1)}))`],
    [0.4, () => `list(map(lambda q: ${within(w, ['q'], () => num(w, d - 1))}, ${sequence(w, d - 1)}))`],
    [0.4, () => `list(filter(lambda q: q ${w.pick(COMPARISONS)} ${w.pick(FLOATS)}, ${sequence(w, d - 1)}))`],
    [0.4, () => `[a - b for a, b in zip(${sequence(w, d - 1)}, ${sequence(w, d - 1)})]`],
    [0.4, () => `[i * v for i, v in enumerate(${sequence(w, d - 1)}${w.chance(0.3) ? ', 1' : ''})]`],
    [0.3, () => `list(${dict(w, d - 1).text}.values())`],
    [0.3, () => `list(reversed(${sequence(w, d - 1)}))`],
    [w.if('unpacking', 0.6), () => `[*${sequence(w, d - 1)}, ${num(w, 0)}]`],
    [0.8, () => helperCall(w, d - 1, 'list') ?? list(w, 0)],
  ]);
}

/** What `write` gives while these names are known to hold numbers: those of a comprehension or a lambda. */
function within(w: Writer, names: readonly string[], write: () => string): string {
  const before = w.variables;
  w.variables = [...before, ...names.map((name): Variable => ({ name, kind: 'num' }))];
  const text = write();
  w.variables = before;
  return text;
}

function fromList(w: Writer, d: number): string {
  const l = list(w, d);
  return w.choose([
    [2, () => `sum(${l})`],
    [2, () => `${l}[${w.pick(['0', '-1', '1', `int(abs(${num(w, 0)})) % 2`])}]`],
    [1, () => `len(${l})`],
    [1, () => `${w.pick(['max', 'min'])}(${l}${w.chance(0.3) ? `, default=${num(w, 0)}` : ''})`],
    [0.6, () => `(${num(w, 0)} if ${l} else ${num(w, 0)})`],
    [0.3, () => `${l}.index(${w.pick(FLOATS)})`],
    [0.3, () => `sum([${l}, ${list(w, 0)}], [])[0]`],
    [0.3, () => `max(enumerate(${l}), key=lambda p: p[1])[${w.below(2)}]`],
    [0.3, () => `next(iter(${l}))`],
    [0.3, () => `next(iter(${l}), ${num(w, 0)})`],
    [0.2, () => `${l}.pop()`],
    [0.2, () => `math.fsum(${l})`],
  ]);
}

function reduced(w: Writer, d: number): string {
  const inner = (): string => within(w, ['v'], () => num(w, d));
  const over = sequence(w, d);
  return w.choose([
    [3, () => `sum(${inner()} for v in ${over})`],
    [1, () => `${w.pick(['max', 'min'])}(${inner()} for v in ${over})`],
    [
      1,
      () =>
        `sum(v for v in ${over} if ${w.has('any') ? within(w, ['v'], () => test(w, any(w, 1))) : `v > ${w.pick(FLOATS)}`})`,
    ],
    [0.6, () => `sum((v if v > 0 else None) is None for v in ${over})`],
    [0.5, () => `sum(a * b for a, b in zip(${over}, ${sequence(w, d)}))`],
    [0.5, () => `sum((v - i) * (v - i) for i, v in enumerate(${over}))`],
    [0.4, () => `sum(a * b for a in ${over} for b in ${sequence(w, 0)} if a != b)`],
    [0.3, () => `math.prod(${over})`],
  ]);
}

export interface DictText {
  readonly text: string;
  readonly keys: readonly string[];
}

export function dict(w: Writer, d: number): DictText {
  const known = w.find('dict');
  if (known !== null && (d <= 0 || w.chance(0.5))) return { text: known.name, keys: known.keys ?? ['"a"', '0'] };
  return w.choose<DictText>([
    [3, () => ({ text: `{"a": ${num(w, d - 1)}, "b": ${num(w, 0)}}`, keys: ['"a"', '"b"'] })],
    [2, () => ({ text: `{0: ${num(w, 0)}, 1: ${num(w, 0)}, 2: ${w.pick(FLOATS)}}`, keys: ['0', '1', '2'] })],
    [1, () => ({ text: `{i: v for i, v in enumerate(${sequence(w, d - 1)})}`, keys: ['0'] })],
    [
      0.7,
      () => ({ text: `dict(a=${num(w, 0)}, b=${w.has('any') ? definite(w, 1) : num(w, 0)})`, keys: ['"a"', '"b"'] }),
    ],
    [
      w.if('any', 2),
      () => ({ text: `{0: ${definite(w, 1)}, 1: ${definite(w, 1)}, "a": ${definite(w, 1)}}`, keys: ['0', '1', '"a"'] }),
    ],
    [0.5, () => ({ text: `{True: ${num(w, 0)}, False: ${num(w, 0)}}`, keys: ['True', 'False'] })],
    [0.5, () => ({ text: `dict(zip(("a", "b"), ${sequence(w, d - 1)}))`, keys: ['"a"'] })],
    [w.if('unpacking', 0.5), () => ({ text: `{**${dict(w, 0).text}, "a": ${num(w, 0)}}`, keys: ['"a"'] })],
  ]);
}

/** A key that may be there: constant, or by x. */
export function key(w: Writer): string {
  return w.choose([
    [3, () => `int(${num(w, 0)})`],
    [1.5, () => `int(abs(${num(w, 0)}))`],
    [1, () => `${num(w, 0)} > ${w.pick(FLOATS)}`],
    [1, () => w.pick(['"a"', '"b"', '0', '1', '"zz"', '2'])],
    [0.7, () => num(w, 0)],
    [w.if('text', 1), () => text(w, 1)],
    [w.if('any', 0.6), () => any(w, 1)],
  ]);
}

function fromDict(w: Writer, d: number): string {
  const { text: t, keys } = dict(w, d);
  return w.choose([
    [3, () => `${t}[${w.pick(keys)}]`],
    [2, () => `${t}[${key(w)}]`],
    [3, () => `${t}.get(${key(w)}, ${num(w, 0)})`],
    [1, () => `len(${t})`],
    [1, () => `sum(${t}.values())`],
    [0.5, () => `(${num(w, 0)} if ${key(w)} in ${t} else ${num(w, 0)})`],
    [0.6, () => `max(${t}, key=${t}.get)`],
    [0.4, () => `sum(k for k in ${t} if isinstance(k, int))`],
    [0.4, () => `list(${t}.items())[0][${w.below(2)}]`],
    [0.4, () => `${w.pick(['max', 'min'])}(${t}.values())`],
    [0.2, () => `${t}.pop(${w.pick(keys)}, ${num(w, 0)})`],
    [0.2, () => `${t}.setdefault(${key(w)}, ${num(w, 0)})`],
  ]);
}

function fromSet(w: Writer, d: number): string {
  return w.choose([
    [2, () => `len(set(${sequence(w, d)}))`],
    [1, () => `len({${num(w, d)}, ${num(w, 0)}})`],
    [1, () => `(${num(w, 0)} if ${num(w, 0)} in {1, 2.0, -1} else ${num(w, 0)})`],
    [0.7, () => `len({1, 2} ${w.pick(['|', '&', '-', '^'])} {2, int(${num(w, 0)})})`],
    [0.5, () => `sum({1.0, 2.0, ${num(w, 0)}})`],
    [0.5, () => `len({v > 0 for v in ${sequence(w, d)}})`],
  ]);
}

function sortedPart(w: Writer, d: number): string {
  const s = sequence(w, d);
  return w.choose([
    [2, () => `sorted(${s})[${w.pick(['0', '-1', 'len(' + s + ') // 2'])}]`],
    [
      2,
      () =>
        `sorted(${s}, key=${w.pick(['abs', 'lambda q: -q', 'lambda q: q * q', 'lambda q: (q > 0, q)', 'lambda q: -abs(q)'])})[0]`,
    ],
    [1, () => `${w.pick(['max', 'min'])}(${s}, key=${w.pick(['abs', 'lambda q: -q', 'lambda q: q % 2'])})`],
    [1, () => `sorted(range(len(${s})), key=lambda i: ${s}[i])[0]`],
    [1, () => `sorted([(${num(w, 0)}, "b"), (${num(w, 0)}, "a")])[0][0]`],
    [0.6, () => `sorted([${num(w, 0)}, ${num(w, 0)}, ${num(w, 0)}], reverse=${w.pick(['True', 'False'])})[1]`],
    [
      w.if('any', 0.7),
      () => `sorted([3.0, ${num(w, 0)}], key=lambda q: q if q > 0 else ${w.pick(['0', '-1.0', 'abs(q)'])})[0]`,
    ],
    [0.6, () => `max([(${num(w, 0)}, 1.0), (${num(w, 0)}, 2.0)])[1]`],
  ]);
}

function immediateCall(w: Writer, d: number): string {
  return w.choose([
    [
      2,
      () =>
        `(lambda a, b=${num(w, 0)}: ${w.pick(['a + b', 'a if a > b else b', 'a * 2 - b'])})(${num(w, d)}${w.chance(0.3) ? `, ${num(w, 0)}` : ''})`,
    ],
    [1, () => `(lambda *q: len(q) + sum(q))(${num(w, d)}, ${num(w, 0)})`],
    [1, () => `(lambda **q: sum(q.values()))(u=${num(w, d)}, v=${num(w, 0)})`],
    [1, () => `[lambda: ${num(w, 0)}, lambda: ${num(w, 0)}][${bool(w, 0)}]()`],
    [1, () => `(abs if ${bool(w, 0)} else float)(${num(w, d)})`],
    [0.5, () => `(lambda *q, k=1.0, **z: q[0] * k)(*${sequence(w, d)}${w.chance(0.5) ? ', k=2.0' : ''})`],
  ]);
}

function walrus(w: Writer, d: number): string {
  const name = w.fresh('h');
  return w.choose([
    [2, () => `((${name} := ${num(w, d)}) * ${name})`],
    [1, () => `(${name} if (${name} := ${num(w, d)}) > 0 else -${name})`],
    [1, () => `sum([(${name} := v) for v in ${sequence(w, 0)}])`],
    [0.5, () => `(${name} if (${name} := ${w.has('any') ? any(w, 1) : num(w, 1)}) else ${num(w, 0)})`],
  ]);
}

export function objectOf(w: Writer): string {
  const known = w.find('object');
  if (known !== null && w.chance(0.6)) return known.name;
  return w.classes.length > 0 ? w.pick(w.classes).make : w.pick(['object()', '1.5']);
}

function fromObject(w: Writer, d: number): string {
  if (w.classes.length === 0) return num(w, d);
  const c = w.pick(w.classes);
  const known = w.find('object');
  const o = known !== null && w.chance(0.6) ? known.name : c.make;
  const methods = c.methods.filter(({ gives }) => gives === 'num');
  return w.choose([
    [2, () => `${o}.${c.attributes.length > 0 ? w.pick(c.attributes) : 'a'}`],
    [methods.length > 0 ? 2 : 0, () => `${o}.${w.pick(methods).name}(${num(w, d)})`],
    [0.6, () => `getattr(${o}, "${c.attributes.length > 0 ? w.pick(c.attributes) : 'a'}", ${num(w, 0)})`],
    [0.3, () => `(${num(w, 0)} if hasattr(${o}, ${w.pick(['"a"', '"k"', '"zz"'])}) else ${num(w, 0)})`],
    [0.3, () => `float(${o} == ${o})`],
    [0.4, () => `(1.0 if isinstance(${o}, ${c.name}) else 2.0)`],
  ]);
}

export function helperCall(w: Writer, d: number, gives: Kind): string | null {
  const fitting = w.helpers.filter((h) => h.gives === gives);
  if (fitting.length === 0) return null;
  const helper = w.pick(fitting);
  const given = helper.takes.map((kind) => expression(w, kind, Math.min(d, 1)));
  return `${helper.name}(${given.join(', ')})`;
}

export function expression(w: Writer, kind: Kind, d: number): string {
  switch (kind) {
    case 'num':
      return num(w, d);
    case 'int':
      return int(w, d);
    case 'bool':
      return bool(w, d);
    case 'text':
      return text(w, d);
    case 'any':
      return any(w, d);
    case 'list':
      return list(w, d);
    case 'dict':
      return dict(w, d).text;
    case 'object':
      return objectOf(w);
    case 'vector':
    case 'array':
    case 'matrix':
      return vectorName(w) ?? list(w, d);
  }
}

/**
 * Work at compile time is counted before it is done: the engine ends the process where a text or an array is too large
 * for it. Each of these sources did that once, or kept the compiler busy for minutes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { interpret } from '../ir/interpreter.js';
import { analyzeUpload, compileObjective } from './compile.js';

const MODULES = 'import copy\nimport itertools\nimport numpy as np\n';
const TOO_LARGE = 'the function is too large to unroll';

const body = (code: string): string => `${MODULES}def f(x):\n${code.replace(/^/gm, '    ')}\n`;
const expression = (code: string): string => body(`return x[0] + ${code}`);
const doubling = (code: string): string => body(`s = 'ab'\nfor k in range(60):\n    s = ${code}\nreturn x[0] + len(s)`);
/** With a text of 900,000 characters. */
const withText = (code: string): string => body(`s = 'a' * 900000\n${code}`);

function reasonOf(code: string, dimension = 2): string | undefined {
  const { source, errors } = analyzeUpload(code, 'f', { pythonMinor: 11 });
  if (source === null) throw new Error(JSON.stringify(errors));
  return compileObjective(source, { dimension, pythonMinor: 11 }).reasons[0]?.message;
}

const LARGE: readonly (readonly [name: string, code: string])[] = [
  ['an f-string with a wide field', expression("len(f'{3:106000000}')")],
  ['zeros before a number', expression("len(f'{3:0106000000}')")],
  ['a wide field of format()', expression("len('{:120000000}'.format(3))")],
  ['a wide format', expression("len(format(3, '120000000'))")],
  ['a width of 400 digits', expression(`len(f'{3:${'9'.repeat(400)}}')`)],
  ['a wide field of text', expression("len('{:>120000000}'.format('a'))")],
  ['many digits of a number that depends on x', body("s = f'{x[0]:.120000000f}'\nreturn x[0]")],
  ['a wide field after %', body("s = '%120000000d' % 3\nreturn x[0]")],
  ['many digits after %', body("s = '%.120000000f' % x[0]\nreturn x[0]")],
  ['an f-string that doubles', doubling("f'{s}{s}'")],
  ['format() that doubles', doubling("'{}{}'.format(s, s)")],
  ['join() that doubles', doubling("''.join([s, s])")],
  ['+ that doubles', doubling('s + s')],
  ['* that doubles', doubling('s * 2')],
  ['replace() that doubles', doubling("s.replace('a', 'aa')")],
  ['a long separator', expression("len(('b' * 100000).join(['a'] * 1100))")],
  ['a long replacement', expression("len(('a' * 1000).replace('a', 'b' * 100000))")],
  ['text times 10**9', expression("len('a' * 10**9)")],
  ['a search for a long part', withText("return x[0] + (s[:400000] + 'b' in s)")],
  ['counting a long part', withText("return x[0] + s.count(s[:400000] + 'b')")],
  ['finding a long part', withText("return x[0] + s.find(s[:400000] + 'b')")],
  ['splitting at a long part', withText("return x[0] + len(s.split(s[:400000] + 'b'))")],
  ['itertools.product, 10**9 times', expression('len(list(itertools.product(x, repeat=10**9)))')],
  ['itertools.product of one item', expression('len(list(itertools.product([1], repeat=10**9)))')],
  ['permutations of nine', expression('len(list(itertools.permutations(range(9))))')],
  ['itertools.repeat', expression('len(list(itertools.repeat(1, 10**9)))')],
  ['isin() of many in many', expression('np.isin(np.zeros(98000), np.zeros(245000)).sum()')],
  ['empty rows', expression('np.zeros((10**9, 0)).size')],
  ['empty rows by broadcasting', expression('np.broadcast_to(np.zeros((1, 0)), (10**9, 0)).size')],
  ['empty rows, repeated', expression('np.repeat(np.zeros((2, 0)), 10**9, axis=0).size')],
  ['empty rows, tiled', expression('np.tile(np.zeros((1, 0)), (10**9, 1)).size')],
  ['parts of an array', expression('len(np.array_split(x, 10**9))')],
  ['a random order of 10**9', expression('np.random.RandomState(1).permutation(10**9)[0]')],
  [
    'a copy of nested tuples',
    body('t = (1.0,)\nfor k in range(60):\n    t = (t, t)\nreturn x[0] + len(copy.deepcopy(t))'),
  ],
];

/** What is small, whatever the numbers in it are. */
const SMALL: readonly (readonly [name: string, code: string])[] = [
  ['an empty list, many times', expression('len([] * 10**15)')],
  ['an empty tuple, many times', expression('len(() * 10**15)')],
  ['an empty text, many times', expression("len('' * 10**15)")],
  ['differences of order 10**9', expression('np.diff(x, n=10**9).sum()')],
  ['itertools.product of nothing', expression('len(list(itertools.product(repeat=10**9)))')],
  [
    'a text that is no number',
    withText("try:\n    return float(s + '1' * 90000 + 'x')\nexcept ValueError:\n    return x[0]"),
  ],
  [
    'digits that are no number',
    body("try:\n    return float('1' * 900000 + 'x')\nexcept ValueError:\n    return x[0]"),
  ],
  ['many characters to strip', withText("return x[0] + len(s.strip('b' * 90000 + 'a'))")],
];

describe('work at compile time', () => {
  test.each(LARGE)('%s: too large', (_, code) => {
    expect(reasonOf(code)).toBe(TOO_LARGE);
  });

  test.each(SMALL)('%s: compiled', (_, code) => {
    expect(reasonOf(code)).toBeUndefined();
  });

  test('a text may be small in the dimensions of an upload and large in those of a run', () => {
    const code = body("s = 'ab'\nfor v in x:\n    s = f'{s}{s}'\nreturn x[0] + len(s)");
    expect(reasonOf(code, 2)).toBeUndefined();
    expect(reasonOf(code, 18)).toBeUndefined();
    expect(reasonOf(code, 26)).toBe(TOO_LARGE);
    expect(reasonOf(code, 400)).toBe(TOO_LARGE);
  });

  test('a key with too many parts is refused while it is made', () => {
    const key = 'a key of a dict or set that has too many parts';
    expect(reasonOf(body("t = (('a' * 60000,),) * 90000\nd = {t: 1}\nreturn x[0]"))).toBe(key);
  });

  test('a reason does not repeat a long text', () => {
    expect(reasonOf(withText('return getattr(x, s)'))?.length).toBeLessThan(1100);
  });

  test('keys that hold infinities are told apart', () => {
    const { source } = analyzeUpload(
      body("d = {(float('inf'), 1): 1, (float('-inf'), 1): 2}\nreturn x[0] + len(d)"),
      'f',
    );
    const { ir } = compileObjective(source!, { dimension: 1, pythonMinor: 11 });
    expect(interpret(ir!, [0]).value).toBe(2);
  });
});

/** Lines of the front end outside of its syntax, with the file that each is in. */
function linesOf(pattern: RegExp): string[] {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('syntax'),
  );
  return files.flatMap((file) => {
    const code = readFileSync(path.join(folder, file), 'utf8');
    return [...code.matchAll(pattern)].map(([found]) => `${file.replaceAll(path.sep, '/')}: ${found}`);
  });
}

describe('text that is known at compile time', () => {
  const MAKER = 'machine/known-texts.ts: ';

  test('is made by known-texts.ts, but for names, literals, digits and characters', () => {
    const made = linesOf(/(?<![\w.])string\((?!value: string\))[^()]*(\([^()]*\))?|map\(string\)/g);
    const sources = new Set(made.filter((line) => !line.startsWith(MAKER)).map((line) => line.trim()));
    expect([...sources].sort()).toEqual([
      'library/attributes.ts: string(object.name',
      "library/builtins.ts: string(''",
      'library/builtins.ts: string(name',
      'library/dataclasses.ts: map(string)',
      'library/list-methods.ts: map(string)',
      'library/list-methods.ts: string(field',
      'library/standard-library.ts: string(name',
      "library/strings.ts: string(''",
      "library/strings.ts: string('None'",
      'library/strings.ts: string(isIntKind(value.kind)',
      "library/strings.ts: string(value.known !== 0 ? 'True' : 'False'",
      // Pieces of one text, which is counted.
      'library/text-methods.ts: map(string)',
      'library/text-methods.ts: string(p',
      'run/expressions.ts: string(node.value',
      'run/functions.ts: string(k',
      'run/items.ts: string(characters[this.staticIndex(index, characters.length, position)',
      "run/names.ts: string('objective'",
      'run/sequences.ts: map(string)',
      'run/texts.ts: string(left.value',
    ]);
  });

  test('is a value of `string` alone', () => {
    expect(linesOf(/(?<!readonly )\btag: 'string'(?=[ ,}])/g)).toEqual(["values/values.ts: tag: 'string'"]);
  });

  test('is widened and repeated by known-texts.ts alone', () => {
    const changed = linesOf(/\.(padStart|padEnd|repeat)\((?!\))/g).filter((line) => !line.startsWith(MAKER));
    // The digits of a number.
    expect(new Set(changed.map((line) => line.split(':')[0]))).toEqual(new Set(['library/float-text.ts']));
  });
});

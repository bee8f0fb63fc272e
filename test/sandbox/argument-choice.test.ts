/** How a process decides by itself whether an objective takes a list or an array, and what follows for its checks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { EvaluationOutput } from '../../src/backends/backend.js';
import { createOutput } from '../../src/backends/backend.js';
import { pythonFile } from '../../src/backends/cpython/interpreter.js';
import type { ArgumentChoice } from '../../src/backends/cpython/protocol.js';
import { packageRoot } from '../../src/common/dist-entry.js';
import { argumentKind } from '../../src/frontend/argument-kind.js';
import { findObjective } from '../../src/frontend/objective.js';
import { parsePython } from '../../src/frontend/syntax/parser.js';
import { DOUBTFUL_ARGUMENT } from '../../src/model/verification.js';
import { body, OF_ARRAYS, OF_LISTS } from '../support/argument-kinds.js';
import { randomProgram } from '../support/random-python.js';
import { hasNumpy, interpreter, makeBackend, objective, skipWithoutSandbox } from './support.js';

interface Source {
  readonly name: string;
  readonly code: string;
  readonly entry: string | null;
  readonly argument: 'list' | 'ndarray';
}

/** Sources that are objectives, with what the front end says of them. */
function sourcesOf(named: readonly (readonly [string, string])[]): Source[] {
  return named.flatMap(([name, code]) => {
    const { module } = parsePython(code);
    const found = module === null ? null : findObjective(module, 'f');
    if (module === null || found === null || 'error' in found) return [];
    const { objective: one } = found;
    return [{ name, code, entry: one.entry, argument: argumentKind(module, one) }];
  });
}

/** `null`: it cannot tell; `refused`: this interpreter cannot read the source. */
function read(sources: readonly Source[]): (string | null)[] {
  const script = `import ast, json, sys
exec(open(sys.argv[1]).read())
def read(source):
    try:
        tree = ast.parse(source['code'])
    except SyntaxError:
        return 'refused'
    return argument_by_text(tree, source['entry'])
print(json.dumps([read(source) for source in json.load(sys.stdin)]))`;
  const executable = interpreter.available ? interpreter.executable : '';
  const output = execFileSync(executable, ['-c', script, pythonFile('argument.py')], {
    input: JSON.stringify(sources),
  });
  return JSON.parse(output.toString()) as (string | null)[];
}

const differing = (sources: readonly Source[]): string[] => {
  const answers = read(sources);
  return sources.flatMap(({ name, argument }, k) =>
    answers[k] === argument || answers[k] === null || answers[k] === 'refused' ? [] : [`${name}: ${answers[k]}`],
  );
};

function pythonFiles(folder: string): string[] {
  const found = fs.readdirSync(path.join(packageRoot(), folder), { recursive: true, encoding: 'utf8' });
  return found.filter((file) => file.endsWith('.py')).map((file) => path.join(packageRoot(), folder, file));
}

describe('the reading of the text', () => {
  skipWithoutSandbox();

  it.each([
    ['arrays', OF_ARRAYS, 'ndarray'],
    ['lists', OF_LISTS, 'list'],
  ] as const)('is that of the front end for %s, or none, and mostly not none', (_what, named, kind) => {
    const sources = sourcesOf(named);
    expect(sources).toHaveLength(named.length);
    expect(differing(sources)).toEqual([]);
    const answers = read(sources);
    expect(answers.filter((answer) => answer === kind).length).toBeGreaterThan(0.7 * named.length);
  });

  it('differs from the front end nowhere in the programs of the tests, and can tell for all but a few', () => {
    const files = pythonFiles('test/fixtures').map((file) => [file, fs.readFileSync(file, 'utf8')] as const);
    const programs = pythonFiles('test/semantics/programs').flatMap((file) =>
      fs
        .readFileSync(file, 'utf8')
        .split(/^#: /m)
        .slice(1)
        .map((part) => [`${path.basename(file)}: ${part.split('\n')[0]}`, part.slice(part.indexOf('\n') + 1)] as const),
    );
    const random = Array.from({ length: 1_000 }, (_, k) => {
      const { code } = randomProgram(91_000_000 + k, k % 2 === 0 ? 'exact' : 'smooth');
      return [`random program ${k}`, code] as const;
    });
    const sources = sourcesOf([...files, ...programs, ...random]);
    expect(sources.length).toBeGreaterThan(2_000);
    expect(differing(sources)).toEqual([]);
    expect(read(sources).filter((answer) => answer === null).length).toBeLessThan(5);
  });
});

describe('a process that is to decide by itself', () => {
  skipWithoutSandbox();
  const backend = makeBackend();
  afterAll(() => backend.close());

  async function evaluate(
    code: string,
    given: 'list' | 'ndarray',
    argument: ArgumentChoice,
    rows: readonly (readonly number[])[] = [[3, 4]],
  ): Promise<EvaluationOutput> {
    const dimension = rows[0].length;
    const kernel = await backend.open(objective(code, { argument: given, dimension }), { argument });
    try {
      const output = createOutput(rows.length);
      await kernel.evaluate({ candidates: Float64Array.from(rows.flat()), count: rows.length, dimension }, output);
      return output;
    } finally {
      await kernel.close();
    }
  }

  const LIST = body('return 1.0 if isinstance(x, list) else 2.0');
  const ARRAY = body('try:', '    return sum(x ** 2)', 'except TypeError:', '    return -1.0');

  it.skipIf(!hasNumpy)('gives a list where the text shows one (needs NumPy)', async () => {
    expect((await evaluate(LIST, 'ndarray', 'given')).values[0]).toBe(2);
    expect((await evaluate(LIST, 'ndarray', 'read')).values[0]).toBe(1);
    expect((await evaluate(LIST, 'ndarray', 'checked')).values[0]).toBe(1);
  });

  it.skipIf(!hasNumpy)('gives an array where the text shows one (needs NumPy)', async () => {
    expect((await evaluate(ARRAY, 'list', 'given')).values[0]).toBe(-1);
    expect((await evaluate(ARRAY, 'list', 'read')).values[0]).toBe(25);
    const imports = `import numpy as np\n${LIST}`;
    expect((await evaluate(imports, 'list', 'checked')).values[0]).toBe(2);
  });

  const OPEN = ['if len(x) == 2:', '    a, b = x', '    x = a'];
  /** Of the number by the kind of `x[0]`. */
  const UNCLEAR = body(...OPEN, 'return x ** 2 + (1.0 if type(x) is float else 2.0)');

  it.skipIf(!hasNumpy)('doubts what the text leaves open, where it matters (needs NumPy)', async () => {
    expect((await evaluate(UNCLEAR, 'list', 'read')).values[0]).toBe(10);
    for (const kind of ['list', 'ndarray'] as const) {
      const { failures, status } = await evaluate(UNCLEAR, kind, 'checked');
      expect(status[0]).toBe(255);
      expect(failures).toMatchObject([{ index: 0, type: DOUBTFUL_ARGUMENT }]);
      expect(failures[0].message).toContain('[10.0]');
    }
  });

  it('has no doubt where both kinds give the same value, or the other one none', async () => {
    const same = body(...OPEN, 'return x ** 2');
    expect((await evaluate(same, 'list', 'checked')).values[0]).toBe(9);
    const raising = body(...OPEN, 'return 1 / x if type(x) is float else x[0]');
    expect((await evaluate(raising, 'list', 'checked')).values[0]).toBe(1 / 3);
  });

  it('calls a function that keeps something once for each point', async () => {
    const code = `calls = []\n${body(...OPEN, 'calls.append(x ** 2)', 'return len(calls) + (0.0 if type(x) is float else 0.5)')}`;
    const rows = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    expect([...(await evaluate(code, 'list', 'checked', rows)).values]).toEqual([1, 2, 3]);
  });

  it('leaves its argument to the objective, which may change it', async () => {
    const code = body('y = x', ...OPEN, 'y[0] += 1.0', 'return y[0] + x ** 2');
    expect((await evaluate(code, 'list', 'checked')).values[0]).toBe(13);
  });
});

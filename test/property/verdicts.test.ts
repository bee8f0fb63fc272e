/** What the judge says of compiled code that is right: a misreading would be a false alarm. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Rng } from '../../src/common/rng.js';
import { loadPrograms, populationOf } from '../support/differential.js';
import { MATH, NUMPY, SCIPY, SIGNED } from '../support/library-expressions.js';
import { compiledPrograms, corners } from '../support/objective-fixtures.js';
import { findPython } from '../support/python.js';
import { randomProgram } from '../support/random-python.js';
import { judgeAll, type JudgedProgram } from '../support/verdicts.js';

const python = findPython('numpy', 'scipy');
const suffix = python.command === null ? ` (${python.reason})` : '';
/** More of everything, for figures: EXTREMUM_VERDICTS=10. */
const FACTOR = Number(process.env['EXTREMUM_VERDICTS'] ?? 1);

const within = (bounds: readonly (readonly [number, number])[], count: number): number[][] => {
  const rng = Rng.create(bounds.length + 17);
  return Array.from({ length: count }, () => bounds.map(([lo, hi]) => lo + rng.uniform() * (hi - lo)));
};

function fixturePrograms(): JudgedProgram[] {
  return compiledPrograms().map(({ name, code, dimension, bounds }) => ({
    name,
    code,
    dimension,
    points: [...within(bounds, 8 * FACTOR), ...corners(bounds)],
  }));
}

function examplePrograms(): JudgedProgram[] {
  const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
  const entries = JSON.parse(readFileSync(`${folder}examples.json`, 'utf8')) as {
    file: string;
    bounds: [number, number][];
  }[];
  return entries.map(({ file, bounds }) => ({
    name: file,
    code: readFileSync(folder + file, 'utf8'),
    dimension: bounds.length,
    points: [...within(bounds, 20 * FACTOR), ...corners(bounds)],
  }));
}

function expressions(): JudgedProgram[] {
  const lead = 'import math\nimport numpy as np\nfrom scipy import special, stats\n';
  return [...MATH, ...NUMPY, ...SIGNED, ...SCIPY].map(([expression]) => ({
    name: expression,
    code: `${lead}def f(x):\n    a, b, c = x[0], x[1], x[2]\n    return ${expression}\n`,
    dimension: 3,
    points: populationOf(3, 24 * FACTOR),
  }));
}

function semanticsPrograms(): JudgedProgram[] {
  return loadPrograms().flatMap(({ name, code, dimensions }) =>
    dimensions
      .filter((dimension) => dimension <= 200)
      .map((dimension) => ({
        name: `${name}, n = ${dimension}`,
        code,
        dimension,
        points: populationOf(dimension, 16 * FACTOR),
      })),
  );
}

function randomPrograms(): JudgedProgram[] {
  return Array.from({ length: 150 * FACTOR }, (_, k) => {
    const { code, dimension } = randomProgram(9_000_000 + k, k % 3 === 2 ? 'exact' : 'smooth');
    return { name: `seed ${9_000_000 + k}\n${code}`, code, dimension, points: populationOf(dimension, 12) };
  });
}

describe(`the judge finds nothing to object to${suffix}`, { timeout: 240_000 }, () => {
  const cases: readonly (readonly [string, () => JudgedProgram[]])[] = [
    ['the fixtures', fixturePrograms],
    ['the examples', examplePrograms],
    ['library functions', expressions],
    ['small programs', semanticsPrograms],
    ['random programs', randomPrograms],
  ];
  test.skipIf(python.command === null).each(cases)('in %s', (name, programs) => {
    const { counts, misread, open, notJudged } = judgeAll(python.command ?? '', programs());
    if (process.env['EXTREMUM_VERDICTS'] !== undefined) {
      console.log(`${name}: ${JSON.stringify(counts)}`);
      if (process.env['EXTREMUM_SHOW'] !== undefined) console.log(misread.join('\n'), '\n---\n', open.join('\n'));
    }
    expect(misread).toEqual([]);
    expect(notJudged).toEqual([]);
    expect(counts.equal + counts.within).toBeGreaterThan(0);
  });
});

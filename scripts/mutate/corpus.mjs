/**
 * Programs that faults are looked for with: the objective fixtures, the small programs of test/semantics, and random
 * ones.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from '../support/paths.mjs';

/** What is not the same in every call, or in every order of calls. */
const UNSTABLE = ['lasting-state.py', 'impure.py'];
const LARGEST_DIMENSION = 12;
const POINTS = 24;

const SPECIAL = [0, -0, 1, -1, 2, -2, 3, 0.5, -0.5, 2.5, 4];

/** Half of the points are ordinary, the others have whole numbers and what else decides branches. */
function pointsIn(bounds, rng) {
  const ordinary = ([lo, hi]) => lo + rng.uniform() * (hi - lo);
  const special = ([lo, hi]) => Math.min(hi, Math.max(lo, SPECIAL[rng.below(SPECIAL.length)]));
  return Array.from({ length: POINTS }, (_, k) =>
    bounds.map((pair) => (k % 2 === 0 || rng.uniform() < 0.4 ? ordinary(pair) : special(pair))),
  );
}

/** The generator of test/support, which is TypeScript, on the compiled random numbers. */
async function randomPrograms(count, firstSeed) {
  const source = readFileSync(path.join(root, 'test/support/random-python.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const rng = pathToFileURL(path.join(root, 'dist/common/rng.js')).href;
  const text = outputText.replace(/'[^']*\/common\/rng\.js'/, `'${rng}'`);
  const { randomProgram } = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
  return Array.from({ length: count }, (_, k) => {
    const { code, dimension } = randomProgram(firstSeed + k, k % 2 === 0 ? 'exact' : 'smooth');
    return { name: `random program ${firstSeed + k}`, code, bounds: Array.from({ length: dimension }, () => [-4, 4]) };
  });
}

export async function loadCorpus({ random = 120, seed = 77_000_000 } = {}) {
  const { Rng } = await import(pathToFileURL(path.join(root, 'dist/common/rng.js')).href);
  const fixtures = path.join(root, 'test/fixtures/objectives');
  const programs = [];
  for (const entry of JSON.parse(readFileSync(path.join(fixtures, 'manifest.json'), 'utf8'))) {
    if (entry.tier !== 'compiled' || entry.singular) continue;
    const dimension = Math.max(...entry.dimensions.filter((n) => n <= LARGEST_DIMENSION), 0);
    if (dimension === 0) continue;
    const bounds =
      typeof entry.bounds[0] === 'number' ? Array.from({ length: dimension }, () => entry.bounds) : entry.bounds;
    programs.push({ name: entry.file, code: readFileSync(path.join(fixtures, entry.file), 'utf8'), bounds });
  }
  const semantics = path.join(root, 'test/semantics/programs');
  for (const file of readdirSync(semantics).sort()) {
    if (!file.endsWith('.py') || UNSTABLE.includes(file)) continue;
    for (const part of readFileSync(path.join(semantics, file), 'utf8').split(/^#: /m).slice(1)) {
      const end = part.indexOf('\n');
      const [name, ...fields] = part
        .slice(0, end)
        .split('|')
        .map((field) => field.trim());
      if (fields.includes('cpython')) continue;
      const sizes = (fields.find((field) => /^n\s*=/.test(field)) ?? 'n = 2')
        .split('=')[1]
        .trim()
        .split(/\s+/)
        .map(Number);
      const dimension = sizes.find((n) => n <= LARGEST_DIMENSION);
      if (dimension === undefined) continue;
      const bounds = Array.from({ length: dimension }, () => [-4, 4]);
      programs.push({ name: `${file}: ${name}`, code: `${part.slice(end + 1).trimEnd()}\n`, bounds });
    }
  }
  programs.push(...(await randomPrograms(random, seed)));
  return programs.map((program, id) => ({ ...program, id, points: pointsIn(program.bounds, Rng.create(seed + id)) }));
}

/**
 * `test/fixtures/objectives`: how many run, how many of the pure ones compile and why the others do not, how long
 * compiling takes (processor time of front end and passes, every dimension of a fixture, this program's own code warm).
 * Each runs in sandboxed CPython, and each that compiles also natively: the values must agree, and where CPython raises
 * the compiled one must have flagged the candidate.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { createBackend } from '../../dist/backends/registry.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { root } from '../../scripts/support/paths.mjs';
import { candidatesIn } from '../support/objectives.mjs';
import { cpuSeconds, median, quantile, rounded } from '../support/statistics.mjs';

const REPETITIONS = 7;
const POINTS = 32;
const PYTHON_MINOR = 11;
/** Rounding of two good mathematics libraries through a whole objective, unless the fixture says otherwise. */
const TOLERANCE = 1e-9;

const folder = path.join(root, 'test', 'fixtures', 'objectives');
const isPair = (bounds) => typeof bounds[0] === 'number';

function load(fixture) {
  const code = readFileSync(path.join(folder, fixture.file), 'utf8');
  const { source, errors } = analyzeUpload(code, 'objective');
  if (source === null) throw new Error(`${fixture.file} is refused: ${errors[0].message}`);
  const cases = fixture.dimensions.map((dimension) => {
    const box = isPair(fixture.bounds) ? Array.from({ length: dimension }, () => fixture.bounds) : fixture.bounds;
    const bounds = {
      lower: Float64Array.from(box, ([low]) => low),
      upper: Float64Array.from(box, ([, high]) => high),
    };
    const compile = () => {
      const { ir, reasons } = compileObjective(source, { dimension, bounds, pythonMinor: PYTHON_MINOR });
      return { ir: ir && optimizeIr(ir), reason: reasons[0] ?? null };
    };
    return { dimension, box, compile, ...compile(), compileMs: [] };
  });
  return { ...fixture, source, cases, compiles: cases.every(({ ir }) => ir !== null) };
}

async function evaluate(backend, objective, candidates) {
  const kernel = await backend.open(objective);
  const output = createOutput(POINTS);
  await kernel.evaluate({ candidates, count: POINTS, dimension: objective.dimension }, output);
  await kernel.close();
  return output;
}

/** Evaluations that both made; throws where they differ. */
function compare({ file, tolerance = TOLERANCE }, compiled, python) {
  let flagged = 0;
  for (let k = 0; k < POINTS; k++) {
    if (compiled.status[k] !== 0) {
      flagged++;
      continue;
    }
    const [found, expected] = [compiled.values[k], python.values[k]];
    const agree =
      python.status[k] === 0 &&
      (Object.is(found, expected) || Math.abs(found - expected) <= tolerance * Math.max(1e-3, Math.abs(expected)));
    const said = python.status[k] === 0 ? expected : python.failures.find(({ index }) => index === k)?.type;
    if (!agree) throw new Error(`${file}: row ${k} is ${found} compiled, ${said} in CPython`);
  }
  return flagged;
}

export async function run() {
  const fixtures = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')).map(load);
  const cases = fixtures.flatMap((fixture) => fixture.cases.map((entry) => ({ fixture, entry })));

  // Rounds over all of them take turns, so that a busy moment of the machine meets everyone.
  for (let k = 0; k < REPETITIONS; k++) {
    for (const { entry } of cases) {
      if (entry.ir === null) continue;
      const before = process.cpuUsage();
      entry.compile();
      entry.compileMs.push(1000 * cpuSeconds(before));
    }
  }
  const times = cases
    .filter(({ entry }) => entry.ir !== null)
    .map(({ fixture, entry }) => ({
      fixture: fixture.file,
      dimension: entry.dimension,
      compile_cpu_ms_median: rounded(median(entry.compileMs), 4),
    }))
    .sort((a, b) => a.compile_cpu_ms_median - b.compile_cpu_ms_median);
  const compileMs = times.map(({ compile_cpu_ms_median }) => compile_cpu_ms_median);

  const cpython = createBackend('cpython', { python: process.env['PYTHON'] || '/usr/bin/python3' });
  const native = new NativeBackend({ threads: 1, offload: false });
  let evaluations = 0;
  let flagged = 0;
  for (const fixture of fixtures) {
    const { dimension, box, ir } = fixture.cases[0];
    const objective = { source: fixture.source, dimension, ir };
    const candidates = candidatesIn(box, POINTS);
    const python = await evaluate(cpython, objective, candidates);
    if (python.failures.length === POINTS) throw new Error(`${fixture.file} fails: ${python.failures[0].message}`);
    if (ir === null) continue;
    flagged += compare(fixture, await evaluate(native, objective, candidates), python);
    evaluations += POINTS;
  }
  await Promise.all([cpython.close(), native.close()]);

  const share = (chosen) => rounded(chosen.filter(({ compiles }) => compiles).length / chosen.length, 4);
  const pure = fixtures.filter(({ purity }) => purity === 'pure');
  const refused = fixtures
    .filter(({ compiles }) => !compiles)
    .map(({ file, purity, cases: all }) => {
      const { line, message } = all.find(({ ir }) => ir === null).reason;
      return { fixture: file, purity, line, reason: message };
    })
    .sort((a, b) => Number(b.purity === 'pure') - Number(a.purity === 'pure'));
  for (const { fixture, purity, line, reason } of refused) console.log(`  ${purity}: ${fixture}:${line}: ${reason}`);
  const results = [
    ['fixtures that run', fixtures.length],
    ['of these real-world', fixtures.filter(({ kind }) => kind === 'real-world').length],
    ['pure', pure.length],
    ['share of the pure ones that compile', share(pure)],
    ['share of the real-world pure ones that compile', share(pure.filter(({ kind }) => kind === 'real-world'))],
    ['share of all that compile', share(fixtures)],
    ['evaluations compared with CPython', evaluations],
    ['share of these that are flagged', rounded(flagged / evaluations, 4)],
    ['compile CPU time, median over fixtures and dimensions, ms', quantile(compileMs, 0.5)],
    ['compile CPU time, 95 % quantile, ms', quantile(compileMs, 0.95)],
    ['compile CPU time, largest, ms', quantile(compileMs, 1)],
  ].map(([measure, value]) => ({ measure, value }));
  return {
    name: 'fixtures',
    settings: { repetitions: REPETITIONS, points: POINTS, python_minor: PYTHON_MINOR, tolerance: TOLERANCE },
    refused,
    slowest: times.slice(-10).reverse(),
    results,
  };
}

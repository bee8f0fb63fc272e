/**
 * What the analyst finds in the objective fixtures that compile, and in the BBOB functions as Python sources, each
 * finding checked by evaluation at random points, and how long it takes beside compiling. Throws when a finding is
 * false.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { analyzeProgram } from '../../dist/analysis/analyze-program.js';
import { applyOuter } from '../../dist/analysis/outer.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { interpret } from '../../dist/ir/interpreter.js';
import { luFactor, luSolve } from '../../dist/linalg/lu.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { checkAnalysis } from '../../scripts/support/check-analysis.mjs';
import { root } from '../../scripts/support/paths.mjs';
import { bbobSource } from '../support/bbob-sources.mjs';
import { cpuSeconds, median, quantile, rounded } from '../support/statistics.mjs';

const POINTS = 1_000;
/** Interpreted operations for one program: large ones are checked at fewer points. */
const MAX_OPERATIONS = 1_000_000;
const REPETITIONS = 5;
const BBOB_DIMENSIONS = [5, 20];
const PYTHON_MINOR = 11;
const folder = path.join(root, 'test', 'fixtures', 'objectives');
const tools = { interpret, applyOuter, luFactor, luSolve, optimizeIr };

function* programs() {
  for (const fixture of JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))) {
    if (fixture.tier !== 'compiled') continue;
    const { source, vectorized } = analyzeUpload(readFileSync(path.join(folder, fixture.file), 'utf8'), 'objective');
    for (const dimension of fixture.dimensions) {
      const pair = typeof fixture.bounds[0] === 'number';
      const box = pair ? Array.from({ length: dimension }, () => fixture.bounds) : fixture.bounds;
      const bounds = { lower: Float64Array.from(box, ([a]) => a), upper: Float64Array.from(box, ([, b]) => b) };
      const { ir } = compileObjective(source, { dimension, bounds, pythonMinor: PYTHON_MINOR, vectorized });
      if (ir !== null) yield { file: fixture.file, dimension, bounds, ir: optimizeIr(ir) };
    }
  }
}

function* bbobPrograms() {
  for (const dimension of BBOB_DIMENSIONS) {
    for (let id = 1; id <= 24; id++) {
      const { code, problem } = bbobSource(id, dimension, 1);
      const source = { code, entry: 'f', argument: code.includes('numpy') ? 'ndarray' : 'list' };
      const { bounds } = problem;
      const { ir } = compileObjective(source, { dimension, bounds, pythonMinor: PYTHON_MINOR });
      yield { id, dimension, bounds, ir: optimizeIr(ir) };
    }
  }
}

/** Which functions have which form, by dimension. */
function readBbob(failures) {
  const forms = {};
  for (const { id, dimension, bounds, ir } of bbobPrograms()) {
    const analysis = analyzeProgram(ir, bounds);
    const { terms, residuals } = analysis.structure;
    const note = (form) => (forms[`${form}, ${dimension}-D`] ??= []).push(id);
    if (terms !== null) note(`terms, ${terms.form}`);
    if (residuals !== null) note('squares');
    const points = pointsFor(ir);
    const result = checkAnalysis(tools, ir, bounds, analysis, points, 1);
    failures.push(...result.failures.map((text) => `BBOB f${id}, n = ${dimension}: ${text}`));
  }
  return Object.entries(forms).map(([form, functions]) => ({
    finding: `BBOB: ${form}`,
    functions: functions.join(' '),
  }));
}

const pointsFor = (ir) => Math.max(20, Math.min(POINTS, Math.floor(MAX_OPERATIONS / ir.types.length)));

export async function run() {
  const found = new Map();
  const files = new Set();
  const failures = [];
  const times = [];
  const timesAtTen = [];
  const checks = {};
  let count = 0;
  const note = (finding, file) => {
    if (!found.has(finding)) found.set(finding, new Set());
    found.get(finding).add(file);
  };
  for (const { file, dimension, bounds, ir } of programs()) {
    count++;
    files.add(file);
    const seconds = [];
    let analysis;
    for (let k = 0; k < REPETITIONS; k++) {
      const begun = cpuSeconds();
      analysis = analyzeProgram(ir, bounds);
      seconds.push(cpuSeconds() - begun);
    }
    const milliseconds = 1000 * median(seconds);
    times.push(milliseconds);
    if (dimension >= 7 && dimension <= 12) timesAtTen.push(milliseconds);
    const { structure } = analysis;
    const { terms, residuals, traits, variables, blocks } = structure;
    if (terms !== null) note(`terms, ${terms.form}`, file);
    if (residuals !== null) note(residuals.isAffine ? 'squares of affine residuals' : 'squares', file);
    if (blocks.length > 1) note('variables that do not interact', file);
    if (structure.interactingPairs < (dimension * (dimension - 1)) / 2) note('pairs that do not interact', file);
    if (variables.some(({ used }) => !used)) note('unused variables', file);
    if (traits.isSmooth) note('smooth', file);
    if (traits.isConvex) note('convex', file);
    if (traits.isPeriodic) note('periodic', file);
    if (traits.hasRounding) note('rounding', file);
    if (structure.findings.some(({ topic }) => topic === 'limits')) note('too large', file);
    const points = pointsFor(ir);
    const result = checkAnalysis(tools, ir, bounds, analysis, points, 1);
    for (const [finding, number] of Object.entries(result.checks)) checks[finding] = (checks[finding] ?? 0) + number;
    failures.push(...result.failures.map((text) => `${file}, n = ${dimension}: ${text}`));
  }
  const bbob = readBbob(failures);
  if (failures.length > 0) throw new Error(`false findings:\n${failures.join('\n')}`);
  const share = (name) => ({
    finding: name,
    fixtures: found.get(name).size,
    share: rounded(found.get(name).size / files.size),
  });
  return {
    name: 'analyst',
    settings: { programs: count, fixtures: files.size, points: POINTS, false_findings: 0, comparisons: checks },
    results: [
      ...[...found.keys()].sort().map(share),
      ...bbob,
      {
        finding: 'time of the analysis',
        median_ms: rounded(median(times)),
        p90_ms: rounded(quantile(times, 0.9)),
        largest_ms: rounded(Math.max(...times)),
        median_7_to_12_variables_ms: rounded(median(timesAtTen)),
      },
    ],
  };
}

/**
 * What branch and bound proves: the 24 BBOB functions in 2-D as Python sources within 1,000 evaluations, and random
 * programs whose minimum is known. A certificate that a known value contradicts ends the benchmark.
 *
 *   node bench/strategies/certificates.mjs --instances 1-5 --strategies branch-and-bound --programs 10000
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { parseNumbers } from '../../dist/benchmarks/notation.js';
import { plantedObjective } from '../../dist/benchmarks/planted.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { compileObjective } from '../../dist/frontend/compile.js';
import { interpret } from '../../dist/ir/interpreter.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { openProgram } from '../../dist/evaluation/derived-programs.js';
import { bbobSource } from '../support/bbob-sources.mjs';

const BUDGET = 1000;
const PLANTED_BUDGET = 200;
const MAX_GAP = 1e-8;
const backend = new NativeBackend({ threads: 1, offload: false });

function compile(code, bounds) {
  const argument = code.includes('numpy') ? 'ndarray' : 'list';
  const box = { lower: Float64Array.from(bounds, ([l]) => l), upper: Float64Array.from(bounds, ([, u]) => u) };
  const source = { code, entry: 'f', argument };
  const { ir, reasons } = compileObjective(source, { dimension: bounds.length, pythonMinor: 11, bounds: box });
  if (ir === null) throw new Error(`not compiled: ${JSON.stringify(reasons)}\n${code}`);
  return { ir: optimizeIr(ir), box };
}

async function optimize({ ir, box }, bounds, options) {
  const source = { code: '', entry: 'f', argument: 'list' };
  const open = (program) => backend.open({ source, dimension: program.dimension, ir: program });
  const primary = await open(ir);
  const task = { bounds, direction: 'minimize', mode: 'balanced', ...options };
  try {
    return await runOptimization(task, {
      strategies,
      primary,
      fallback: null,
      program: openProgram(ir, 'minimize', box, open),
      now: () => performance.now(),
      isCancelled: () => false,
      backendReason: 'benchmark',
    });
  } finally {
    await primary.close();
  }
}

/** Throws where `known`, a value that the program gives inside the bounds, says otherwise. */
function verify({ optimality, bestFitness }, known, what) {
  if (optimality === undefined) return false;
  const isWrong = optimality.bound > known || (optimality.status === 'optimal' && bestFitness > known + MAX_GAP);
  if (isWrong) throw new Error(`${what}: ${JSON.stringify({ optimality, bestFitness, known })}`);
  return optimality.status === 'optimal';
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? null;

async function bbob(strategy, functions, instances) {
  const rows = [];
  for (const functionId of functions) {
    const evaluations = [];
    const gaps = [];
    for (const instance of instances) {
      const { code, problem } = bbobSource(functionId, 2, instance);
      const bounds = Array.from(problem.bounds.lower, (low, i) => [low, problem.bounds.upper[i]]);
      const compiled = compile(code, bounds);
      const known = interpret(compiled.ir, problem.optimum).value;
      const task = { strategy, maxEvaluations: BUDGET, seed: 1000 * functionId + instance };
      const outcome = await optimize(compiled, bounds, task);
      if (verify(outcome, known, `f${functionId}, instance ${instance}`)) evaluations.push(outcome.evaluations);
      gaps.push(outcome.optimality?.gap ?? Infinity);
    }
    rows.push({
      suite: 'bbob',
      strategy,
      function: functionId,
      runs: instances.length,
      proven: evaluations.length,
      median_evaluations: median(evaluations),
      largest_gap: Math.max(...gaps),
    });
  }
  return rows;
}

async function planted(strategy, programs) {
  let proven = 0;
  let bounded = 0;
  for (let seed = 1; seed <= programs; seed++) {
    const { code, bounds, minimizer } = plantedObjective(seed);
    const compiled = compile(code, bounds);
    const known = interpret(compiled.ir, minimizer).value;
    const outcome = await optimize(compiled, bounds, { strategy, maxEvaluations: PLANTED_BUDGET, seed });
    if (verify(outcome, known, `program ${seed}\n${code}`)) proven++;
    if (outcome.optimality !== undefined) bounded++;
  }
  return { suite: 'planted', strategy, runs: programs, proven, bounded, wrong: 0 };
}

async function measure({ functions, instances, names, programs }) {
  const rows = [];
  for (const strategy of names) {
    const own = await bbob(strategy, functions, instances);
    const all = own.filter(({ proven }) => proven === instances.length).length;
    const runs = own.reduce((sum, row) => sum + row.runs, 0);
    const proven = own.reduce((sum, row) => sum + row.proven, 0);
    rows.push(...own, { suite: 'bbob', strategy, function: 'all', runs, proven, functions_always_proven: all });
    if (programs > 0) rows.push(await planted(strategy, programs));
  }
  return rows;
}

const range = (last) => Array.from({ length: last }, (_, k) => k + 1);

export async function run() {
  const own = { functions: range(24), instances: range(5) };
  const results = [
    ...(await measure({ ...own, names: ['branch-and-bound'], programs: 10_000 })),
    ...(await measure({ ...own, names: ['planner'], programs: 1000 })),
  ];
  const settings = { dimension: 2, instances: '1-5', budget: BUDGET, planted_budget: PLANTED_BUDGET, max_gap: MAX_GAP };
  return { name: 'certificates', settings, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      functions: { type: 'string', default: '1-24' },
      instances: { type: 'string', default: '1-5' },
      strategies: { type: 'string', default: 'branch-and-bound' },
      programs: { type: 'string', default: '0' },
    },
  });
  const rows = await measure({
    functions: parseNumbers(values.functions, 1, 24),
    instances: parseNumbers(values.instances, 1, 10_000),
    names: values.strategies.split(','),
    programs: Number(values.programs),
  });
  console.table(rows);
}

/**
 * Reading large programs: processor time to compile and to analyse them, beside a measure of the machine, and what
 * becomes of a run with a time limit: how much of it the reading took, evaluations made, and how it ended. The growth
 * from 1,000 to 10,000 variables is 10 where time grows with the program, 100 where it grows with its square.
 */
import { MessageChannel } from 'node:worker_threads';
import { analyzeProgram } from '../../dist/analysis/analyze-program.js';
import { compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { carryOut } from '../../dist/runs/carry-out.js';
import { CONTROL_CELLS } from '../../dist/runs/worker-protocol.js';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const REPETITIONS = 5;
const DIMENSIONS = [1000, 3000, 10_000];
const TIMEOUT_SECONDS = 10;

const python = (body, imports = '') => `${imports}\n\ndef f(x):\n${body.map((line) => `    ${line}\n`).join('')}`;
const NUMPY = 'import numpy as np';
const OBJECTIVES = {
  'squares, loop': python(['s = 0.0', 'for v in x:', '    s += (v - 1.5) ** 2', 'return s']),
  'squares, comprehension': python(['return sum([(v - 1.5) ** 2 for v in x])']),
  'squares, NumPy': python(['return np.sum((x - 1.5) ** 2)'], NUMPY),
  'squares of sums': python(['s = 0.0', 'c = 0.0', 'for v in x:', '    c += v - 1', '    s += c * c', 'return s']),
  rosenbrock: python([
    's = 0.0',
    'for i in range(len(x) - 1):',
    '    s += 100 * (x[i + 1] - x[i] * x[i]) ** 2 + (1 - x[i]) ** 2',
    'return s',
  ]),
  'largest coordinate': python(['return max(abs(v - 1.5) for v in x)']),
};

const sourceOf = (code) => ({ code, entry: 'f', argument: code.includes('numpy') ? 'ndarray' : 'list' });

function reading(code, dimension) {
  const bounds = { lower: new Float64Array(dimension).fill(-5), upper: new Float64Array(dimension).fill(5) };
  const times = Array.from({ length: REPETITIONS }, () => {
    let start = process.cpuUsage();
    const { ir, reasons } = compileObjective(sourceOf(code), { dimension, pythonMinor: 11, bounds });
    if (ir === null) throw new Error(`D = ${dimension}: ${reasons[0].message}`);
    const optimized = optimizeIr(ir);
    const compile = cpuSeconds(start);
    start = process.cpuUsage();
    const { structure, work } = analyzeProgram(optimized, bounds);
    return { compile, analysis: cpuSeconds(start), structure, work };
  });
  const [{ structure, work }] = times;
  return {
    compile: median(times.map((time) => time.compile)),
    analysis: median(times.map((time) => time.analysis)),
    terms: structure.terms?.count ?? null,
    work,
  };
}

async function runOf(code, dimension, timeoutSeconds) {
  const { port1, port2 } = new MessageChannel();
  const start = process.cpuUsage();
  const result = await carryOut({
    task: {
      bounds: Array.from({ length: dimension }, () => [-5, 5]),
      maxEvaluations: 100_000,
      seed: 1,
      direction: 'minimize',
      mode: 'balanced',
      timeoutSeconds,
    },
    source: sourceOf(code),
    pythonMinor: 11,
    math: 'exact',
    blackBox: false,
    knowledge: null,
    starts: null,
    checkpoint: null,
    misread: null,
    earlierSeconds: 0,
    extension: null,
    control: new Int32Array(new SharedArrayBuffer(4 * CONTROL_CELLS.count)),
    threads: 1,
    reports: port2,
    python: { port: null, reason: 'not needed' },
    checks: { port: null, gap: 'no_interpreter' },
  });
  port1.close();
  if (result.kind !== 'ended') throw new Error(`the run did not end: ${JSON.stringify(result)}`);
  return { ...result.outcome, cpu: cpuSeconds(start) };
}

export async function run() {
  const results = [];
  for (const [objective, code] of Object.entries(OBJECTIVES)) {
    let before = null;
    for (const dimension of DIMENSIONS) {
      const { compile, analysis, terms, work } = reading(code, dimension);
      before ??= analysis;
      const outcome = await runOf(code, dimension, TIMEOUT_SECONDS);
      if (outcome.bestSolution === null) throw new Error(`${objective}: no value`);
      results.push({
        objective,
        dimension,
        compile_cpu_ms: rounded(1000 * compile),
        analysis_cpu_ms: rounded(1000 * analysis),
        analysis_growth: rounded(analysis / before),
        analysis_work: Math.round(work),
        terms,
        run_end: outcome.terminationReason,
        run_seconds: rounded(outcome.durationSeconds),
        run_cpu_seconds: rounded(outcome.cpu),
        evaluations: outcome.evaluations,
        best: rounded(outcome.bestFitness),
      });
    }
  }
  const settings = { repetitions: REPETITIONS, max_evaluations: 100_000, timeout_seconds: TIMEOUT_SECONDS };
  return { name: 'large-programs', settings, results };
}

/**
 * The log of evaluations of populations that lie in tiles, in both precisions: each row has a candidate and its own
 * value.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EvaluationOutput, Kernel } from '../src/backends/backend.js';
import { runOptimization } from '../src/engine/run-optimization.js';
import { SinglePrecisionKernel } from '../src/evaluation/single-precision-kernel.js';
import { candidateOf, type CandidateBatch } from '../src/model/candidate-batch.js';
import type { RunTask } from '../src/model/run-task.js';
import { strategies } from '../src/planner/all-strategies.js';
import { openLog } from '../src/runs/evaluation-log/open-log.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-evaluation-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIMENSION = 3;
/** More than a tile, and no whole ones. */
const POPULATION = 70;
const GENERATIONS = 10;
/** A last generation that is cut: of so few, single precision values none. */
const REST = 5;

const objective = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, v, i) => sum + (i + 1) * (v - i) ** 2 + Math.sin(9 * v), 0);
const asSingle = (x: ArrayLike<number>): number => Math.fround(objective(x));

class PlainKernel implements Kernel {
  readonly backend = 'plain';
  readonly device = 'this thread';
  tiled = 0;

  constructor(private readonly value: (x: Float64Array) => number) {}

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    if (batch.layout === 'tiles') this.tiled += batch.count;
    output.failures.length = 0;
    output.status.fill(0, 0, batch.count);
    for (let row = 0; row < batch.count; row++) output.values[row] = this.value(candidateOf(batch, row));
  }

  async close(): Promise<void> {}
}

it.each(['f64', 'f32'])('is what the record and its history say, in %s', async (precision) => {
  const file = path.join(folder, `${precision}.csv`);
  const log = openLog({ file }, DIMENSION, 1);
  const device = new PlainKernel(precision === 'f32' ? asSingle : objective);
  const primary =
    precision === 'f32' ? new SinglePrecisionKernel(new PlainKernel(objective), device, 'minimize') : device;
  const task: RunTask = {
    bounds: Array.from({ length: DIMENSION }, () => [-4, 5]),
    maxEvaluations: GENERATIONS * POPULATION + REST,
    seed: 4,
    direction: 'minimize',
    mode: 'balanced',
    strategy: 'cma-es',
  };
  const { evaluations, history, bestFitness, bestSolution } = await runOptimization(task, {
    strategies,
    sideBySide: POPULATION,
    primary,
    fallback: null,
    log,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'test',
  });
  log.close();
  expect(log.failure).toBeNull();
  expect(evaluations).toBe(task.maxEvaluations);
  expect(device.tiled).toBe(GENERATIONS * POPULATION + (precision === 'f32' ? 0 : REST));

  const rows = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  expect(rows.length).toBe(evaluations);
  const improved: object[] = [];
  let best = Infinity;
  let rounded = 0;
  for (const [number, reading, failed, text, ...point] of rows) {
    const [value, x] = [Number(text), point.map(Number)];
    expect([reading, failed]).toEqual(['value', 'false']);
    const isRounded = value !== objective(x);
    if (isRounded) expect(value).toBe(asSingle(x));
    rounded += Number(isRounded);
    if (value >= best) continue;
    best = value;
    expect(isRounded).toBe(false);
    improved.push({ evaluations: Number(number), bestFitness: value });
    if (value === bestFitness) expect(x).toEqual(bestSolution);
  }
  expect(history.map(({ evaluations: at, bestFitness: value }) => ({ evaluations: at, bestFitness: value }))).toEqual(
    improved,
  );
  if (precision === 'f32') expect(rounded).toBeGreaterThan(evaluations / 2);
  else expect(rounded).toBe(0);
});

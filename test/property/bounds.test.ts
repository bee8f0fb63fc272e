/** The bounds of random Python programs over random boxes, against values inside. */
import { expect, it } from 'vitest';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { LaneStatus } from '../../src/ir/types.js';
import { intervalProgram } from '../../src/passes/interval/interval-program.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { seededRandom } from '../support/random-ir.js';
import { randomProgram } from '../support/random-python.js';

const PROGRAMS = 200;
const LIMIT = 6;

it('no value of a random program lies outside of its bounds', () => {
  const counts = { programs: 0, boxes: 0, bounded: 0, points: 0 };
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const { code, dimension } = randomProgram(seed, seed % 3 === 0 ? 'smooth' : 'exact');
    const { source } = analyzeUpload(code, '');
    if (source === null) continue;
    const bounds = {
      lower: new Float64Array(dimension).fill(-LIMIT),
      upper: new Float64Array(dimension).fill(LIMIT),
    };
    const { ir } = compileObjective(source, { dimension, pythonMinor: 11 + (seed % 2), bounds });
    if (ir === null) continue;
    const fn = optimizeIr(ir);
    const program = optimizeIr(intervalProgram(fn));
    counts.programs++;
    const random = seededRandom(seed);
    const between = (low: number, high: number): number => {
      const kind = random();
      return kind < 0.15 ? low : kind < 0.3 ? high : Math.min(high, low + random() * (high - low));
    };
    for (let k = 0; k < 5; k++) {
      const size = 10 ** (1 - 4 * random());
      // Whole numbers are where branches part.
      const lower = Array.from({ length: dimension }, () => {
        const low = (random() - 0.5) * 8;
        return random() < 0.2 ? Math.round(low) : low;
      });
      const upper = lower.map((low) => (random() < 0.1 ? low : Math.min(LIMIT, low + size * random())));
      const lane = interpret(program, [...lower, ...upper]);
      counts.boxes++;
      if (lane.status !== LaneStatus.Ok) continue;
      if (lane.value > -Infinity) counts.bounded++;
      for (let point = 0; point < 8; point++) {
        const x = lower.map((low, i) => between(low, upper[i]));
        const { value, status } = interpret(fn, x);
        if (status !== LaneStatus.Ok || Number.isNaN(value)) continue;
        counts.points++;
        const where = `seed ${seed}, [${lower.join(', ')}] to [${upper.join(', ')}], x = [${x.join(', ')}]\n${code}`;
        expect(value, where).toBeGreaterThanOrEqual(lane.value);
        expect(value, where).toBeLessThanOrEqual(lane.outputs![0]);
      }
    }
  }
  expect(counts.programs).toBeGreaterThan(0.8 * PROGRAMS);
  expect(counts.bounded).toBeGreaterThan(0.85 * counts.boxes);
  expect(counts.points).toBeGreaterThan(0.5 * 8 * counts.boxes);
});

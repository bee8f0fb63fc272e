/**
 * Bounds over boxes against values inside them, for every objective under `test/fixtures/objectives/` that compiles.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput } from '../src/backends/backend.js';
import { analyzeUpload, compileObjective } from '../src/frontend/compile.js';
import { interpret } from '../src/ir/interpreter.js';
import { LaneStatus } from '../src/ir/types.js';
import { intervalProgram } from '../src/passes/interval/interval-program.js';
import { optimizeIr } from '../src/passes/pipeline.js';
import { compiledBackends } from './support/compiled-backends.js';
import { compiledPrograms } from './support/objective-fixtures.js';
import { seededRandom } from './support/random-ir.js';

const BOXES = 4;
const POINTS = 6;
const MAX_DIMENSION = 10;

// The slowest instruction set of the virtual machine, and native code of the fastest.
const all = await compiledBackends();
const contenders = ['native scalar', all.findLast(({ name }) => name.startsWith('native code'))?.name];
const backends = all.filter(({ name }) => contenders.includes(name));

describe('the bounds of a fixture', () => {
  const seen = new Set<string>();
  const counts = { boxes: 0, bounded: 0 };

  for (const { name, code, dimension, bounds } of compiledPrograms()) {
    if (dimension > MAX_DIMENSION || seen.has(code)) continue;
    seen.add(code);
    it(name, async () => {
      const { source } = analyzeUpload(code, '');
      const box = { lower: Float64Array.from(bounds, ([l]) => l), upper: Float64Array.from(bounds, ([, u]) => u) };
      const { ir } = compileObjective(source!, { dimension, pythonMinor: 12, bounds: box });
      const fn = optimizeIr(ir!);
      const program = optimizeIr(intervalProgram(fn));
      const random = seededRandom(dimension);
      const rows = Array.from({ length: BOXES }, (_, k) => {
        const size = k === 0 ? 1 : 10 ** (-3 * random());
        const low = bounds.map(([l, u]) => (k === 0 ? l : l + random() * (u - l) * (1 - size)));
        const high = bounds.map(([l, u], i) => (k === 0 ? u : Math.min(u, low[i] + size * (u - l))));
        return [...low, ...high];
      });
      const expected = rows.map((row) => interpret(program, row));

      for (const { name: backendName, backend } of backends) {
        const kernel = await backend.open({ source: source!, dimension: 2 * dimension, ir: program });
        const output = createOutput(BOXES, 2);
        await kernel.evaluate(
          { candidates: Float64Array.from(rows.flat()), count: BOXES, dimension: 2 * dimension },
          output,
        );
        await kernel.close();
        expected.forEach(({ status, value, outputs }, k) => {
          expect(output.status[k], backendName).toBe(status);
          if (status !== LaneStatus.Ok) return;
          expect([...output.values.subarray(2 * k, 2 * k + 2)], backendName).toEqual([value, outputs![0]]);
        });
      }

      rows.forEach((row, k) => {
        counts.boxes++;
        const { status, value: lower, outputs } = expected[k];
        if (status !== LaneStatus.Ok) return;
        const upper = outputs![0];
        if (lower > -Infinity) counts.bounded++;
        for (let at = 0; at < POINTS; at++) {
          const x = bounds.map((_, i) =>
            Math.min(row[dimension + i], row[i] + random() * (row[dimension + i] - row[i])),
          );
          const lane = interpret(fn, x);
          if (lane.status !== LaneStatus.Ok || Number.isNaN(lane.value)) continue;
          expect(lane.value).toBeGreaterThanOrEqual(lower);
          expect(lane.value).toBeLessThanOrEqual(upper);
        }
      });
    });
  }

  afterAll(() => {
    // 763 of 844.
    expect(counts.bounded).toBeGreaterThan(0.85 * counts.boxes);
  });
});

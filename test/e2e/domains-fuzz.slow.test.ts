/**
 * Random configs of every problem type: drawn from the schemas, and examples with something changed. Each is refused
 * with a path, solved, or has no solution; nothing crashes, nothing hangs, no answer contradicts itself.
 *
 * `npm run fuzz:domains`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../src/api/domains/description.js';
import { ExtremumError } from '../../src/common/errors.js';
import { PROBLEM_TYPES } from '../../src/domains/registry.js';
import { solveConfig } from '../support/problems.js';
import { arbitraryOf, mutations } from '../support/schema-arbitrary.js';

const CASES = Number(process.env['EXTREMUM_DOMAINS_COUNT'] ?? 2_000);
const SEED = Number(process.env['EXTREMUM_DOMAINS_SEED'] ?? 1);
const NAMES = process.env['EXTREMUM_DOMAINS_TYPES']?.split(',');
const TYPES = NAMES === undefined ? PROBLEM_TYPES : NAMES.map(problemTypeNamed);
const SECONDS = 2;
/** After its time a solver may take so long to notice. */
const GRACE_SECONDS = 3;

function problemTypeNamed(name: string): (typeof PROBLEM_TYPES)[number] {
  const type = PROBLEM_TYPES.find((each) => each.name === name);
  if (type === undefined)
    throw new Error(`no problem type ${name}: ${PROBLEM_TYPES.map((each) => each.name).join(', ')}`);
  return type;
}

/** Of numbers in an example: mostly another size, seldom another sign. */
const FACTORS = [1, 1, 1, 0.5, 0.9, 1.1, 2, 3, 10, 0.1, 0, -1, 1e6, 1e-6];

/** The same problem with one number in `every` another one, a few entries of lists left out, and fields left out. */
function varied(value: unknown, draws: Iterator<number>, every: number): unknown {
  const below = (n: number): number => Number(draws.next().value) % n;
  if (typeof value === 'number') {
    if (below(every) > 0) return value;
    const made = value * (FACTORS[below(FACTORS.length)] ?? 1);
    return Number.isInteger(value) ? Math.round(made) : made;
  }
  if (Array.isArray(value)) return value.filter(() => below(40) > 0).map((entry) => varied(entry, draws, every));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => below(40) > 0)
      .map(([name, entry]) => [name, varied(entry, draws, every)]),
  );
}

describe.each(TYPES.map((type) => [type.name, type] as const))('%s', (_name, type) => {
  it(`stands ${CASES} random configs`, async () => {
    const drawn = fc.oneof(
      ...type.models.flatMap((model) => [
        { weight: 1, arbitrary: arbitraryOf(configJsonSchema(type, model), {}) },
        { weight: 2, arbitrary: mutations(model.example) },
        { weight: 3, arbitrary: fc.infiniteStream(fc.nat()).map((stream) => varied(model.example, stream, 1)) },
        // Where many numbers must fit each other, such as a matrix that is symmetric, little may be changed.
        { weight: 2, arbitrary: fc.infiniteStream(fc.nat()).map((stream) => varied(model.example, stream, 20)) },
      ]),
    );
    const ends = new Map<string, number>();
    for (const config of fc.sample(drawn, { numRuns: CASES, seed: SEED })) {
      const startedAt = performance.now();
      const seconds = (): number => (performance.now() - startedAt) / 1_000;
      let end: string;
      try {
        const outcome = await solveConfig(type, config, { maxEvaluations: 200, isOver: () => seconds() > SECONDS });
        end = 'error' in outcome ? outcome.error.code : outcome.answer.optimality.status;
      } catch (error) {
        if (error instanceof ExtremumError && error.code === 'invalid_request') {
          expect(error.field).toMatch(/^config/);
          end = 'refused';
        } else if ((error as Error).message === 'the run is over') end = 'out of time';
        else throw new Error(`${JSON.stringify(config)}: ${String(error)}`, { cause: error });
      }
      if (seconds() > SECONDS + GRACE_SECONDS) throw new Error(`${seconds()} s: ${JSON.stringify(config)}`);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    console.log(type.name, Object.fromEntries(ends));
    // A fuzzer that reaches nothing finds nothing.
    expect([...ends].reduce((sum, [end, n]) => sum + (end === 'refused' ? 0 : n), 0)).toBeGreaterThan(CASES / 50);
  });
});

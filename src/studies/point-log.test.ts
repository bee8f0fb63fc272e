import { describe, expect, it } from 'vitest';
import { encode } from '../common/codec.js';
import { encodeFloats } from '../common/float64-codec.js';
import { Rng } from '../common/rng.js';
import type { StudyEntry, StudyState } from '../model/study.js';
import { pointsOf, type LoggedPoint } from './point-log.js';
import type { StudyOperation } from './study.js';

const [N, M] = [3, 2];

/** A log of random requests, and the points as they stand after it. */
function randomLog(seed: number): { entries: StudyEntry[]; state: StudyState; points: LoggedPoint[] } {
  const rng = Rng.create(seed);
  const numbers = (count: number): Float64Array => Float64Array.from({ length: count }, () => rng.normal());
  const points: LoggedPoint[] = [];
  const entries: StudyEntry[] = [];
  const stand = () => ({
    evaluations: points.filter(({ values }) => values !== null).length,
    failedEvaluations: 0,
    open: points.filter(({ values }) => values === null).length,
    bestFitness: null,
    at: 0,
  });
  const note = (operation: StudyOperation): void => {
    const seq = entries.length + 1;
    const body = new TextEncoder().encode(encode(operation));
    entries.push({ seq, token: String(seq), body, summary: stand() });
  };
  for (let step = 0; step < 40; step++) {
    const draw = rng.uniform();
    if (draw < 0.45) {
      const count = 1 + Math.floor(5 * rng.uniform());
      const first = points.length + 1;
      const solutions = numbers(count * N);
      for (let k = 0; k < count; k++) {
        const solution = solutions.slice(k * N, (k + 1) * N);
        points.push({ serial: first + k, isAsked: true, solution, values: null });
      }
      note({
        kind: 'ask',
        first,
        rows: Array.from({ length: count }, (_, k) => k - 1),
        solutions: encodeFloats(solutions),
      });
    } else if (draw < 0.9) {
      const told = points.filter(({ values }) => values === null && rng.uniform() < 0.4).map(({ serial }) => serial);
      const serials = [...told, ...(rng.uniform() < 0.5 ? [0, 0] : [])].sort(() => rng.uniform() - 0.5);
      const values = numbers(serials.length * M).map((value) => (value > 1 ? NaN : value));
      const foreign: Float64Array[] = [];
      serials.forEach((serial, k) => {
        const own = values.slice(k * M, (k + 1) * M);
        if (serial > 0) points[serial - 1] = { ...points[serial - 1], values: own };
        else {
          foreign.push(numbers(N));
          points.push({ serial: points.length + 1, isAsked: false, solution: foreign.at(-1)!, values: own });
        }
      });
      const solutions = encodeFloats(Float64Array.from(foreign.flatMap((one) => [...one])));
      note({ kind: 'tell', serials, values: encodeFloats(values), solutions });
    } else note({ kind: draw < 0.95 ? 'close' : 'begin' });
  }
  const study = {
    ...{
      id: 'study_1',
      accountId: 'acc_1',
      strategy: 'sms-emoa',
      seed: 1,
      maxEvaluations: 1_000,
      metadata: {},
      createdAt: 0,
    },
    bounds: Array.from({ length: N }, () => [0, 1] as const),
    directions: Array.from({ length: M }, () => 'minimize' as const),
  };
  const last = entries.at(-1)!;
  return { entries, state: { study, head: { seq: last.seq, summary: last.summary } }, points };
}

describe('points from the log of a study', () => {
  const after = (entries: readonly StudyEntry[]) => (seq: number, limit: number) =>
    Promise.resolve(entries.slice(seq, seq + Math.min(limit, 7)));

  it('stand as after all requests, in pages of any size, the latest first', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { entries, state, points } = randomLog(seed);
      const all = points.toReversed();
      for (const limit of [1, 4, 100]) {
        for (let offset = 0; offset <= points.length; offset += limit) {
          const page = await pointsOf(state, after(entries), { limit, offset });
          expect(page).toEqual({ items: all.slice(offset, offset + limit), total: points.length });
        }
      }
    }
  });

  it('are those of the moment of the question, whatever comes meanwhile', async () => {
    const { entries, state, points } = randomLog(5);
    const more: StudyEntry = {
      ...entries[0],
      seq: entries.length + 1,
      body: new TextEncoder().encode(
        encode({
          kind: 'tell',
          serials: [0],
          values: encodeFloats(new Float64Array(M)),
          solutions: encodeFloats(new Float64Array(N)),
        }),
      ),
    };
    const page = await pointsOf(state, after([...entries, more]), { limit: 100, offset: 0 });
    expect(page.items).toEqual(points.toReversed().slice(0, 100));
    expect((await pointsOf(state, () => Promise.resolve([]), { limit: 5, offset: 0 })).items).toEqual([]);
    const empty = { ...state, head: { seq: 0, summary: null } };
    expect(await pointsOf(empty, after(entries), { limit: 5, offset: 0 })).toEqual({ items: [], total: 0 });
  });
});

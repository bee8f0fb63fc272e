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

/** What the study's state knows of a page. */
const known = ({ study, head }: StudyState, points: readonly LoggedPoint[], limit: number, offset: number) => {
  const items = points.toReversed().slice(offset, offset + limit);
  return { study, seq: head.seq, values: { items: items.map(({ values }) => values), total: points.length } };
};

/** A log without gaps; `made`: how many points each entry hands out, 0: it tells the oldest open one. */
function logOf(made: readonly number[]): { entries: StudyEntry[]; state: StudyState; points: LoggedPoint[] } {
  const { state } = randomLog(1);
  const points: LoggedPoint[] = [];
  let evaluations = 0;
  const entries = made.map((count, k): StudyEntry => {
    const first = points.length + 1;
    const solutions = Float64Array.from({ length: count * N }, (_, i) => k + i);
    for (let i = 0; i < count; i++) {
      points.push({
        serial: first + i,
        isAsked: true,
        solution: solutions.slice(i * N, (i + 1) * N),
        values: null,
      });
    }
    const values = new Float64Array(M).fill(k);
    let operation: StudyOperation;
    if (count === 0) {
      points[evaluations] = { ...points[evaluations], values };
      operation = { kind: 'tell', serials: [++evaluations], values: encodeFloats(values), solutions: '' };
    } else {
      const rows = Array.from({ length: count }, () => -1);
      operation = { kind: 'ask', first, rows, solutions: encodeFloats(solutions) };
    }
    const open = points.length - evaluations;
    const summary = { evaluations, failedEvaluations: 0, open, bestFitness: null, at: 0 };
    return { seq: k + 1, token: String(k), body: new TextEncoder().encode(encode(operation)), summary };
  });
  const { summary } = entries.at(-1)!;
  return { entries, state: { ...state, head: { seq: entries.length, summary } }, points };
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
          const page = await pointsOf(known(state, points, limit, offset), after(entries), offset);
          expect(page).toEqual({ items: all.slice(offset, offset + limit), total: points.length });
        }
      }
    }
  });

  it('are those of the moment of the question, whatever comes meanwhile', async () => {
    const { entries, state, points } = randomLog(5);
    const { summary } = state.head;
    const more: StudyEntry = {
      ...entries[0],
      seq: entries.length + 1,
      summary: { ...summary!, evaluations: summary!.evaluations + 1 },
      body: new TextEncoder().encode(
        encode({
          kind: 'tell',
          serials: [0],
          values: encodeFloats(new Float64Array(M)),
          solutions: encodeFloats(new Float64Array(N)),
        }),
      ),
    };
    const page = await pointsOf(known(state, points, 100, 0), after([...entries, more]), 0);
    expect(page.items).toEqual(points.toReversed().slice(0, 100));
    expect((await pointsOf(known(state, points, 5, 0), () => Promise.resolve([]), 0)).items).toEqual([]);
    const empty = { ...state, head: { seq: 0, summary: null } };
    expect(await pointsOf(known(empty, [], 5, 0), after(entries), 0)).toEqual({ items: [], total: 0 });
  });

  it('cost what they show: no page reads the log to its end, or through long gaps', async () => {
    const told = (count: number): number[] => Array.from({ length: count }, () => 0);
    const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
    // Points 1 to 5 are told late; among the others are one that is never told, and two with 20,000 results between
    // them.
    const { entries, state, points } = logOf([5, ...ones(100), 20_000, ...told(20_000), 7, ...told(60), 1]);
    let count = 0;
    let decoded = 0;
    const counting = async (seq: number, limit: number): Promise<StudyEntry[]> => {
      const read = entries.slice(seq, seq + limit).map((entry) => ({
        ...entry,
        get body() {
          decoded++;
          return entry.body;
        },
      }));
      count += read.length;
      return Promise.resolve(read);
    };
    const { length } = points;
    const pages: readonly [serial: number, limit: number, mostRead: number, mostDecoded: number][] = [
      [5, 5, 40, 1],
      [3, 1, 40, 1],
      [90, 50, 150, 50],
      [20_105, 100, 40, 1],
      [length - 1, 7, 40, 1],
      // Over the gap of results.
      [length, 9, 320, 3],
    ];
    for (const [serial, limit, mostRead, mostDecoded] of pages) {
      count = decoded = 0;
      const offset = length - serial;
      const { items } = await pointsOf(known(state, points, limit, offset), counting, offset);
      expect(items).toEqual(points.slice(serial - limit, serial).reverse());
      expect(count).toBeLessThanOrEqual(mostRead);
      // Its bytes are asked for once to be decoded, and once for their size.
      expect(decoded).toBeLessThanOrEqual(2 * mostDecoded);
    }
  });
});

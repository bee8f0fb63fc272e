import { describe, expect, it } from 'vitest';
import { ExtremumError, maximize, minimize, type Options, type Result } from './index.js';

const sphere = (x: Float64Array): number => x.reduce((sum, v) => sum + (v - 0.3) ** 2, 0);
const bounds = [
  [-2, 3],
  [-2, 2],
  [-1, 4],
] as const;
const SMALL = { bounds, budget: 300, seed: 11 } as const;

/** Without times. */
const course = ({ x, value, evaluations, history, failures, failedEvaluations, reason }: Result): object => ({
  x,
  value,
  evaluations,
  failures,
  failedEvaluations,
  reason,
  history: history.map((point) => [point.evaluations, point.value]),
});

const moduleOf = (code: string): { module: string } => ({
  module: `data:text/javascript,${encodeURIComponent(code)}`,
});
const SPHERE_MODULE = moduleOf('export default (x) => x.reduce((sum, v) => sum + (v - 0.3) ** 2, 0);');
const BATCH_MODULE = moduleOf(
  'export default (p, n) => Array.from({ length: n }, (_, i) => { if (n > 16) throw new Error(); let s = 0; for (let k = 0; k < 3; k++) s += (p[3 * i + k] - 0.3) ** 2; return s; });',
);

describe('minimize', () => {
  it('has the same bits for the same seed, however the objective is called', async () => {
    const expected = course(await minimize(sphere, SMALL));
    const late = async (x: Float64Array): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, x[0] > 0 ? 1 : 0));
      return sphere(x);
    };
    const many = (points: Float64Array, count: number): Float64Array =>
      Float64Array.from({ length: count }, (_, i) => sphere(points.subarray(3 * i, 3 * i + 3)));
    const box = { lower: Float64Array.of(-2, -2, -1), upper: [3, 2, 4] };
    expect(course(await minimize(late, { ...SMALL, concurrency: 5 }))).toEqual(expected);
    expect(course(await minimize(many, { ...SMALL, bounds: box, batch: true }))).toEqual(expected);
    expect(course(await minimize(SPHERE_MODULE, { ...SMALL, concurrency: 1 }))).toEqual(expected);
    expect(course(await minimize(SPHERE_MODULE, { ...SMALL, concurrency: 3 }))).toEqual(expected);
    expect(course(await minimize(BATCH_MODULE, { ...SMALL, concurrency: 2, batch: true }))).toEqual(expected);
  }, 60_000);

  it('compiles Python source, and reports', async () => {
    const python = 'def helper(v):\n    return v * v\n\ndef g(x):\n    return sum(helper(v - 0.25) for v in x)\n';
    const result = await minimize({ python, function: 'g', interpreter: 'off' }, SMALL);
    expect(result).toMatchObject({ notCompiled: [], seed: 11 });
    expect(result.value).toBeLessThan(1e-6);
    for (const v of result.x) expect(v).toBeCloseTo(0.25, 2);
    expect(['native', 'wasm', 'javascript', 'interpreter']).toContain(result.backend);
  }, 60_000);

  it('ends at a target; maximize turns the direction', async () => {
    const up = await maximize((x) => -sphere(x), { ...SMALL, budget: 5000, target: -0.01 });
    expect(up.reason).toBe('target');
    expect(up.value).toBeGreaterThanOrEqual(-0.01);
    expect(up.history.at(-1)?.value).toBe(up.value);
  });

  it('gives each call an array of its own', async () => {
    const seen = new Set<ArrayBufferLike>();
    const { evaluations } = await minimize((x) => {
      seen.add(x.buffer);
      return x.fill(0).length;
    }, SMALL);
    expect(seen.size).toBe(evaluations);
  });

  it('counts what throws, is NaN or no number as failed, with the first three', async () => {
    const kinds = [() => NaN, () => 'text' as unknown as number, () => Promise.reject(new RangeError('far'))];
    let calls = 0;
    const result = await minimize((x) => (calls++ % 2 === 0 ? sphere(x) : kinds[(calls >> 1) % 3]()), SMALL);
    expect(result.failedEvaluations).toBe(150);
    expect(result.failures.map(({ type }) => type).sort()).toEqual(['NaNResult', 'NonNumericResult', 'RangeError']);
  });

  it('gives a batch that throws its points one by one', async () => {
    const result = await minimize(
      (points, count) => {
        const values = Array.from({ length: count }, (_, i) => sphere(points.subarray(3 * i, 3 * i + 3)));
        if (values.some((value) => value > 6)) throw new RangeError('too far');
        return values;
      },
      { ...SMALL, batch: true },
    );
    expect(result.failedEvaluations).toBeGreaterThan(0);
    expect(result.failures[0]).toEqual({ type: 'RangeError', message: 'too far', line: 0 });
    expect(result.value).toBeLessThan(1e-6);
  });

  it('rejects where no evaluation gives a number, with what was thrown first', async () => {
    const error = new TypeError('no');
    const thrown = await minimize(() => {
      throw error;
    }, SMALL).catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(ExtremumError);
    expect(thrown).toMatchObject({ code: 'objective_rejected', cause: error });
    expect((thrown as Error).message).toMatch(/^TypeError: no; all of the first \d+ evaluations failed$/);
    await expect(minimize(() => Infinity, SMALL)).rejects.toThrow('None of 300 evaluations gave a finite value.');
  });

  it('takes whatever is thrown, also what has no text', async () => {
    const things = ['undefined', '"text"', '{ toString() { throw 1; } }', 'Object.create(null)', 'Symbol("s")'];
    for (const thing of things) {
      const code = `throw ${thing};`;
      const called = await minimize(new Function(code) as () => number, SMALL).catch((caught: unknown) => caught);
      expect(called, thing).toMatchObject({
        code: 'objective_rejected',
        facts: { failures: [{ type: 'Error' }, {}, {}] },
      });
    }
    const weird = minimize(moduleOf('export default () => { throw Object.create(null); };'), SMALL);
    await expect(weird).rejects.toMatchObject({ code: 'objective_rejected' });
  }, 60_000);

  it('survives threads that die: the evaluation that a thread died in has failed', async () => {
    const code = 'export default (x) => { if (x[0] > 1) process.exit(1); return x[0] ** 2; };';
    const of = (concurrency: number): Promise<Result> =>
      minimize(moduleOf(code), { bounds: [[-1, 1.5]], budget: 12, seed: 4, strategy: 'particle-swarm', concurrency });
    const [one, two] = [await of(1), await of(2)];
    expect(course(two)).toEqual(course(one));
    expect(one.failedEvaluations).toBeGreaterThan(0);
    expect(one.failures[0]).toMatchObject({ type: 'WorkerLost' });
  }, 60_000);

  it.each([
    ['export const a = 1;', 'it exports no function "default"; it has a.'],
    ['throw new Error("at the top");', 'at the top.'],
    ['export default (', 'cannot be used: '],
  ])('says why the module %j cannot be used', async (code, message) => {
    const rejection = await minimize(moduleOf(code), SMALL).catch((caught: unknown) => caught);
    expect(rejection).toMatchObject({ code: 'objective_rejected' });
    expect((rejection as Error).message).toContain(message);
  });

  it('says where Python source is wrong, or cannot be run', async () => {
    const wrong = minimize({ python: 'def f(x:\n  return 1', interpreter: 'off' }, SMALL);
    await expect(wrong).rejects.toMatchObject({ code: 'objective_rejected', facts: { line: 1 } });
    const needy = minimize({ python: 'def f(x):\n    return len(open("/x").read())', interpreter: 'off' }, SMALL);
    await expect(needy).rejects.toMatchObject({ code: 'backend_unavailable' });
  }, 60_000);

  it('ends by its signal: with the best so far, or with the reason where there is none', async () => {
    const endless = { ...SMALL, budget: 1e9, mode: 'accurate', strategy: 'cma-es' } as const;
    for (const objective of [sphere, SPHERE_MODULE, { python: 'def f(x):\n    return sum(v * v for v in x)\n' }]) {
      const control = new AbortController();
      const onProgress = (): void => control.abort();
      const cut = await minimize(objective, { ...endless, signal: control.signal, onProgress });
      expect(cut.reason).toBe('cancelled');
      expect(cut.evaluations).toBeGreaterThan(0);
    }
    const reason = new Error('mine');
    await expect(minimize(sphere, { ...SMALL, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stuck = minimize(moduleOf('export default () => { for (;;); };'), {
      ...SMALL,
      signal: AbortSignal.timeout(50),
    });
    await expect(stuck).rejects.toMatchObject({ name: 'TimeoutError' });
    const never = minimize(() => new Promise<number>(() => {}), { ...SMALL, signal: AbortSignal.timeout(50) });
    await expect(never).rejects.toMatchObject({ name: 'TimeoutError' });
  }, 60_000);

  it('rejects with what onProgress throws', async () => {
    const error = new Error('enough');
    const options: Options = {
      ...SMALL,
      budget: 1e9,
      mode: 'accurate',
      strategy: 'cma-es',
      onProgress: () => {
        throw error;
      },
    };
    await expect(minimize(sphere, { ...options, batch: false })).rejects.toBe(error);
    const python = minimize({ python: 'def f(x):\n    return sum(v * v for v in x)\n' }, { ...options, batch: false });
    await expect(python).rejects.toBe(error);
  }, 60_000);

  it.each<[string, unknown, unknown, RegExp]>([
    ['TypeError', 3, SMALL, /^the objective must be a function, /],
    ['TypeError', sphere, undefined, /^options must be an object with bounds$/],
    ['TypeError', sphere, {}, /^options\.bounds must be pairs/],
    ['TypeError', sphere, { bounds: [[0]] }, /^options\.bounds\[0\] must be a pair of numbers$/],
    ['RangeError', sphere, { bounds: [] }, /^options\.bounds has 0 dimensions; 1 to 10000 are possible$/],
    [
      'RangeError',
      sphere,
      { bounds: [[0, Infinity]] },
      /^options\.bounds\[0\] is \[0, Infinity\]; both must be finite/,
    ],
    [
      'RangeError',
      sphere,
      { bounds: { lower: [0], upper: [1, 2] } },
      /^options\.bounds has 1 lower and 2 upper bounds$/,
    ],
    ['RangeError', sphere, { ...SMALL, budget: 0.5 }, /^options\.budget is 0\.5; it must be a whole number from 1/],
    ['TypeError', sphere, { ...SMALL, seed: '1' }, /^options\.seed must be a number$/],
    ['RangeError', sphere, { ...SMALL, mode: 'slow' }, /^options\.mode must be one of fast, balanced, accurate$/],
    [
      'RangeError',
      sphere,
      { ...SMALL, strategy: 'branch-and-bound' },
      /^options\.strategy: "branch-and-bound" needs an objective that is compiled, .*; suitable here: planner, /,
    ],
    ['RangeError', sphere, { ...SMALL, target: NaN }, /^options\.target must be finite$/],
    ['RangeError', sphere, { ...SMALL, start: [0, 0, 9] }, /^options\.start\[2\] is 9, outside its bounds$/],
    ['TypeError', sphere, { ...SMALL, signal: {} }, /^options\.signal must be an AbortSignal$/],
    ['TypeError', sphere, { ...SMALL, onProgress: 1 }, /^options\.onProgress must be a function$/],
    ['TypeError', sphere, { ...SMALL, budjet: 1 }, /^options\.budjet is not known; known are bounds, budget, /],
    ['TypeError', { module: './objective.js' }, SMALL, /^objective\.module must be a URL/],
    ['TypeError', { python: 'x' }, { ...SMALL, batch: true }, /^options\.batch is not for Python/],
    ['RangeError', { python: 'x', interpreter: '' }, SMALL, /^objective\.interpreter must not be empty$/],
  ])('rejects with a %s: %j, %j', async (name, objective, options, message) => {
    const call = minimize as (objective: unknown, options: unknown) => Promise<Result>;
    const error = await call(objective, options).catch((caught: unknown) => caught);
    expect((error as Error).name).toBe(name);
    expect((error as Error).message).toMatch(message);
  });
});

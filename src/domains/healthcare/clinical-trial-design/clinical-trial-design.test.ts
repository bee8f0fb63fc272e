import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { referenceCases, solveConfig, solved, type ReferenceCase } from '../../../../test/support/problems.js';
import { clinicalTrialDesign as type } from './clinical-trial-design.js';

const cases = referenceCases('healthcare', 'clinical_trial_design');

type Values = Record<string, unknown>;

/** Nulls are description. */
const sent = ({ config }: ReferenceCase): Values =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));

const answerOf = async (config: Values): Promise<Values> => (await solved(type, config)).answer.result;

// Evaluators that share nothing with the solvers.

const choose = (n: number, k: number): number => {
  let product = 1;
  for (let i = 1; i <= k; i++) product *= (n - k + i) / i;
  return product;
};

const rows = new Map<string, number[]>();

function mass(k: number, n: number, p: number): number {
  let row = rows.get(`${n} ${p}`);
  if (row === undefined) {
    row = Array.from({ length: n + 1 }, (_, i) => choose(n, i) * p ** i * (1 - p) ** (n - i));
    rows.set(`${n} ${p}`, row);
  }
  return row[k] ?? 0;
}

const sumOf = (from: number, to: number, f: (k: number) => number): number => {
  let sum = 0;
  for (let k = from; k <= to; k++) sum += f(k);
  return sum;
};

interface Simon {
  readonly r1: number;
  readonly n1: number;
  readonly r: number;
  readonly n: number;
}

const rejects = ({ r1, n1, r, n }: Simon, p: number): number =>
  sumOf(r1 + 1, n1, (x) => mass(x, n1, p) * sumOf(Math.max(0, r - x + 1), n - n1, (y) => mass(y, n - n1, p)));

const stops = ({ r1, n1 }: Simon, p: number): number => sumOf(0, r1, (x) => mass(x, n1, p));

const expectedN = (design: Simon, p: number): number => design.n1 + (1 - stops(design, p)) * (design.n - design.n1);

/** Error function by its series and the continued fraction of its complement. */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  if (z < 2.5) {
    let [term, sum] = [z / Math.SQRT2, z / Math.SQRT2];
    for (let k = 1; k < 80; k++) {
      term *= (-z * z) / (2 * k);
      sum += term / (2 * k + 1);
    }
    return 0.5 - sum / Math.sqrt(Math.PI);
  }
  let tail = 0;
  for (let k = 100; k >= 1; k--) tail = k / (z + tail);
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / (z + tail);
}

/** Probabilities of crossing upwards and downwards first, by the midpoint rule on increments. */
function crossed(times: number[], upper: number[], lower: number[], theta: number): [above: number, below: number] {
  let [above, below] = [0, 0];
  let s = [0];
  let weight = [1];
  let before = 0;
  for (const [k, t] of times.entries()) {
    const sd = Math.sqrt(t - before);
    const shift = theta * (t - before);
    const [high, low] = [upper[k] * Math.sqrt(t), lower[k] * Math.sqrt(t)];
    for (const [i, from] of s.entries()) {
      above += weight[i] * normalTail((high - from - shift) / sd);
      if (low > -1e9) below += weight[i] * normalTail((from + shift - low) / sd);
    }
    if (k === times.length - 1) break;
    const bottom = Math.max(low, theta * t - 7 * Math.sqrt(t));
    const top = Math.min(high, theta * t + 7 * Math.sqrt(t));
    const count = 400;
    const h = (top - bottom) / count;
    const next = Array.from({ length: count }, (_, i) => bottom + (i + 0.5) * h);
    weight = next.map((to) =>
      s.reduce((sum, from, i) => {
        const z = (to - from - shift) / sd;
        return sum + (weight[i] * h * Math.exp((-z * z) / 2)) / (sd * Math.sqrt(2 * Math.PI));
      }, 0),
    );
    [s, before] = [next, t];
  }
  return [above, below];
}

/** Every named value of the result against the expected one. */
function expectClose(result: Values, expected: Values, tolerance: (name: string) => number): void {
  for (const [name, value] of Object.entries(expected)) {
    const [own, wanted] = [[result[name]].flat() as number[], [value].flat() as number[]];
    expect([name, own.length]).toEqual([name, wanted.length]);
    for (const [i, one] of wanted.entries()) {
      expect(Math.abs(own[i] - one), `${name}[${i}]: ${own[i]} for ${one}`).toBeLessThanOrEqual(tolerance(name));
    }
  }
}

describe.skipIf(cases === null)('reference cases', () => {
  const of = (model: string): readonly ReferenceCase[] => cases!.filter(({ config }) => config['model'] === model);

  it('are all of one of the models', () => {
    expect(cases).toHaveLength(87);
    expect(new Set(cases!.map(({ config }) => config['model']))).toEqual(new Set(type.models.map(({ name }) => name)));
  });

  it.each(cases === null ? [] : of('simon_two_stage').map((one) => [one.id, one] as const))('%s', async (_, one) => {
    const result = await answerOf(sent(one));
    const integers = ['r1', 'n1', 'r', 'n'];
    expectClose(result, one.expected, (name) => (integers.includes(name) ? 0 : name === 'EN0' ? 0.005 : 1e-8));
    const design = result as unknown as Simon;
    const { p0, p1 } = one.config as { p0: number; p1: number };
    expect(result['type_i_error']).toBeCloseTo(rejects(design, p0), 10);
    expect(result['power']).toBeCloseTo(rejects(design, p1), 10);
    expect(result['EN0']).toBeCloseTo(expectedN(design, p0), 8);
  });

  it.each(cases === null ? [] : of('group_sequential').map((one) => [one.id, one] as const))('%s', async (_, one) => {
    const config = sent(one) as { alpha: number; sides: number; looks?: number; information_fractions?: number[] };
    const result = await answerOf({ ...config });
    expectClose(result, one.expected, () => 1e-6);
    const bounds = result['z_bounds'] as number[];
    const times = config.information_fractions ?? bounds.map((_, k) => (k + 1) / bounds.length);
    if (times.length > 4) return;
    const mirrored = bounds.map((bound) => (config.sides === 2 ? -bound : -Infinity));
    const [above, below] = crossed(times, bounds, mirrored, 0);
    expect(above + below).toBeCloseTo(config.alpha, 4);
    expect(crossed(times, bounds, mirrored, result['drift'] as number)[0]).toBeCloseTo(0.9, 3);
  });

  it.each(cases === null ? [] : of('fixed').map((one) => [one.id, one] as const))('%s', async (_, one) => {
    const result = await answerOf(sent(one));
    expectClose(result, one.expected, (name) => ({ achieved_power: 1e-5, events_exact: 1e-6 })[name] ?? 0);
  });

  it.each(cases === null ? [] : of('boin').map((one) => [one.id, one] as const))('%s', async (_, one) => {
    const { table, ...lambdas } = one.expected;
    const result = await answerOf(sent(one));
    expectClose(result, lambdas, () => 1e-8);
    const rows = result['table'] as { n: number }[];
    for (const row of table as { n: number }[]) expect(rows.find(({ n }) => n === row.n)).toMatchObject(row);
  });

  it.each(cases === null ? [] : of('stratified_allocation').map((one) => [one.id, one] as const))(
    '%s',
    async (_, one) => {
      expectClose(await answerOf(sent(one)), one.expected, () => 1e-6);
    },
  );
});

describe('simon_two_stage', () => {
  const chance = Rng.create(31);
  const random = Array.from({ length: 12 }, (_, i) => {
    const p0 = 0.05 + 0.5 * chance.uniform();
    return {
      criterion: (['optimal', 'minimax', 'admissible'] as const)[i % 3],
      p0,
      p1: p0 + 0.28 + 0.1 * chance.uniform(),
      alpha: [0.05, 0.1][i % 2],
      power: [0.8, 0.9, 0.85][Math.floor(i / 2) % 3],
    };
  });

  /** All designs of up to `largest` patients that keep both errors. */
  function everyDesign(
    { p0, p1, alpha, power }: (typeof random)[number],
    largest: number,
  ): (Simon & { EN0: number })[] {
    const found: (Simon & { EN0: number })[] = [];
    for (let n = 2; n <= largest; n++) {
      for (let n1 = 1; n1 < n; n1++) {
        for (let r1 = 0; r1 < n1; r1++) {
          if (stops({ r1, n1, r: 0, n }, p1) > 1 - power) break;
          // Power and type I error fall with r, and the expected size does not depend on it.
          let r = r1 + 1;
          while (r < n && rejects({ r1, n1, r, n }, p0) > alpha) r++;
          const design = { r1, n1, r, n };
          if (r < n && rejects(design, p1) >= power) found.push({ ...design, EN0: expectedN(design, p0) });
        }
      }
    }
    return found;
  }

  it.each(random)('is the best of all designs: $criterion, $p0 to $p1', async (config) => {
    const outcome = await solved(type, { model: 'simon_two_stage', ...config });
    const all = everyDesign(config, 32);
    const score = ({ n, EN0 }: { n: number; EN0: number }): number =>
      ({ optimal: EN0, minimax: n, admissible: (n + EN0) / 2 })[config.criterion];
    expect(outcome.bestFitness).toBeCloseTo(Math.min(...all.map(score)), 9);
    const { n, EN0 } = outcome.answer.result as { n: number; EN0: number };
    expect(n).toBeLessThan(32);
    expect(EN0).toBeCloseTo(Math.min(...all.filter((one) => one.n === n).map((one) => one.EN0)), 9);
    // Those of the hull are the best for the weights that they are said to be best for.
    for (const one of outcome.answer.alternatives ?? []) {
      const [low, high] = one['weight_of_total'] as [number, number];
      const weight = (low + high) / 2;
      const value = (design: { n: number; EN0: number }): number => weight * design.n + (1 - weight) * design.EN0;
      expect(value(one as { n: number; EN0: number })).toBeCloseTo(Math.min(...all.map(value)), 9);
    }
  });

  it('takes the default of 5 percent and a power of 80', async () => {
    const { bestSolution } = await solved(type, { p0: 0.1, p1: 0.3 });
    expect(bestSolution).toEqual([1, 10, 5, 29]);
  });

  it('goes beyond 110 patients where it must', async () => {
    const { bestSolution, answer } = await solved(type, { p0: 0.4, p1: 0.5 });
    expect(bestSolution[3]).toBeGreaterThan(110);
    expect(answer.result['type_i_error']).toBeLessThanOrEqual(0.05);
  });

  it('says how many patients would be enough', async () => {
    const outcome = await solveConfig(type, { p0: 0.1, p1: 0.3, max_n: 20 });
    expect(outcome).toMatchObject({ error: { code: 'infeasible', conflict: ['alpha', 'power', 'max_n'] } });
    expect('error' in outcome && outcome.error.message).toContain('at least 25 are needed');
    expect((await solved(type, { p0: 0.1, p1: 0.3, max_n: 25 })).bestSolution).toEqual([1, 15, 5, 25]);
  });

  it('says so where the rates are too close', async () => {
    const outcome = await solveConfig(type, { p0: 0.4, p1: 0.41 });
    expect('error' in outcome && outcome.error.message).toContain('too close');
  });
});

describe('group_sequential', () => {
  const chance = Rng.create(5);
  const random = Array.from({ length: 8 }, (_, i) => {
    const looks = 2 + (i % 3);
    const steps = Array.from({ length: looks }, () => 0.2 + chance.uniform());
    const whole = steps.reduce((sum, step) => sum + step, 0);
    let t = 0;
    const fractions = steps.map((step, k) => (k === looks - 1 ? 1 : (t += step / whole)));
    const isSpending = i % 2 === 1;
    return {
      model: 'group_sequential',
      information_fractions: fractions,
      boundary: isSpending ? 'alpha_spending' : ['pocock', 'obrien_fleming', 'wang_tsiatis_0.25'][i % 3],
      ...(isSpending ? { spending_function: 'hwang_shih_decani', spending_parameter: 6 * chance.uniform() - 4 } : {}),
      alpha: 0.01 + 0.09 * chance.uniform(),
      sides: i < 4 ? 1 : 2,
      power: 0.75 + 0.2 * chance.uniform(),
    };
  });

  it.each(random)('keeps its errors: $boundary, $information_fractions', async (config) => {
    const result = await answerOf(config);
    const bounds = result['z_bounds'] as number[];
    const mirrored = bounds.map((bound) => (config.sides === 2 ? -bound : -Infinity));
    const times = config.information_fractions;
    const [above, below] = crossed(times, bounds, mirrored, 0);
    expect(above + below).toBeCloseTo(config.alpha, 4);
    expect(crossed(times, bounds, mirrored, result['drift'] as number)[0]).toBeCloseTo(config.power, 3);
    const spent = result['cumulative_alpha'] as number[];
    for (const [k, sum] of spent.entries()) {
      const [up, down] = crossed(times.slice(0, k + 1), bounds, mirrored, 0);
      expect(up + down).toBeCloseTo(sum, 4);
    }
  });

  it.each([
    [{ sides: 1, alpha: 0.025, boundary: 'alpha_spending', spending_function: 'pocock_type' }],
    [{ sides: 1, alpha: 0.05, boundary: 'pocock' }],
    [{ sides: 2, alpha: 0.05, boundary: 'obrien_fleming' }],
  ])('spends the type II error where it gives up early: %o', async (given) => {
    const result = await answerOf({
      model: 'group_sequential',
      looks: 3,
      futility: 'non_binding',
      power: 0.85,
      ...given,
    });
    const times = [1 / 3, 2 / 3, 1];
    const [upper, lower] = [result['z_bounds'], result['futility_bounds']] as [number[], number[]];
    expect(lower[2]).toBe(upper[2]);
    const [above, below] = crossed(times, upper, lower, result['drift'] as number);
    expect(above).toBeCloseTo(0.85, 3);
    expect(below).toBeCloseTo(0.15, 3);
    // The first look gives up with the share that the function spends by a third of the information.
    const [, first] = crossed([1 / 3], upper, lower, result['drift'] as number);
    const z = 1.4395314709384563; // Of 0.075: scipy.stats.norm.isf, scipy 1.10.1
    const spent =
      'spending_function' in given ? 0.15 * Math.log(1 + (Math.E - 1) / 3) : 2 * normalTail(z / Math.sqrt(1 / 3));
    expect(first).toBeCloseTo(spent, 8);
    // Whoever ignores it keeps the type I error.
    const mirrored = upper.map((bound) => (given.sides === 2 ? -bound : -Infinity));
    const [up, down] = crossed(times, upper, mirrored, 0);
    expect(up + down).toBeCloseTo(given.alpha, 4);
  });

  it('makes numbers of patients from an effect, with the inflation of the boundary', async () => {
    const effect = { endpoint: 'survival', hazard_ratio: 0.7 };
    const result = await answerOf({ model: 'group_sequential', looks: 3, boundary: 'pocock', ...effect });
    expect(result['fixed_design_n']).toBeCloseTo(330.377914, 5);
    expect(result['max_n']).toBe(Math.ceil(330.377914 * 1.150639229));
    const stages = result['stages'] as { n: number; cumulative_n: number }[];
    expect(stages.map(({ cumulative_n }) => cumulative_n)).toEqual([127, 254, 381]);
    expect(stages.reduce((sum, { n }) => sum + n, 0)).toBe(381);
    const given = await answerOf({ model: 'group_sequential', looks: 3, boundary: 'pocock', fixed_sample_size: 100 });
    expect(given['max_n']).toBe(116);
  });

  it('gives up at the upper boundary where fewer go on than may be lost', async () => {
    const times = [0.447489719235497, 0.9081136087481663, 1];
    const result = await answerOf({
      ...{ model: 'group_sequential', information_fractions: times, boundary: 'alpha_spending' },
      ...{ alpha: 0.2615823011822691, power: 0.7150069428524524, sides: 1, futility: 'non_binding' },
    });
    const [upper, lower] = [result['z_bounds'], result['futility_bounds']] as [number[], number[]];
    for (const [k, bound] of lower.entries()) expect(bound).toBeLessThanOrEqual(upper[k]);
    expect(crossed(times, upper, lower, result['drift'] as number)[0]).toBeCloseTo(0.715, 3);
  });

  it('holds boundaries that spend next to nothing', async () => {
    const { bestSolution } = await solved(type, {
      model: 'group_sequential',
      information_fractions: [0.01, 0.02, 0.5, 1],
      boundary: 'alpha_spending',
    });
    expect(bestSolution[0]).toBe(20);
    expect(bestSolution[3]).toBeCloseTo(1.969, 3);
  });
});

describe('fixed', () => {
  // Least control arm and its power; scipy.stats.nct and t, scipy 1.10.1, counting up from 1.
  it.each([
    [13.794, 11.4, 0.1, 2, 0.85, 1, 11, 0.863208486],
    [19.992, 9.8, 0.025, 1, 0.95, 2, 6, 0.9688984209],
    [5.28, 11.0, 0.01, 2, 0.95, 0.5, 235, 0.9513749592],
    [21.336, 12.7, 0.01, 1, 0.8, 1, 9, 0.8237418069],
    [27.084, 12.2, 0.1, 2, 0.95, 0.5, 8, 0.9573442457],
    [22.578, 10.6, 0.05, 2, 0.8, 1, 5, 0.8377840662],
    [7.198, 5.9, 0.01, 2, 0.9, 1, 22, 0.9046850836],
    [1.496, 1.1, 0.01, 2, 0.8, 2, 11, 0.8180362153],
    [20.352, 19.2, 0.01, 1, 0.85, 1, 22, 0.8587856838],
    [24.5, 19.6, 0.1, 2, 0.8, 0.5, 13, 0.8210136259],
  ])(
    'has the least size of the t test: %d, %d',
    async (mean_difference, standard_deviation, alpha, sides, power, ratio, n, reached) => {
      const result = await answerOf({
        ...{ model: 'fixed', endpoint: 'continuous', mean_difference, standard_deviation },
        ...{ alpha, sides, power, allocation_ratio: ratio },
      });
      expect([result['n_control'], result['n_treatment']]).toEqual([n, Math.ceil(ratio * n)]);
      expect(result['achieved_power']).toBeCloseTo(reached, 8);
    },
  );

  it('finds an effect that nobody could miss with the fewest patients', async () => {
    const result = await answerOf({
      ...{ model: 'fixed', endpoint: 'continuous', mean_difference: -440, standard_deviation: 0.086, power: 0.54 },
    });
    expect([result['n_control'], result['achieved_power']]).toEqual([2, 1]);
  });

  it('recruits more where patients drop out, and where few have events', async () => {
    const effect = { endpoint: 'survival', hazard_ratio: 0.6, power: 0.9, allocation_ratio: 2 };
    const { answer, bestFitness } = await solved(type, {
      model: 'fixed',
      ...effect,
      event_probability: 0.4,
      dropout: 0.1,
    });
    // 182 events of 455 patients: 152 and 304 in the arms, 169 and 338 recruited.
    expect(answer.result).toMatchObject({ events: 182, n_control: 152, n_treatment: 304, total_n: 507 });
    expect(bestFitness).toBe(507);
    const { answer: events } = await solved(type, { model: 'fixed', ...effect });
    expect(events.decisionVariables).toEqual(['events']);
    expect(events.warnings.map(({ code }) => code)).toContain('events_only');
  });

  it('says so where the effect is too small for any trial', async () => {
    const outcome = await solveConfig(type, {
      ...{ model: 'fixed', endpoint: 'continuous', mean_difference: 1e-6, standard_deviation: 1 },
    });
    expect(outcome).toMatchObject({ error: { code: 'infeasible' } });
  });
});

describe('boin', () => {
  it.each([
    [0.25, 0.15, 0.35],
    [0.3, 0.1, 0.5],
    [0.1, 0.06, 0.14],
    [0.2, 0.12, 0.5],
  ])('errs least often with its boundaries: target %d', async (target_toxicity, p_saf, p_tox) => {
    const config = { model: 'boin', target_toxicity, p_saf, p_tox, cohort_size: 4, max_n: 22 };
    const rows = (await answerOf(config))['table'] as Record<string, number>[];
    expect(rows.map(({ n }) => n)).toEqual([4, 8, 12, 16, 20, 22]);
    for (const { n = NaN, ...row } of rows) {
      let least = Infinity;
      for (let e = -1; e <= n; e++) {
        for (let d = e + 1; d <= n + 1; d++) {
          const wrong =
            sumOf(0, e, (y) => mass(y, n, target_toxicity)) +
            sumOf(d, n, (y) => mass(y, n, target_toxicity)) +
            sumOf(e + 1, n, (y) => mass(y, n, p_saf)) +
            sumOf(0, d - 1, (y) => mass(y, n, p_tox));
          least = Math.min(least, wrong / 3);
        }
      }
      expect(row['incorrect_decision_probability']).toBeCloseTo(least, 12);
    }
  });

  it('gives a dose up as the published table does: target 0.3', async () => {
    // Liu and Yuan's default rule; 0.95, uniform prior: 3 of 3, 4 of 6, 5 of 9, 7 of 12.
    const rows = (await answerOf({ model: 'boin', target_toxicity: 0.3 }))['table'] as Record<string, number>[];
    expect(rows.slice(0, 4).map((row) => row['eliminate_if_dlt_ge'])).toEqual([3, 4, 5, 7]);
  });
});

describe('stratified_allocation', () => {
  const chance = Rng.create(77);
  const random = Array.from({ length: 8 }, (_, i) => {
    const strata = 2 + (i % 3);
    const strata_sizes = Array.from({ length: strata }, () => 3 + Math.floor(20 * chance.uniform()));
    const room = strata_sizes.reduce((sum, size) => sum + size, 0);
    return {
      model: 'stratified_allocation',
      total_n: strata + Math.floor((Math.min(room, 24) - strata) * chance.uniform()),
      strata_sizes,
      strata_sd: strata_sizes.map((_, h) => (h === 0 && i % 4 === 3 ? 0 : 10 * chance.uniform() ** 2)),
    };
  });

  it.each(random)('has the least variance of all allocations: $total_n of $strata_sizes', async (config) => {
    const { strata_sizes, strata_sd, total_n } = config;
    const population = strata_sizes.reduce((sum, size) => sum + size, 0);
    const variance = (n: readonly number[]): number =>
      n.reduce((sum, own, h) => sum + ((strata_sizes[h] / population) * strata_sd[h]) ** 2 / own, 0);
    let least = Infinity;
    const fill = (n: number[], left: number): void => {
      if (n.length === strata_sizes.length) {
        if (left === 0) least = Math.min(least, variance(n));
        return;
      }
      for (let own = 1; own <= Math.min(left, strata_sizes[n.length]); own++) fill([...n, own], left - own);
    };
    fill([], total_n);
    const { bestSolution, bestFitness, answer } = await solved(type, config);
    expect(bestFitness).toBeCloseTo(least, 12);
    expect(variance(bestSolution)).toBeCloseTo(least, 12);
    expect(answer.optimality.status).toBe('optimal');
  });

  it('shares by the root of the costs, and names the bound', async () => {
    const config = { total_n: 100, strata_sizes: [1000, 1000], strata_sd: [5, 5], strata_costs: [1, 4] };
    const { answer } = await solved(type, { model: 'stratified_allocation', ...config });
    const exact = answer.result['n_exact'] as number[];
    expect(exact[0] / exact[1]).toBeCloseTo(2, 12);
    expect(answer.optimality.bound).toBeLessThanOrEqual(answer.result['variance_of_mean_integers'] as number);
    expect(answer.optimality.gap).toBeLessThan(1e-4);
  });

  it('gives to others what a full stratum cannot take', async () => {
    const config = { total_n: 50, strata_sizes: [10, 500, 500], strata_sd: [1000, 1, 1] };
    const { bestSolution, answer } = await solved(type, { model: 'stratified_allocation', ...config });
    expect(bestSolution).toEqual([10, 20, 20]);
    expect(answer.warnings.map(({ code }) => code)).toContain('full_strata');
  });

  it('handles large populations and samples', async () => {
    const strata_sizes = Array.from({ length: 1000 }, (_, h) => 1_000_000 - h);
    const strata_sd = strata_sizes.map((_, h) => 1 + (h % 7));
    const { bestSolution } = await solved(type, {
      model: 'stratified_allocation',
      total_n: 3e8,
      strata_sizes,
      strata_sd,
    });
    expect(bestSolution.reduce((sum, n) => sum + n, 0)).toBe(3e8);
  });

  it('says so where there are not that many units', async () => {
    const config = { model: 'stratified_allocation', total_n: 30, strata_sizes: [10, 10], strata_sd: [1, 2] };
    expect(await solveConfig(type, config)).toMatchObject({
      error: { code: 'infeasible', conflict: ['total_n', 'strata_sizes'] },
    });
  });
});

describe('every answer', () => {
  it('carries the warning that a person must review it', async () => {
    for (const { example } of type.models) {
      const { answer } = await solved(type, example);
      expect(answer.warnings.map(({ code }) => code)).toContain('decision_support');
    }
  });
});

const gs = { model: 'group_sequential', looks: 3 };
const survival = { model: 'fixed', endpoint: 'survival', hazard_ratio: 0.7 };
const strata = { model: 'stratified_allocation', total_n: 20, strata_sizes: [50, 50], strata_sd: [1, 2] };

describe('refuses', () => {
  it.each([
    ['config.p1', { p0: 0.3, p1: 0.3 }],
    ['config.p1', { p0: 0.3, p1: 1.2 }],
    ['config.p0', { p0: 5, p1: 0.3 }],
    ['config.power', { p0: 0.1, p1: 0.3, alpha: 0.2, power: 0.1 }],
    ['config.criterion', { p0: 0.1, p1: 0.3, criterion: 'best' }],
    ['config.max_n', { p0: 0.1, p1: 0.3, max_n: 5000 }],
    ['config.looks', { model: 'group_sequential' }],
    ['config.looks', { ...gs, looks: 1 }],
    ['config.looks', { ...gs, looks: 21 }],
    ['config.information_fractions', { ...gs, information_fractions: [0.5, 1] }],
    ['config.information_fractions[1]', { model: 'group_sequential', information_fractions: [0.5, 0.4, 1] }],
    ['config.information_fractions[1]', { model: 'group_sequential', information_fractions: [0.5, 0.9] }],
    ['config.alpha', { ...gs, alpha: 0.6 }],
    ['config.power', { ...gs, power: 0.01 }],
    ['config.sides', { ...gs, sides: 3 }],
    ['config.spending_function', { ...gs, spending_function: 'power', spending_parameter: 2 }],
    ['config.spending_parameter', { ...gs, boundary: 'alpha_spending', spending_function: 'power' }],
    [
      'config.spending_parameter',
      { ...gs, boundary: 'alpha_spending', spending_function: 'power', spending_parameter: 0 },
    ],
    ['config.spending_parameter', { ...gs, boundary: 'alpha_spending', spending_parameter: 2 }],
    ['config.hazard_ratio', { ...gs, hazard_ratio: 0.7 }],
    ['config.hazard_ratio', { ...gs, endpoint: 'survival' }],
    ['config.fixed_sample_size', { ...gs, endpoint: 'survival', hazard_ratio: 0.7, fixed_sample_size: 100 }],
    ['config.endpoint', { model: 'fixed', hazard_ratio: 0.7 }],
    ['config.hazard_ratio', { ...survival, hazard_ratio: 1 }],
    ['config.p_control', { ...survival, p_control: 0.2 }],
    [
      'config.event_probability',
      { model: 'fixed', endpoint: 'binary', p_control: 0.2, p_treatment: 0.4, event_probability: 0.5 },
    ],
    ['config.p_treatment', { model: 'fixed', endpoint: 'binary', p_control: 0.2 }],
    ['config.p_treatment', { model: 'fixed', endpoint: 'binary', p_control: 0.2, p_treatment: 0.2 }],
    ['config.mean_difference', { model: 'fixed', endpoint: 'continuous', mean_difference: 0, standard_deviation: 1 }],
    ['config.dropout', { ...survival, dropout: 1 }],
    ['config.p_saf', { model: 'boin', target_toxicity: 0.3, p_saf: 0.4 }],
    ['config.p_tox', { model: 'boin', target_toxicity: 0.3, p_tox: 0.2 }],
    ['config.p_tox', { model: 'boin', target_toxicity: 0.8 }],
    ['config.cohort_size', { model: 'boin', target_toxicity: 0.3, cohort_size: 10, max_n: 6 }],
    ['config.strata_sd', { ...strata, strata_sd: [1] }],
    ['config.strata_costs', { ...strata, strata_costs: [1] }],
    ['config.strata_sizes[1]', { ...strata, strata_sizes: [50, 50.5] }],
    ['config.strata_sd', { ...strata, strata_sd: [0, 0] }],
    ['config.total_n', { ...strata, total_n: 1 }],
  ])('%s of %o', async (field, config) => {
    await expect(solveConfig(type, config)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`\`${field}\``) as string,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { guideConfigs, referenceCases, solveConfig, solved } from '../../../../test/support/problems.js';
import { budgetAllocation } from './budget-allocation.js';
import type { Json } from '../../../../test/support/service.js';

const cases = referenceCases('marketing', 'budget_allocation');
const SKIPPED = cases === null ? ' (no reference files beside this checkout)' : '';

async function answerOf(
  config: unknown,
): Promise<{ x: readonly number[]; f: number; r: Json; status: string; bound: number | null }> {
  const { bestSolution, bestFitness, answer } = await solved(budgetAllocation, config);
  return { x: bestSolution, f: bestFitness, r: answer.result, ...answer.optimality };
}

const relative = (found: number, expected: number): number =>
  Math.abs(found - expected) / Math.max(1e-12, Math.abs(expected));

/** The curves again, as the contract writes them. */
function respond(response: Json, x: number): number {
  switch (response.type) {
    case 'power':
      return response.scale * x ** (response.exponent ?? 0.5);
    case 'log':
      return response.scale * Math.log(1 + x / response.half);
    case 'negexp':
      return response.max * (1 - Math.exp(-x / response.scale));
    case 'hill':
      return x <= 0
        ? 0
        : (response.max * x ** response.shape) / (x ** response.shape + response.half_saturation ** response.shape);
    default: {
      const points = [[0, 0], ...response.points.toSorted((a: number[], b: number[]) => a[0] - b[0])];
      const i = points.findIndex(([at]) => at >= x);
      if (i < 0) return points.at(-1)[1];
      if (i === 0) return 0;
      const [[a, y], [b, z]] = [points[i - 1], points[i]];
      return b === a ? z : y + ((z - y) * (x - a)) / (b - a);
    }
  }
}

const effect = (channel: Json, x: number): number => respond(channel.response, x / (1 - (channel.adstock_decay ?? 0)));

const random = Rng.create(20260202);
const between = (low: number, high: number): number => low + (high - low) * random.uniform();
const whole = (low: number, high: number): number => low + random.below(high - low + 1);

describe('the cases of the reference', () => {
  it.skipIf(cases === null)(`has all of them${SKIPPED}`, () => {
    expect(cases).toHaveLength(6);
  });

  for (const { id, config, expected, tolerance } of cases ?? []) {
    it(id, async () => {
      const { r, f, status, bound } = await answerOf(config);
      const want = expected as Json;
      // Spends of the S-shaped cases are told without a tolerance: their marginal returns differ in the fourth digit.
      const { total_rel, spend_abs = 5 } = tolerance as Json;
      expect(status).toBe('optimal');
      expect(relative(r.total_response, want.total_response)).toBeLessThan(total_rel);
      expect(relative(bound ?? NaN, want.total_response)).toBeLessThan(total_rel);
      let total = 0;
      for (const channel of (config as Json).channels) {
        const x = r.spend[channel.id];
        expect(Math.abs(x - want.spend[channel.id])).toBeLessThan(spend_abs);
        total += effect(channel, x);
        expect(x).toBeGreaterThanOrEqual(channel.min ?? 0);
        expect(x).toBeLessThanOrEqual(channel.max ?? Infinity);
        // Channels within their limits share one marginal return, which the file names.
        const isFree = x > (channel.min ?? 0) * 1.001 && x < (channel.max ?? Infinity) * 0.999 && x > 1;
        if (isFree && want.marginal_return !== undefined) {
          expect(relative(r.marginal_return[channel.id], want.marginal_return)).toBeLessThan(1e-6);
          expect(relative(r.budget_multiplier, want.marginal_return)).toBeLessThan(1e-6);
        }
      }
      expect(relative(f, total)).toBeLessThan(1e-9);
      if (want.equal_split_response !== undefined) {
        expect(relative(r.equal_split_response, want.equal_split_response)).toBeLessThan(1e-9);
      }
    });
  }
});

/** Most response to each total up to `steps` units of `unit`, by dynamic programming over whole units. */
function table(channels: readonly Json[], steps: number, unit: number): number[] {
  let best = new Array<number>(steps + 1).fill(0);
  for (const channel of channels) {
    const [low, high] = [Math.ceil((channel.min ?? 0) / unit), Math.floor((channel.max ?? Infinity) / unit)];
    const values = Array.from({ length: steps + 1 }, (_, k) =>
      k >= low && k <= high ? effect(channel, k * unit) : -Infinity,
    );
    best = best.map((_, total) => {
      let most = -Infinity;
      for (let k = 0; k <= total; k++) most = Math.max(most, values[k] + best[total - k]);
      return most;
    });
  }
  return best;
}

const steep = (): Json => ({
  type: 'hill',
  max: between(1000, 10000),
  half_saturation: between(10, 80),
  shape: between(1.2, 5),
});

const jagged = (): Json => {
  let [x, y] = [0, 0];
  return {
    type: 'points',
    points: Array.from({ length: whole(2, 6) }, () => [(x += between(2, 20)), (y += between(0, 900))]),
  };
};

describe('S-shaped and jagged curves', () => {
  it('lie between what whole units bring and what they bring with a unit more for each channel (30 instances)', async () => {
    for (let k = 0; k < 30; k++) {
      const n = whole(2, 5);
      const channels = Array.from({ length: n }, () => ({
        response: k % 3 === 0 ? jagged() : steep(),
        adstock_decay: k % 4 === 0 ? between(0, 0.5) : 0,
      }));
      const budget = between(40, 150);
      const steps = 300;
      const unit = budget / steps;
      const { f, status, bound, x } = await answerOf({ budget, channels });
      expect(status).toBe('optimal');
      expect(
        relative(
          channels.reduce((sum, channel, i) => sum + effect(channel, x[i]), 0),
          f,
        ),
      ).toBeLessThan(1e-9);
      expect(x.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(budget * (1 + 1e-12));
      // Rounding every spend of any division up to whole units adds at most a unit for each channel.
      const most = table(channels, steps + n, unit);
      expect(f).toBeGreaterThanOrEqual(most[steps] * (1 - 1e-9));
      expect(bound).toBeLessThanOrEqual(most[steps + n] * (1 + 1e-9));
    }
  });

  it('keeps limits of channels', async () => {
    for (let k = 0; k < 10; k++) {
      const unit = 0.5;
      const channels = Array.from({ length: 3 }, () => {
        const min = unit * whole(0, 20);
        return { response: steep(), min, max: min + unit * whole(10, 100) };
      });
      const budget = unit * (channels.reduce((sum, { min }) => sum + min / unit, 0) + whole(5, 100));
      const { f, bound, x } = await answerOf({ budget, channels });
      x.forEach((spend, i) => {
        expect(spend).toBeGreaterThanOrEqual(channels[i].min - 1e-9);
        expect(spend).toBeLessThanOrEqual(channels[i].max + 1e-9);
      });
      const steps = Math.round(budget / unit);
      const lower = table(channels, steps, unit);
      const upper = table(channels, steps + 3, unit);
      expect(f).toBeGreaterThanOrEqual(Math.max(...lower) * (1 - 1e-9));
      expect(bound).toBeLessThanOrEqual(Math.max(...upper) * (1 + 1e-9));
    }
  });

  it('divides among fifty of them', async () => {
    const channels = Array.from({ length: 50 }, steep);
    const { status } = await answerOf({ budget: 900, channels: channels.map((response) => ({ response })) });
    expect(status).toBe('optimal');
  });
});

describe('concave curves', () => {
  it('follow the closed form for equal exponents (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const exponent = between(0.2, 0.9);
      const scales = Array.from({ length: whole(2, 6) }, () => between(1, 50));
      const budget = between(10, 1e6);
      const weights = scales.map((scale) => scale ** (1 / (1 - exponent)));
      const sum = weights.reduce((a, b) => a + b, 0);
      const { x } = await answerOf({
        budget,
        channels: scales.map((scale) => ({ response: { type: 'power', scale, exponent } })),
      });
      x.forEach((spend, i) => expect(relative(spend, (budget * weights[i]) / sum)).toBeLessThan(1e-7));
    }
  });

  it('takes what is left to the edge: a straight line beside a bent one', async () => {
    const channels = [
      { response: { type: 'power', scale: 2, exponent: 1 } },
      { response: { type: 'log', scale: 100, half: 10 } },
    ];
    // 100 / (10 + x) = 2 at x = 40.
    const { x } = await answerOf({ budget: 100, channels });
    expect(x[0]).toBeCloseTo(60, 8);
    expect(x[1]).toBeCloseTo(40, 8);
  });

  it('spends at its lowest limits where these take the whole budget', async () => {
    const channels = [
      { response: { type: 'power', scale: 1 }, min: 30 },
      { response: { type: 'power', scale: 9 }, min: 70 },
    ];
    const { x } = await answerOf({ budget: 100, channels });
    expect(x[0]).toBeCloseTo(30, 9);
    expect(x[1]).toBeCloseTo(70, 9);
  });

  it('says what is left where the channels take less than the budget', async () => {
    const { answer, bestSolution } = await solved(budgetAllocation, {
      budget: 100,
      channels: [{ response: { type: 'power', scale: 1 }, max: 30 }],
    });
    expect(bestSolution).toEqual([30]);
    expect(answer.warnings).toMatchObject([{ code: 'budget_not_spent' }]);
  });
});

describe('objectives', () => {
  const log = (scale: number, half: number): Json => ({ response: { type: 'log', scale, half } });

  it('maximize_profit without spending all stops where the next unit of money earns itself', async () => {
    // 3 x 500 / (2000 + x) = 1 at x < 0; 3 x 900 / (200 + x) = 1 at 2500.
    const { x, f } = await answerOf({
      budget: 30_000,
      channels: [log(500, 2000), log(900, 200)],
      objective: 'maximize_profit',
      margin: 3,
      spend_all: false,
    });
    expect(x[0]).toBeCloseTo(0, 6);
    expect(x[1]).toBeCloseTo(2500, 6);
    expect(f).toBeCloseTo(3 * 900 * Math.log(1 + 2500 / 200) - 2500, 6);
  });

  it('maximize_profit divides a small budget as maximize_response does', async () => {
    const channels = [log(500, 20), log(900, 200)];
    const profit = await answerOf({ budget: 100, channels, objective: 'maximize_profit', margin: 3, spend_all: false });
    const response = await answerOf({ budget: 100, channels });
    profit.x.forEach((spend, i) => expect(spend).toBeCloseTo(response.x[i], 8));
  });

  it('target_cpa and target_roas: no larger total keeps the target (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const channels = Array.from({ length: 3 }, () => ({
        response: k % 2 === 0 ? steep() : log(between(50, 300), between(5, 50)).response,
      }));
      const best = await answerOf({ budget: 200, channels });
      const least = between(1.05, 3) * (best.f / 200);
      const config =
        k % 4 < 2
          ? { objective: 'target_roas', target: least * 2, margin: 2 }
          : { objective: 'target_cpa', target: 1 / least };
      const { r, f } = await answerOf({ channels, budget: k % 3 === 0 ? 150 : undefined, ...config });
      expect(f).toBeGreaterThanOrEqual(least * r.total_spend * (1 - 1e-8));
      for (const factor of [1.001, 1.01, 1.1, 1.5, 2, 3]) {
        const budget = factor * Math.max(r.total_spend, 1e-3);
        if (k % 3 === 0 && budget > 150) continue;
        const more = await answerOf({ budget, channels });
        expect(more.bound).toBeLessThan(least * budget);
      }
    }
  });

  it('min_spend_for_response: less brings less (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const channels = Array.from({ length: 3 }, () => ({
        response: k % 2 === 0 ? steep() : log(between(50, 300), between(5, 50)).response,
      }));
      const budget = between(20, 100);
      const { f: target } = await answerOf({ budget, channels });
      const { f, r } = await answerOf({ channels, objective: 'min_spend_for_response', target });
      expect(relative(f, budget)).toBeLessThan(1e-6);
      expect(r.total_response).toBeGreaterThanOrEqual(target * (1 - 1e-8));
      const less = await answerOf({ budget: f * 0.9999, channels });
      expect(less.bound).toBeLessThan(target);
    }
  });

  it('says what is out of reach', async () => {
    const channels = [{ response: { type: 'negexp', max: 100, scale: 10 } }];
    expect(
      await solveConfig(budgetAllocation, { channels, objective: 'min_spend_for_response', target: 101 }),
    ).toMatchObject({
      error: { code: 'infeasible', conflict: ['target'] },
    });
    expect(
      await solveConfig(budgetAllocation, { channels, budget: 5, objective: 'min_spend_for_response', target: 90 }),
    ).toMatchObject({ error: { code: 'infeasible', conflict: ['target', 'budget'] } });
    expect(
      await solveConfig(budgetAllocation, {
        channels: [{ ...channels[0], min: 90 }],
        objective: 'target_roas',
        target: 2,
      }),
    ).toMatchObject({ error: { code: 'infeasible', conflict: ['target', 'min of 1'] } });
    const nothing = await solved(budgetAllocation, { channels, objective: 'target_roas', target: 20 });
    expect(nothing.bestSolution).toEqual([0]);
    expect(nothing.answer.warnings).toMatchObject([{ code: 'target_out_of_reach' }]);
  });

  it('names a return that never falls', async () => {
    const channels = [{ response: { type: 'power', scale: 2, exponent: 1 } }];
    expect(await solveConfig(budgetAllocation, { channels, objective: 'target_roas', target: 1 })).toMatchObject({
      error: { code: 'unbounded' },
    });
  });

  it('names lower limits that are too much together', async () => {
    const channel = (share: number): Json => ({ response: { type: 'power', scale: 1 }, min_share: share });
    expect(
      await solveConfig(budgetAllocation, { budget: 10, channels: [channel(0.4), channel(0.4), channel(0.4)] }),
    ).toEqual({
      error: {
        code: 'infeasible',
        message: '3 minimum shares add up to 1.2 of the budget.',
        conflict: ['min_share of 1', 'min_share of 2', 'min_share of 3', 'budget'],
      },
    });
    const limited = { response: { type: 'power', scale: 1 }, current_spend: 1, min: 5 };
    expect(await solveConfig(budgetAllocation, { budget: 10, channels: [limited], change_limit: 0.5 })).toMatchObject({
      error: { code: 'infeasible', conflict: ['min of 1', 'change_limit'] },
    });
  });
});

describe('current spend', () => {
  it('gives the response where there is none, and is never beaten by the answer', async () => {
    for (let k = 0; k < 20; k++) {
      const channels = Array.from({ length: 4 }, () => ({
        current_spend: between(1, 100),
        current_response: between(10, 500),
        adstock_decay: between(0, 0.6),
        response: k % 2 === 0 ? steep() : undefined,
      }));
      const budget = channels.reduce((sum, { current_spend }) => sum + current_spend, 0);
      const change = k % 3 === 0 ? { change_limit: between(0.01, 0.5) } : {};
      const { r, x } = await answerOf({ budget, channels, ...change });
      expect(r.total_response).toBeGreaterThanOrEqual(r.current_response);
      if (k % 2 === 1) {
        const now = channels.reduce((sum, { current_response }) => sum + current_response, 0);
        expect(relative(r.current_response, now)).toBeLessThan(1e-9);
      }
      if ('change_limit' in change) {
        x.forEach((spend, i) => {
          const { current_spend } = channels[i];
          expect(Math.abs(spend / current_spend - 1)).toBeLessThanOrEqual((change.change_limit as number) + 1e-9);
        });
      }
    }
  });
});

describe('sensitivity', () => {
  it('is what other budgets would bring, where limits that are shares still agree with the others', async () => {
    const channels = [
      { response: { type: 'log', scale: 158, half: 2 } },
      { response: { type: 'power', scale: 30 }, min_share: 0.3, max: 11.5 },
    ];
    const { r } = await answerOf({ budget: 35, channels });
    for (const { budget_change, budget, total_response } of r.sensitivity) {
      expect(budget).toBeCloseTo(35 * (1 + budget_change), 10);
      // 0.3 of 42 is above 11.5.
      if (budget_change === 0.1 || budget_change === 0.2) expect(total_response === null).toBe(0.3 * budget > 11.5);
      else expect(relative(total_response, (await answerOf({ budget, channels })).f)).toBeLessThan(1e-9);
    }
    expect(r.sensitivity.map(({ budget_change }: Json) => budget_change)).toEqual([-0.2, -0.1, 0.1, 0.2]);
  });
});

describe('periods', () => {
  const carried = (spend: readonly number[], decay: number): number[] => {
    // By the sum over the past, cycle after cycle.
    const periods = spend.length;
    return spend.map((_, t) => {
      let sum = 0;
      for (let k = 0; k < 400; k++) sum += decay ** k * spend[(((t - k) % periods) + periods) % periods];
      return sum;
    });
  };

  it('weighs periods: without carry-over, by the closed form of square roots', async () => {
    const weights = [1, 2, 0.5];
    const { r } = await answerOf({
      budget: 100,
      channels: [{ id: 'a', response: { type: 'power', scale: 3 } }],
      periods: weights,
    });
    const sum = weights.reduce((a, w) => a + w * w, 0);
    weights.forEach((w, t) => expect(r.plan.a[t]).toBeCloseTo((300 * w * w) / sum, 6));
  });

  it('spends evenly where all periods are alike and returns diminish', async () => {
    const channels = [
      { id: 'a', response: { type: 'log', scale: 40, half: 10 }, adstock_decay: 0.6 },
      { id: 'b', response: { type: 'power', scale: 9 }, adstock_decay: 0.2 },
    ];
    const flight = await answerOf({ budget: 50, channels, periods: 4 });
    const single = await answerOf({ budget: 50, channels });
    expect(flight.status).toBe('optimal');
    expect(relative(flight.f, 4 * single.f)).toBeLessThan(1e-9);
    for (const x of flight.r.plan.a) expect(x).toBeCloseTo(single.x[0], 5);
  });

  it('is as good as the best of a fine grid, with carry-over and weights (12 instances)', async () => {
    for (let k = 0; k < 12; k++) {
      const weights = [between(0.2, 3), between(0.2, 3), between(0.2, 3)];
      const decay = between(0.2, 0.8);
      const response =
        k % 2 === 0
          ? { type: 'log', scale: 100, half: between(2, 40) }
          : { type: 'negexp', max: 50, scale: between(5, 40) };
      const budget = 20;
      const { f, bound, status, r } = await answerOf({
        budget,
        channels: [{ id: 'a', response, adstock_decay: decay }],
        periods: weights,
      });
      const worth = (x: readonly number[]): number =>
        carried(x, decay).reduce((sum, y, t) => sum + weights[t] * respond(response, y), 0);
      expect(relative(worth(r.plan.a), f)).toBeLessThan(1e-9);
      let best = 0;
      for (let a = 0; a <= 60; a++) for (let b = 0; a + b <= 60; b++) best = Math.max(best, worth([a, b, 60 - a - b]));
      expect(f).toBeGreaterThanOrEqual(best * (1 - 1e-9));
      expect(f - best).toBeLessThan(2e-3 * best);
      expect(bound).toBeGreaterThanOrEqual(f);
      expect(status).toBe('optimal');
    }
  });

  it('pulses where small spends bring little, and names a bound', async () => {
    const channels = [
      { id: 'a', response: { type: 'hill', max: 100, half_saturation: 30, shape: 4 }, adstock_decay: 0.3 },
    ];
    const { r, f, bound } = await answerOf({ budget: 8, channels, periods: 4 });
    const even = await answerOf({ budget: 8, channels });
    expect(f).toBeGreaterThan(4 * even.f);
    expect(Math.max(...r.plan.a)).toBeGreaterThan(16);
    expect(bound).toBeGreaterThanOrEqual(f);
  });
});

describe('history', () => {
  it('finds the curves behind an outcome without noise', async () => {
    const rows = 120;
    const truth = {
      tv: { decay: 0.4, response: { type: 'log', scale: 300, half: 50 } },
      web: { decay: 0, response: { type: 'log', scale: 120, half: 400 } },
    };
    const spend = {
      tv: Array.from({ length: rows }, () => (random.uniform() < 0.3 ? 0 : between(0, 200))),
      web: Array.from({ length: rows }, () => between(0, 500)),
    };
    const outcome = spend.tv.map((_, t) => {
      let sum = 1000;
      for (const name of ['tv', 'web'] as const) {
        let y = 0;
        for (let k = 0; k <= t; k++) y += truth[name].decay ** k * spend[name][t - k];
        sum += respond(truth[name].response, y);
      }
      return sum;
    });
    const channels = [{ id: 'tv', adstock_decay: 0.4 }, { id: 'web' }];
    const { r } = await answerOf({ budget: 300, channels, history: { outcome, spend, curve: 'log' } });
    expect(r.fit.r_squared).toBeGreaterThan(0.9999);
    expect(relative(r.fit.base, 1000)).toBeLessThan(0.02);
    const known = channels.map((channel) => ({ ...channel, response: truth[channel.id as 'tv'].response }));
    const best = await answerOf({ budget: 300, channels: known });
    expect(relative(r.spend.tv, best.r.spend.tv)).toBeLessThan(0.05);
  });

  it('says where it shows no effect', async () => {
    const outcome = Array.from({ length: 30 }, (_, t) => 100 - t);
    const spend = { a: Array.from({ length: 30 }, (_, t) => 10 + t) };
    const { answer } = await solved(budgetAllocation, {
      budget: 10,
      channels: [{ id: 'a' }],
      history: { outcome, spend },
    });
    expect(answer.warnings.map(({ code }) => code)).toContain('no_effect');
  });
});

describe('the guide', () => {
  it('has examples that are solved to the proof', async () => {
    const configs = guideConfigs('marketing', 'budget_allocation');
    expect(configs.length).toBeGreaterThan(0);
    for (const config of configs) expect((await answerOf(config)).status).toBe('optimal');
  });
});

describe('what is refused', () => {
  const root = { type: 'power', scale: 1 };
  const one = { budget: 10, channels: [{ response: root }] };
  const history = { outcome: [1, 2, 3, 4, 5, 6, 7, 8], spend: { a: [1, 2, 3, 4, 5, 6, 7, 8] } };
  const REFUSED: readonly (readonly [string, RegExp, unknown])[] = [
    ['config.budget', /is required/, { channels: one.channels }],
    ['config.target', /is required with the objective `target_cpa`/, { ...one, objective: 'target_cpa' }],
    ['config.target', /says nothing/, { ...one, target: 3 }],
    ['config.margin', /is required where profit counts/, { ...one, objective: 'maximize_profit' }],
    [
      'config.channels[0].min',
      /must not be above `max`/,
      { budget: 10, channels: [{ response: root, min: 3, max: 2 }] },
    ],
    ['config.channels[0].min', /above the budget of 10/, { budget: 10, channels: [{ response: root, min: 11 }] }],
    [
      'config.channels[0].min_share',
      /must not be above `max_share`/,
      { budget: 10, channels: [{ response: root, min_share: 0.5, max_share: 0.4 }] },
    ],
    ['config.channels[0].min_share', /at most 1/, { budget: 10, channels: [{ response: root, min_share: 5 }] }],
    [
      'config.channels[0].min_share',
      /share of the budget/,
      { channels: [{ response: root, min_share: 0.5 }], objective: 'target_cpa', target: 1 },
    ],
    ['config.channels[0].response', /or `current_spend` and `current_response`/, { budget: 10, channels: [{}] }],
    ['config.channels[0].current_spend', /required with `change_limit`/, { ...one, change_limit: 0.1 }],
    [
      'config.channels[0].response.type',
      /must be one of "power", "log"/,
      { budget: 10, channels: [{ response: { type: 'cubic' } }] },
    ],
    [
      'config.channels[0].response.points[1][1]',
      /not be below the response/,
      {
        budget: 10,
        channels: [
          {
            response: {
              type: 'points',
              points: [
                [1, 5],
                [2, 4],
              ],
            },
          },
        ],
      },
    ],
    [
      'config.channels[0].response.points[1][0]',
      /spend 1 too/,
      {
        budget: 10,
        channels: [
          {
            response: {
              type: 'points',
              points: [
                [1, 5],
                [1, 6],
              ],
            },
          },
        ],
      },
    ],
    [
      'config.channels[1].id',
      /is the id of entry 1/,
      {
        budget: 10,
        channels: [
          { id: 'a', response: root },
          { id: 'a', response: root },
        ],
      },
    ],
    ['config.periods', /whole budget/, { ...one, periods: 3, objective: 'target_cpa', target: 1 }],
    [
      'config.history.spend.b',
      /no such channel/,
      { budget: 10, channels: [{ id: 'a' }], history: { ...history, spend: { b: history.outcome } } },
    ],
    [
      'config.history.spend.a',
      /one for each outcome/,
      { budget: 10, channels: [{ id: 'a' }], history: { ...history, spend: { a: [...history.outcome, 9] } } },
    ],
    [
      'config.channels[0].max_shar',
      /Did you mean `max_share`/,
      { budget: 10, channels: [{ response: root, max_shar: 1 }] },
    ],
  ];
  for (const [field, message, config] of REFUSED) {
    it(`${field}: ${message.source}`, () => {
      let thrown: unknown;
      try {
        checkConfig(budgetAllocation, config);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'invalid_request', field });
      expect((thrown as Error).message).toMatch(message);
    });
  }
});

describe('one more unit of budget', () => {
  const log = { type: 'log', scale: 58.6, half: 58.3 };
  const weak = { id: 'weak', response: { type: 'negexp', max: 0.001, scale: 50 } };
  const limited = { id: 'b', response: { type: 'power', scale: 3, exponent: 0.6 }, max_share: 0.3, min: 10 };
  const floor = { id: 'f', response: { type: 'log', scale: 1, half: 900 }, min_share: 0.2 };
  const profit = { objective: 'maximize_profit', margin: 85.1 };
  it.each<[string, Json]>([
    ['one channel takes all', { channels: [{ id: 'a', response: log }] }],
    ['another channel is worth next to nothing', { channels: [{ id: 'a', response: log }, weak] }],
    ['a largest share binds', { channels: [{ id: 'a', response: log }, limited] }],
    ['shares let only a part through', { channels: [{ id: 'a', response: log, max_share: 0.5 }, limited] }],
    ['a least share binds', { channels: [{ id: 'a', response: log }, floor] }],
    ['the channels are full', { channels: [{ id: 'a', response: log, max: 400 }] }],
    ['profit counts', { ...profit, channels: [{ id: 'a', response: log }, weak] }],
    ['profit counts and the channels are full', { ...profit, channels: [{ id: 'a', response: log, max: 400 }] }],
    ['spending stops', { ...profit, spend_all: false, channels: [{ id: 'a', response: log, max_share: 0.5 }, weak] }],
    ['periods share it', { periods: 2, channels: [{ id: 'a', response: log }, weak] }],
  ])('brings what the multiplier says where %s', async (_, config) => {
    const periods = config.periods ?? 1;
    const at = async (budget: number): Promise<Json> => {
      const { bestFitness, answer } = await solved(budgetAllocation, { ...config, budget: budget / periods });
      return { ...answer, f: bestFitness, response: answer.result.total_response };
    };
    const [less, now, more] = [await at(999.9), await at(1000), await at(1000.1)];
    expect(now.result.budget_multiplier).toBeCloseTo((more.response - less.response) / 0.2, 5);
    const [{ name, shadowPrice }] = now.constraints;
    expect([name, shadowPrice]).toEqual(['budget', expect.closeTo((more.f - less.f) / 0.2, 3)]);
  });

  it('speaks of spend, not of the budget, where a target is the limit', async () => {
    const config = { budget: 1000, objective: 'target_roas', target: 0.5, channels: [{ id: 'a', response: log }] };
    const { answer } = await solved(budgetAllocation, config);
    const texts = answer.statements.map(({ text }) => text).join(' ');
    expect(texts).toContain('One more unit of spend would bring');
    expect(texts).not.toContain('unit of budget');
  });
});

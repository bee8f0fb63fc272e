import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { expectGap } from '../../../../test/support/gap.js';
import { guideConfigs, referenceCases, solveConfig, solved } from '../../../../test/support/problems.js';
import { campaign } from './campaign.js';
import type { Json } from '../../../../test/support/service.js';

const cases = referenceCases('marketing', 'campaign');
/** All others are in campaign.slow.test.ts. */
const IN_SHORT = /^gap-gap(1|4)-|^gap-gap12-0/;
const SKIPPED = cases === null ? ' (no reference files beside this checkout)' : '';

async function answerOf(
  config: unknown,
): Promise<{ x: readonly number[]; f: number; r: Json; status: string; bound: number | null }> {
  const { bestSolution, bestFitness, answer } = await solved(campaign, config);
  return { x: bestSolution, f: bestFitness, r: answer.result, ...answer.optimality };
}

const relative = (found: number, expected: number): number =>
  Math.abs(found - expected) / Math.max(1e-12, Math.abs(expected));

const random = Rng.create(20260303);
const between = (low: number, high: number): number => low + (high - low) * random.uniform();
const whole = (low: number, high: number): number => low + random.below(high - low + 1);
const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Every way to put 0 or 1 into n places. */
function* choices(n: number): Generator<number[]> {
  for (let code = 0; code < 2 ** n; code++) yield many(n, (i) => (code >> i) & 1);
}

describe('the cases of the reference', () => {
  it.skipIf(cases === null)(`has all of them${SKIPPED}`, () => {
    expect(cases).toHaveLength(45);
  });

  for (const { id, config, expected, instance } of cases ?? []) {
    const want = expected as Json;
    const c = config as Json;
    if (c.model === 'offer_targeting') {
      it(id, async () => {
        const { r, f, status } = await answerOf(c);
        expect(status).toBe('optimal');
        expect(Math.abs(f - want.expected_profit)).toBeLessThan(0.01);
        expect(r.expected_profit).toBe(f);
        expect(relative(r.spend, want.spend)).toBeLessThan(1e-9);
        expect(r.assignments).toEqual(want.assignments);
        let profit = 0;
        for (const [segment, offer] of r.assignments) {
          const s = c.segments.findIndex((one: Json) => one.id === segment);
          const o = c.offers.findIndex((one: Json) => one.id === offer);
          profit += c.segments[s].size * (c.propensity[s][o] * c.offers[o].margin - c.offers[o].cost_per_contact);
        }
        expect(relative(profit, f)).toBeLessThan(1e-9);
      });
    } else if (c.model === 'media_reach') {
      it(id, async () => {
        const { r, status } = await answerOf(c);
        expect(status).toBe('optimal');
        expect(r.reach).toBe(want.reach);
        const booked = c.vehicles.filter((vehicle: Json) => r.vehicles.includes(vehicle.id));
        const seen = new Set(booked.flatMap((vehicle: Json) => vehicle.covers));
        const reach = c.audience_groups.reduce((sum: number, g: Json) => sum + (seen.has(g.id) ? g.size : 0), 0);
        expect(reach).toBe(want.reach);
        expect(booked.reduce((sum: number, { cost }: Json) => sum + cost, 0)).toBeLessThanOrEqual(c.budget);
      });
    } else if (c.model === 'keyword_bidding') {
      it(id, async () => {
        const { click_model: _model, objective: _objective, ...sent } = c;
        const { r, f, status } = await answerOf(sent);
        expect(status).toBe('optimal');
        expect(relative(f, want.profit)).toBeLessThan(1e-6);
        expect(relative(r.spend, want.spend)).toBeLessThan(1e-6);
        expect(relative(r.budget_multiplier, want.budget_multiplier)).toBeLessThan(1e-6);
        for (const [name, bid] of Object.entries(want.bids))
          expect(relative(r.bids[name], bid as number)).toBeLessThan(1e-6);
        const profit = c.keywords.reduce((sum: number, k: Json) => {
          const bid = r.bids[k.id];
          return sum + (k.value_per_click - bid) * k.max_clicks * (1 - Math.exp(-bid / k.half_bid));
        }, 0);
        expect(relative(profit, f)).toBeLessThan(1e-9);
      });
    } else if (IN_SHORT.test(id)) {
      it(id, () => expectGap({ id, config, expected, instance, tolerance: {} }));
    }
  }
});

describe('offer_targeting', () => {
  it('is as good as the best of all choices (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const [S, O] = [whole(2, 4), whole(1, 3)];
      const segments = many(S, () => ({ size: whole(10, 500) }));
      const offers = many(O, (o) => ({
        cost_per_contact: between(0, 2),
        margin: between(5, 60),
        max_contacts: o === 0 ? whole(100, 800) : undefined,
      }));
      const propensity = many(S, () => many(O, () => between(0, 0.1)));
      const budget = between(50, 900);
      const max_offers_per_segment = whole(1, 2);
      const min_contacts = k % 4 === 0 ? whole(1, 100) : undefined;
      let best = -Infinity;
      for (const choice of choices(S * O)) {
        let [profit, spend, contacts, first] = [0, 0, 0, 0];
        let isAllowed = true;
        for (let s = 0; s < S; s++) {
          let n = 0;
          for (let o = 0; o < O; o++) {
            if (choice[s * O + o] === 0) continue;
            n++;
            const { size } = segments[s];
            profit += size * (propensity[s][o] * offers[o].margin - offers[o].cost_per_contact);
            spend += size * offers[o].cost_per_contact;
            contacts += size;
            if (o === 0) first += size;
          }
          if (n > max_offers_per_segment) isAllowed = false;
        }
        const { max_contacts = Infinity } = offers[0];
        if (!isAllowed || spend > budget || first > max_contacts || contacts < (min_contacts ?? 0)) continue;
        best = Math.max(best, profit);
      }
      const config = { model: 'offer_targeting', segments, offers, propensity, budget, max_offers_per_segment };
      const outcome = await solveConfig(campaign, min_contacts === undefined ? config : { ...config, min_contacts });
      if (best === -Infinity) expect(outcome).toMatchObject({ error: { code: 'infeasible' } });
      else expect(relative((outcome as Json).bestFitness, best)).toBeLessThan(1e-9);
    }
  });

  it('says which limits leave no room', async () => {
    const config = {
      model: 'offer_targeting',
      segments: [{ size: 100 }],
      offers: [{ cost_per_contact: 1, margin: 10 }],
      propensity: [[0.5]],
      budget: 50,
      min_contacts: 100,
    };
    const outcome = (await solveConfig(campaign, config)) as Json;
    expect(outcome.error).toMatchObject({
      code: 'infeasible',
      message: expect.stringMatching(/room for 100 contacts/) as string,
    });
    expect(outcome.error.conflict).toEqual(expect.arrayContaining(['budget', 'min_contacts']));
  });
});

describe('assignment', () => {
  it('is as good as the best of all assignments, in both senses (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const [m, n] = [whole(2, 3), whole(2, 6)];
      const values = many(m, () => many(n, () => whole(-5, 30)));
      const resources = many(m, () => many(n, () => whole(1, 10)));
      const capacities = many(m, () => whole(10, 30));
      const sense = k % 2 === 0 ? 'maximize' : 'minimize';
      const sign = sense === 'maximize' ? 1 : -1;
      let best = -Infinity;
      for (let code = 0; code < m ** n; code++) {
        const agents = many(n, (j) => Math.floor(code / m ** j) % m);
        const isAllowed = capacities.every(
          (c, i) => agents.reduce((sum, a, j) => sum + (a === i ? resources[i][j] : 0), 0) <= c,
        );
        if (isAllowed) best = Math.max(best, sign * agents.reduce((sum, a, j) => sum + values[a][j], 0));
      }
      const outcome = (await solveConfig(campaign, {
        model: 'assignment',
        values,
        resources,
        capacities,
        sense,
      })) as Json;
      if (best === -Infinity) expect(outcome.error.code).toBe('infeasible');
      else expect(outcome.bestFitness).toBe(sign * best + 0);
    }
  });

  it('says where the capacities are too small together', async () => {
    const config = { model: 'assignment', values: [[1, 1, 1]], resources: [[2, 2, 2]], capacities: [5] };
    const outcome = (await solveConfig(campaign, config)) as Json;
    expect(outcome.error.code).toBe('infeasible');
    expect(outcome.error.conflict).toContain('capacity of agent 1');
  });
});

describe('media_reach', () => {
  it('is as good as the best of all bookings (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const [V, G] = [whole(2, 8), whole(2, 8)];
      const audience_groups = many(G, (g) => ({ id: `g${g}`, size: whole(1, 100) }));
      const vehicles = many(V, () => ({
        cost: whole(1, 20),
        covers: audience_groups.filter(() => random.uniform() < 0.5).map(({ id }) => id),
      }));
      const [budget, min_frequency] = [whole(5, 60), whole(1, 3)];
      let best = 0;
      for (const choice of choices(V)) {
        if (vehicles.reduce((sum, { cost }, v) => sum + cost * choice[v], 0) > budget) continue;
        const reach = audience_groups.reduce((sum, { id, size }) => {
          const seen = vehicles.filter(({ covers }, v) => choice[v] === 1 && covers.includes(id)).length;
          return sum + (seen >= min_frequency ? size : 0);
        }, 0);
        best = Math.max(best, reach);
      }
      const { f, status } = await answerOf({ model: 'media_reach', vehicles, audience_groups, budget, min_frequency });
      expect(f).toBe(best);
      expect(status).toBe('optimal');
    }
  });
});

describe('keyword_bidding', () => {
  it('no other division of the budget over fine grids of bids is better (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const pricing = k % 2 === 0 ? 'pay_your_bid' : 'second_price';
      const keywords = many(2, () => ({
        value_per_click: between(0.5, 8),
        max_clicks: between(50, 2000),
        half_bid: between(0.2, 4),
      }));
      const budget = between(20, 3000);
      const clicks = ({ max_clicks: m, half_bid: h }: Json, b: number): number => m * (1 - Math.exp(-b / h));
      // Second price: what the clicks up to b cost, summed bid by bid.
      const cost = (keyword: Json, b: number): number => {
        if (pricing === 'pay_your_bid') return b * clicks(keyword, b);
        const { max_clicks: m, half_bid: h } = keyword;
        let sum = 0;
        const steps = 400;
        for (let i = 0; i < steps; i++) {
          const u = (b * (i + 0.5)) / steps;
          sum += (u * (m / h) * Math.exp(-u / h) * b) / steps;
        }
        return sum;
      };
      const grids = keywords.map((keyword) =>
        many(201, (i) => {
          const b = (keyword.value_per_click * i) / 200;
          return [keyword.value_per_click * clicks(keyword, b), cost(keyword, b)];
        }),
      );
      let best = 0;
      for (const [v, c] of grids[0])
        for (const [w, d] of grids[1]) if (c + d <= budget) best = Math.max(best, v + w - c - d);
      const { f, x, r } = await answerOf({ model: 'keyword_bidding', keywords, budget, pricing });
      const spend = keywords.reduce((sum, keyword, i) => sum + cost(keyword, x[i]), 0);
      const worth = keywords.reduce((sum, keyword, i) => sum + keyword.value_per_click * clicks(keyword, x[i]), 0);
      expect(relative(worth - spend, f)).toBeLessThan(1e-4);
      expect(spend).toBeLessThanOrEqual(budget * (1 + 1e-5));
      expect(f).toBeGreaterThanOrEqual(best * (1 - 1e-5));
      expect(f).toBeLessThan(best * 1.05 + 1e-6);
      // The multiplier by a little more money.
      const h = 1e-4 * budget;
      const more = await answerOf({ model: 'keyword_bidding', keywords, budget: budget + h, pricing });
      expect(Math.abs((more.f - f) / h - r.budget_multiplier)).toBeLessThan(1e-3 * (1 + r.budget_multiplier));
    }
  });
});

describe('send_schedule', () => {
  it('is as good as the best of all schedules (30 instances)', async () => {
    for (let k = 0; k < 30; k++) {
      const [S, T] = [whole(1, 3), whole(2, 4)];
      const segments = many(S, (s) => ({ size: whole(1, 50), max_contacts: s === 0 ? whole(0, 3) : undefined }));
      const slots = many(T, (t) => ({ day: whole(1, 4), capacity: t === 0 ? whole(10, 80) : undefined }));
      const response = many(S, () => many(T, () => between(0, 0.2)));
      const limits = {
        max_contacts: whole(1, 3),
        max_contacts_per_day: whole(1, 2),
        min_days_between: whole(0, 2),
        value_per_response: between(1, 20),
        cost_per_contact: between(0, 1),
        contacts_per_day: k % 2 === 0 ? whole(20, 90) : undefined,
      };
      let best = 0;
      for (const choice of choices(S * T)) {
        const on = (s: number, t: number): boolean => choice[s * T + t] === 1;
        const isAllowed =
          segments.every(({ max_contacts = limits.max_contacts }, s) => {
            const days = slots.filter((_, t) => on(s, t)).map(({ day }) => day);
            const near = days.some((a, i) =>
              days.some((b, j) => j > i && a !== b && Math.abs(a - b) <= limits.min_days_between),
            );
            const crowded = days.some((a) => days.filter((b) => b === a).length > limits.max_contacts_per_day);
            return days.length <= max_contacts && !near && !crowded;
          }) &&
          slots.every(({ day, capacity = Infinity }, t) => {
            const here = segments.reduce((sum, { size }, s) => sum + (on(s, t) ? size : 0), 0);
            const today = segments.reduce(
              (sum, { size }, s) => sum + size * slots.filter((slot, u) => slot.day === day && on(s, u)).length,
              0,
            );
            return here <= capacity && today <= ((limits as Json).contacts_per_day ?? Infinity);
          });
        if (!isAllowed) continue;
        let profit = 0;
        for (let s = 0; s < S; s++) {
          for (let t = 0; t < T; t++)
            if (on(s, t))
              profit += segments[s].size * (response[s][t] * limits.value_per_response - limits.cost_per_contact);
        }
        best = Math.max(best, profit);
      }
      const { f, status } = await answerOf({ model: 'send_schedule', segments, slots, response, ...limits });
      expect(Math.abs(f - best)).toBeLessThan(1e-9 * (1 + best));
      expect(status).toBe('optimal');
    }
  });
});

describe('the guide', () => {
  it('has an example of each model, which is solved to the proof', async () => {
    const configs = guideConfigs('marketing', 'campaign');
    expect(configs.map(({ model }) => model)).toEqual(campaign.models.map(({ name }) => name));
    for (const config of configs) expect((await answerOf(config)).status).toBe('optimal');
  });
});

describe('what is refused', () => {
  const targeting = {
    model: 'offer_targeting',
    segments: [{ size: 1 }],
    offers: [{ cost_per_contact: 1, margin: 1 }],
    propensity: [[0.5]],
    budget: 1,
  };
  const jobs = { model: 'assignment', values: [[1, 2]], resources: [[1, 2]], capacities: [5] };
  const reach = {
    model: 'media_reach',
    vehicles: [{ cost: 1, covers: ['a'] }],
    audience_groups: [{ id: 'a', size: 1 }],
    budget: 1,
  };
  const schedule = { model: 'send_schedule', segments: [{ size: 1 }], slots: [{ day: 1 }], response: [[0.1]] };
  const word = { value_per_click: 1, max_clicks: 1, half_bid: 1 };
  const REFUSED: readonly (readonly [string, RegExp, unknown])[] = [
    ['config.propensity', /must be 1 x 1, segments by offers/, { ...targeting, propensity: [[0.5, 0.5]] }],
    ['config.propensity[0][0]', /at most 1/, { ...targeting, propensity: [[5]] }],
    [
      'config.segments[1].id',
      /id of entry 1/,
      {
        ...targeting,
        segments: [
          { id: 'a', size: 1 },
          { id: 'a', size: 1 },
        ],
        propensity: [[0.5], [0.5]],
      },
    ],
    ['config.budget', /is required/, { ...targeting, budget: undefined }],
    ['config.values', /is required, or `instance`/, { model: 'assignment' }],
    ['config.values', /say the same/, { ...jobs, instance: { format: 'orlib_gap', text: '1 1 1 1 1' } }],
    [
      'config.instance.text',
      /must be agents/,
      { model: 'assignment', instance: { format: 'orlib_gap', text: '2 2 1 1 1' } },
    ],
    [
      'config.instance.text',
      /job 1 takes more than any/,
      { model: 'assignment', instance: { format: 'orlib_gap', text: '1 1 5 3 2' } },
    ],
    ['config.resources[0][1]', /job 2 takes more than any agent’s capacity/, { ...jobs, capacities: [1] }],
    ['config.resources', /must be 1 x 2/, { ...jobs, resources: [[1]] }],
    ['config.capacities', /one for each agent/, { ...jobs, capacities: [1, 2] }],
    ['config.vehicles[0].covers[0]', /no audience group/, { ...reach, vehicles: [{ cost: 1, covers: ['b'] }] }],
    [
      'config.keywords[0].half_bid',
      /must be above 0/,
      { model: 'keyword_bidding', keywords: [{ ...word, half_bid: 0 }], budget: 1 },
    ],
    [
      'config.pricing',
      /must be one of "pay_your_bid", "second_price"/,
      { model: 'keyword_bidding', keywords: [word], budget: 1, pricing: 'first' },
    ],
    ['config.response', /must be 1 x 1, segments by slots/, { ...schedule, response: [[0.1, 0.1]] }],
    ['config.slots[0].day', /must be at least 1/, { ...schedule, slots: [{ day: 0 }] }],
    ['config.budgt', /Did you mean `budget`/, { ...targeting, budgt: 1 }],
  ];
  for (const [field, message, config] of REFUSED) {
    it(`${field}: ${message.source}`, () => {
      let thrown: unknown;
      try {
        checkConfig(campaign, config);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'invalid_request', field });
      expect((thrown as Error).message).toMatch(message);
    });
  }
});

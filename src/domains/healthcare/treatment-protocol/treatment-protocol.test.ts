import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { referenceCases, solveConfig, solved, type ReferenceCase } from '../../../../test/support/problems.js';
import { treatmentProtocol as type } from './treatment-protocol.js';

const cases = referenceCases('healthcare', 'treatment_protocol');

type Values = Record<string, unknown>;

const within = (value: number, exact: number, share: number): boolean =>
  Math.abs(value - exact) <= share * Math.max(1, Math.abs(exact));

/** Concentration by adding up single doses from the first one on, absorption and elimination in small steps (Heun). */
function simulated(
  config: { k: number; ka?: number; volume: number; infusion?: number },
  dose: number,
  tau: number,
  doses: number,
): { peak: number; trough: number } {
  const { k, ka, volume, infusion } = config;
  const steps = 4_000;
  const h = tau / steps;
  let [gut, body] = [0, 0];
  let [peak, trough] = [0, Infinity];
  for (let d = 0; d < doses; d++) {
    if (ka !== undefined) gut += dose;
    else if (infusion === undefined) body += dose;
    [peak, trough] = [body, body];
    for (let i = 0; i < steps; i++) {
      const rate = (t: number): number => (infusion !== undefined && t < infusion - 1e-12 ? dose / infusion : 0);
      const slope = (g: number, b: number, t: number): [number, number] => [
        ka === undefined ? 0 : -ka * g,
        (ka === undefined ? 0 : ka * g) + rate(t) - k * b,
      ];
      const [g1, b1] = slope(gut, body, i * h);
      // The end of the infusion lies on the grid: the second slope belongs to the same stretch.
      const [g2, b2] = slope(gut + h * g1, body + h * b1, i * h + h * 0.5);
      gut += (h * (g1 + g2)) / 2;
      body += (h * (b1 + b2)) / 2;
      peak = Math.max(peak, body);
      trough = Math.min(trough, body);
    }
  }
  return { peak: peak / volume, trough: body / volume };
}

const bed = (n: number, dose: number, alphaBeta: number): number => n * dose * (1 + dose / alphaBeta);

describe.skipIf(cases === null)('reference cases', () => {
  it.each((cases ?? []).map((one) => [one.id, one] as const))('%s', async (_, one: ReferenceCase) => {
    const outcome = await solved(type, one.config);
    const result = outcome.answer.result as Values;
    for (const [name, expected] of Object.entries(one.expected)) {
      // Weights of beamlets need not be unique.
      if (name === 'beamlet_weights') continue;
      if (name === 'policy') expect(result[name]).toEqual(expected);
      else if (name === 'value') {
        for (const [state, value] of Object.entries(expected as Record<string, number>)) {
          expect((result[name] as Record<string, number>)[state]).toBeCloseTo(value, 6);
        }
      } else {
        const [own, wanted] = [[result[name]].flat() as number[], [expected].flat() as number[]];
        expect(own).toHaveLength(wanted.length);
        for (const [i, value] of wanted.entries()) {
          expect(within(own[i], value, 1e-6), `${name}: ${own[i]} for ${value}`).toBe(true);
        }
      }
    }
    if (one.config['model'] !== 'radiotherapy_fluence') return;
    const structures = one.config['structures'] as { dose_influence: number[][]; min_gy?: number; max_gy: number }[];
    const doses = structures.map(({ dose_influence }) =>
      dose_influence.map((row) => row.reduce((sum, own, j) => sum + own * outcome.bestSolution[j], 0)),
    );
    expect(Math.min(...doses[0])).toBeGreaterThanOrEqual(structures[0].min_gy! - 1e-6);
    for (const [s, { max_gy }] of structures.entries())
      expect(Math.max(...doses[s])).toBeLessThanOrEqual(max_gy + 1e-6);
    expect(doses[1].reduce((sum, dose) => sum + dose, 0) / doses[1].length).toBeCloseTo(outcome.bestFitness, 9);
  });
});

describe('pk_dosing', () => {
  const chance = Rng.create(12);
  const random = Array.from({ length: 9 }, (_, i) => {
    const route = (['iv_bolus', 'iv_infusion', 'oral'] as const)[i % 3];
    const volume_l = 10 + 60 * chance.uniform();
    const k = 0.05 + 0.2 * chance.uniform();
    const trough = 2 + 5 * chance.uniform();
    return {
      ...{ model: 'pk_dosing', route, volume_l, clearance_l_h: k * volume_l },
      ...{ target_trough_mg_l: trough, target_peak_mg_l: trough * (1.5 + 2 * chance.uniform()) },
      ...(route === 'oral'
        ? { absorption_rate_per_h: i === 8 ? k : 0.5 + chance.uniform(), bioavailability: 0.7 }
        : {}),
      infusion_h: route === 'iv_infusion' ? 1 : undefined,
    };
  });

  it.each(random)('meets its targets where dose after dose is given: $route, $volume_l l', async (config) => {
    const { bestSolution } = await solved(type, config);
    const [dose = NaN, tau = NaN] = bestSolution;
    const k = config.clearance_l_h / config.volume_l;
    const reached = simulated(
      {
        ...{ k, volume: config.volume_l },
        ka: config.absorption_rate_per_h,
        infusion: config.infusion_h,
      },
      dose * (config.bioavailability ?? 1),
      tau,
      Math.ceil(40 / (k * tau)),
    );
    expect(within(reached.peak, config.target_peak_mg_l, 2e-3)).toBe(true);
    expect(within(reached.trough, config.target_trough_mg_l, 2e-3)).toBe(true);
  });

  it.each([0, 1, 2])('takes the best of the doses and intervals that there are (%d)', async (i) => {
    const { volume_l, clearance_l_h, target_peak_mg_l, target_trough_mg_l } = random[3 * i];
    const [doses, intervals] = [
      [50, 100, 150, 200, 300, 500, 800],
      [4, 6, 8, 12, 24],
    ];
    const config = { model: 'pk_dosing', volume_l, clearance_l_h, target_peak_mg_l, target_trough_mg_l };
    const { bestFitness } = await solved(type, {
      ...config,
      ...{ available_doses_mg: doses, available_intervals_h: intervals },
    });
    const k = clearance_l_h / volume_l;
    const values = doses.flatMap((dose) =>
      intervals.map((tau) => {
        const peak = dose / volume_l / (1 - Math.exp(-k * tau));
        return (peak / target_peak_mg_l - 1) ** 2 + ((peak * Math.exp(-k * tau)) / target_trough_mg_l - 1) ** 2;
      }),
    );
    expect(bestFitness).toBeCloseTo(Math.min(...values), 10);
    // With the interval free of choice no grid of doses does better.
    const free = await solved(type, { ...config, interval_h: 8 });
    const peak = 1 / volume_l / (1 - Math.exp(-8 * k));
    const best = Math.min(
      ...Array.from({ length: 4_000 }, (_, d) => {
        const own = peak * (d + 1) * 0.5;
        return (own / target_peak_mg_l - 1) ** 2 + ((own * Math.exp(-8 * k)) / target_trough_mg_l - 1) ** 2;
      }),
    );
    expect(free.bestFitness).toBeLessThanOrEqual(best + 1e-12);
    expect(free.bestFitness).toBeGreaterThan(best - 1e-4);
  });
});

describe('a million regimens of pk_dosing', () => {
  const oral = {
    ...{ model: 'pk_dosing', route: 'oral', volume_l: 30, clearance_l_h: 3.6, absorption_rate_per_h: 1.2 },
    ...{ target_peak_mg_l: 18, target_trough_mg_l: 4 },
    available_doses_mg: Array.from({ length: 1_000 }, (_, i) => 1 + i),
    available_intervals_h: Array.from({ length: 1_000 }, (_, i) => 1 + i / 20),
  };

  it('are left once the run is over', async () => {
    let looks = 0;
    await expect(solveConfig(type, oral, { isOver: () => ++looks > 10 })).rejects.toThrow('the run is over');
    expect(looks).toBe(11);
  });

  it('are in the order of their deviations, all of them counted', async () => {
    const { answer, bestFitness } = await solved(type, oral);
    expect(answer.solver.nodes).toBe(1_000_000);
    const others = (answer.alternatives ?? []).map(({ objective }) => objective as number);
    expect(others).toHaveLength(5);
    expect([bestFitness, ...others]).toEqual([bestFitness, ...others].sort((a, b) => a - b));
  });
});

describe('fractionation', () => {
  const chance = Rng.create(3);
  const random = Array.from({ length: 6 }, (_, i) => ({
    ...{
      model: 'fractionation',
      tumour_alpha_beta_gy: 1 + 10 * chance.uniform(),
      oar_alpha_beta_gy: 2 + 3 * chance.uniform(),
    },
    ...{
      oar_sparing_factor: 0.5 + 0.5 * chance.uniform(),
      oar_bed_limit_gy: 40 + 80 * chance.uniform(),
      max_fractions: 30,
    },
    repopulation:
      i % 2 === 0 ? undefined : { alpha_per_gy: 0.3, doubling_time_days: 3 + 5 * chance.uniform(), kickoff_days: 14 },
  }));

  it.each(random)('is better than every number of fractions with every dose: $tumour_alpha_beta_gy', async (config) => {
    const { bestFitness } = await solved(type, config);
    let best = -Infinity;
    for (let n = 1; n <= 30; n++) {
      for (
        let dose = 0.01;
        bed(n, config.oar_sparing_factor * dose, config.oar_alpha_beta_gy) <= config.oar_bed_limit_gy;
        dose += 0.01
      ) {
        const lost = config.repopulation
          ? (Math.LN2 / (0.3 * config.repopulation.doubling_time_days)) * Math.max(0, (n - 1) * 1.4 - 14)
          : 0;
        best = Math.max(best, bed(n, dose, config.tumour_alpha_beta_gy) - lost);
      }
    }
    expect(bestFitness).toBeGreaterThanOrEqual(best);
    expect(bestFitness).toBeLessThan(best * 1.02);
  });
});

describe('radiotherapy_fluence', () => {
  const chance = Rng.create(8);
  const random = Array.from({ length: 6 }, (_, i) => {
    const row = (low: number): number[] => [low + chance.uniform(), low + chance.uniform()];
    const objective = (['mean', 'max', 'squared_overdose'] as const)[i % 3];
    return {
      model: 'radiotherapy_fluence',
      structures: [
        { name: 'T', type: 'target', min_gy: 60, dose_influence: [row(0.5), row(0.5), row(0.5)] },
        {
          name: 'O',
          type: 'organ_at_risk',
          max_gy: objective === 'squared_overdose' ? 10 : 500,
          objective,
          weight: 2,
          dose_influence: [row(0), row(0)],
        },
      ],
    };
  });

  it.each(random)('is as good as the best of a grid over two beamlets: $structures.1.objective', async (config) => {
    const { bestFitness, bestSolution, answer } = await solved(type, config);
    const [target, organ] = config.structures as [(typeof config.structures)[0], (typeof config.structures)[1]];
    const objective = (w: readonly number[]): number => {
      const doses = organ.dose_influence.map(([a = 0, b = 0]) => a * w[0] + b * w[1]);
      if (organ.objective === 'max') return 2 * Math.max(...doses);
      const terms = doses.map((dose) => (organ.objective === 'mean' ? dose : Math.max(0, dose - 10) ** 2));
      return (2 * (terms[0] + terms[1])) / 2;
    };
    expect(objective(bestSolution)).toBeCloseTo(bestFitness, 6);
    let best = Infinity;
    for (let a = 0; a <= 120; a += 0.05) {
      // The least of the second weight that reaches the target; more of it only adds dose.
      const b = Math.max(0, ...target.dose_influence.map(([p = 0, q = 0]) => (60 - p * a) / q));
      best = Math.min(best, objective([a, b]));
    }
    expect(bestFitness).toBeLessThanOrEqual(best + 1e-6 * best);
    expect(bestFitness).toBeGreaterThan(best * 0.995 - 1e-3);
    expect(answer.optimality.status).toBe('optimal');
  });

  it('says which limits cannot hold together', async () => {
    const outcome = await solveConfig(type, {
      model: 'radiotherapy_fluence',
      structures: [
        { name: 'tumour', type: 'target', min_gy: 60, dose_influence: [[1, 1]] },
        { name: 'cord', type: 'organ_at_risk', max_gy: 20, objective: 'mean', dose_influence: [[0.5, 0.6]] },
      ],
    });
    expect(outcome).toMatchObject({ error: { code: 'infeasible' } });
    expect('error' in outcome && [...(outcome.error.conflict ?? [])].sort()).toEqual(['cord.max_gy', 'tumour.min_gy']);
  });
});

describe('chemotherapy_schedule', () => {
  const chance = Rng.create(21);
  const random = Array.from({ length: 6 }, (_, i) => ({
    ...{ model: 'chemotherapy_schedule', cycles: 3, growth_rate_per_cycle: 0.1 + 0.5 * chance.uniform() },
    ...{ log_kill_per_dose: 0.2 + chance.uniform(), initial_cells: 1e8, max_dose: 2 + 6 * chance.uniform() },
    ...{ toxicity_carryover: chance.uniform(), toxicity_limit: 6, growth: i % 2 === 0 ? 'exponential' : 'gompertz' },
  }));

  it.each(random)('leaves fewer cells than every schedule of a grid: $growth', async (config) => {
    const { bestFitness, bestSolution } = await solved(type, config);
    const [g, kill, carry] = [config.growth_rate_per_cycle, config.log_kill_per_dose, config.toxicity_carryover];
    const final = (doses: readonly number[]): number => {
      let [y, toxicity] = [Math.log(1e8), 0];
      for (const dose of doses) {
        toxicity = carry * toxicity + dose;
        if (toxicity > 6 + 1e-9) return Infinity;
        y -= kill * dose;
        // Gompertz in small steps of its differential equation.
        if (config.growth === 'exponential') y += g;
        else for (let i = 0; i < 400; i++) y += (g / 400) * (Math.log(1e12) - y) * (1 - g / 800);
      }
      return y;
    };
    expect(within(final(bestSolution), bestFitness, 1e-4)).toBe(true);
    const levels = Array.from({ length: 13 }, (_, i) => (config.max_dose * i) / 12);
    const all = levels.flatMap((a) => levels.flatMap((b) => levels.map((c) => final([a, b, c]))));
    expect(bestFitness).toBeLessThanOrEqual(Math.min(...all) + 1e-3);
  });
});

describe('treatment_policy', () => {
  const chance = Rng.create(2);
  const random = Array.from({ length: 6 }, (_, i) => {
    const probabilities = (): number[] => {
      const raw = [chance.uniform(), chance.uniform(), chance.uniform()];
      const sum = raw.reduce((all, one) => all + one, 0);
      const [a = 0, b = 0] = raw.map((one) => Math.round((1e6 * one) / sum) / 1e6);
      return [a, b, 1 - a - b];
    };
    return {
      ...{ model: 'treatment_policy', states: ['a', 'b', 'c'], actions: ['x', 'y'] },
      transition: [0, 1].map(() => [probabilities(), probabilities(), probabilities()]),
      reward: [0, 1].map(() => [chance.uniform(), chance.uniform(), chance.uniform()]),
      ...((i % 2 === 0 ? { discount: 0.9 } : { horizon: 5 }) as { discount?: number; horizon?: number }),
    };
  });

  it.each(random)('is better than every other policy (%#)', async (config) => {
    const { answer, bestFitness } = await solved(type, config);
    const discount = config.discount ?? 1;
    const value = answer.result['value'] as Record<string, number>;
    const stepped = (next: readonly number[], choose: (values: readonly number[], s: number) => number): number[] =>
      config.states.map((_, s) =>
        choose(
          config.actions.map(
            (_action, a) =>
              config.reward[a][s] + discount * config.transition[a][s].reduce((sum, p, to) => sum + p * next[to], 0),
          ),
          s,
        ),
      );
    if (config.horizon !== undefined) {
      let next = [0, 0, 0];
      for (let t = 0; t < config.horizon; t++) next = stepped(next, (values) => Math.max(...values));
      for (const [s, state] of config.states.entries()) expect(value[state]).toBeCloseTo(next[s], 12);
      expect(answer.result['policy_by_period']).toHaveLength(5);
      return;
    }
    // Each of the eight policies, followed for very long.
    const values = Array.from({ length: 8 }, (_, policy) => {
      let next = [0, 0, 0];
      for (let t = 0; t < 400; t++) next = stepped(next, (own, s) => own[(policy >> s) & 1]);
      return next;
    });
    for (const [s, state] of config.states.entries()) {
      expect(value[state]).toBeCloseTo(Math.max(...values.map((one) => one[s])), 9);
    }
    expect(bestFitness).toBe(value['a']);
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

const pk = { model: 'pk_dosing', volume_l: 30, clearance_l_h: 3, target_peak_mg_l: 20, target_trough_mg_l: 5 };
const lq = {
  ...{ model: 'fractionation', tumour_alpha_beta_gy: 10, oar_alpha_beta_gy: 3 },
  ...{ oar_sparing_factor: 0.7, oar_bed_limit_gy: 100, max_fractions: 35 },
};
const target = { name: 'T', type: 'target', min_gy: 60, dose_influence: [[1, 1]] };
const organ = { name: 'O', type: 'organ_at_risk', objective: 'mean', dose_influence: [[1, 1]] };
const beams = (...structures: unknown[]) => ({ model: 'radiotherapy_fluence', structures });
const chemo = type.models.find(({ name }) => name === 'chemotherapy_schedule')!.example;
const policy = type.models.find(({ name }) => name === 'treatment_policy')!.example as Record<string, unknown[]>;

describe('refuses', () => {
  it.each([
    ['config.target_trough_mg_l', { ...pk, target_trough_mg_l: 25 }],
    ['config.target_trough_mg_l', { ...pk, target_trough_mg_l: undefined }],
    ['config.target_peak_mg_l', { ...pk, target_auc24_mg_h_l: 400, interval_h: 12 }],
    ['config.interval_h', { model: 'pk_dosing', volume_l: 30, clearance_l_h: 3, target_auc24_mg_h_l: 400 }],
    ['config.absorption_rate_per_h', { ...pk, route: 'oral' }],
    ['config.absorption_rate_per_h', { ...pk, absorption_rate_per_h: 1 }],
    ['config.bioavailability', { ...pk, bioavailability: 0.5 }],
    ['config.infusion_h', { ...pk, route: 'iv_infusion' }],
    ['config.interval_h', { ...pk, route: 'iv_infusion', infusion_h: 2, interval_h: 2 }],
    ['config.available_intervals_h[0]', { ...pk, route: 'iv_infusion', infusion_h: 7, available_intervals_h: [6, 8] }],
    ['config.available_intervals_h', { ...pk, available_doses_mg: [100] }],
    ['config.compartments', { ...pk, compartments: 2 }],
    ['config.oar_sparing_factor', { ...lq, oar_sparing_factor: 0 }],
    ['config.max_fractions', { ...lq, max_fractions: 0 }],
    ['config.repopulation.alpha_per_gy', { ...lq, repopulation: { doubling_time_days: 3 } }],
    ['config.structures', beams(organ)],
    ['config.structures', beams(target)],
    ['config.structures[1].dose_influence', beams(target, { ...organ, dose_influence: [[1, 1, 1]] })],
    ['config.structures[1].name', beams(target, { ...organ, name: 'T' })],
    ['config.structures[1].max_gy', beams(target, { ...organ, objective: 'squared_overdose' })],
    ['config.structures[0].min_gy', beams({ ...target, max_gy: 50 }, organ)],
    [
      'config.structures[0].dose_influence[1]',
      beams(
        {
          ...target,
          dose_influence: [
            [1, 1],
            [0, 0],
          ],
        },
        organ,
      ),
    ],
    ['config.toxicity_carryover', { ...chemo, toxicity_carryover: 1.5 }],
    ['config.carrying_capacity', { ...chemo, growth: 'gompertz', carrying_capacity: 1e6 }],
    [
      'config.transition[0][1]',
      {
        ...policy,
        transition: [
          [
            [1, 0, 0],
            [0.5, 0.4, 0],
            [0, 0, 1],
          ],
          policy['transition'][1],
        ],
      },
    ],
    ['config.transition', { ...policy, transition: [policy['transition'][0]] }],
    ['config.transition[0]', { ...policy, transition: [[[1, 0, 0]], policy['transition'][1]] }],
    ['config.reward', { ...policy, reward: [[1, 1, 1]] }],
    ['config.discount', { ...policy, discount: 1 }],
    ['config.states[1]', { ...policy, states: ['mild', 'mild', 'dead'] }],
  ])('%s of %o', async (field, config) => {
    await expect(solveConfig(type, config)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`\`${field}\``) as string,
    });
  });
});

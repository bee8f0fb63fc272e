import Module from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { openContext } from '../../../runs/problem-context.js';
import {
  guideConfigs,
  referenceCases,
  referenceText,
  solveConfig,
  solved,
  type ReferenceCase,
} from '../../../../test/support/problems.js';
import type { Json } from '../../../../test/support/service.js';
import { checkConfig } from '../../configs.js';
import { Unsolved } from '../../problem-type.js';
import { compute } from './chemistry.js';
import { ALERTS, ACCEPTORS } from './patterns.js';
import { drugDiscovery as type } from './drug-discovery.js';
import { branchAndBound, enumerate, propertiesOf, type Library, type Limit, type Objective } from './lead-search.js';

const cases = referenceCases('healthcare', 'drug_discovery');
const SKIPPED = cases === null ? ' (no reference files beside this checkout)' : '';

const random = Rng.create(20270115);
const between = (low: number, high: number): number => low + (high - low) * random.uniform();
const whole = (low: number, high: number): number => low + random.below(high - low + 1);
const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Every way to put 0 or 1 into n places. */
function* choices(n: number): Generator<number[]> {
  for (let code = 0; code < 2 ** n; code++) yield many(n, (i) => (code >> i) & 1);
}

const sumOver = (choice: readonly number[], of: (i: number) => number): number =>
  choice.reduce((sum, own, i) => sum + (own === 1 ? of(i) : 0), 0);

const linesOf = (file: string): string[] => referenceText('healthcare', file).trim().split('\n');

/** As a client sends it: what the files hold is in it, what only describes the case is not. */
function configOf({ config, instance }: ReferenceCase): Json {
  const { activity_model: _model, input: _input, activities, ...sent } = config as Json;
  if (instance === undefined) return sent;
  if (activities === undefined) {
    const compounds = linesOf(instance).slice(1);
    return { ...sent, compounds: compounds.map((line) => ({ smiles: line.slice(0, line.lastIndexOf(',')) })) };
  }
  const measured = new Map(linesOf(activities).map((line) => line.split(',') as [string, string]));
  const series = linesOf(instance).map((line) => {
    const [smiles, id = ''] = line.split(' ');
    return { id, smiles, activity: Number(measured.get(id)) };
  });
  return { model: 'free_wilson_fit', series, scaffold: referenceText('healthcare', sent.scaffold) };
}

const caseNamed = (id: string): ReferenceCase => cases?.find((one) => one.id === id) as ReferenceCase;

describe.skipIf(cases === null)(`the cases of the reference${SKIPPED}`, () => {
  it('has all of them', () => {
    expect(cases?.map(({ id }) => id).sort()).toEqual([
      'free-wilson-chembl2321810',
      'pipeline-20-b200',
      'qed-rank-40',
      'qed-smiles-nci200',
      'rgroup-3x12-activity',
      'rgroup-4x10-lle',
      'select-120-b9000-k24',
      'select-60-b4000-k12',
    ]);
  });

  it('has the published parameters and patterns of QED', async () => {
    const published = JSON.parse(referenceText('healthcare', 'compounds/qed_parameters.json'));
    expect(ACCEPTORS).toEqual(published.acceptor_smarts);
    expect(ALERTS).toEqual(published.alert_smarts);
    const { answer } = await solved(type, configOf(caseNamed('qed-rank-40')));
    for (const { score, properties, desirabilities } of (answer.result as Json).ranking) {
      let [sum, weights] = [0, 0];
      for (const [name, weight] of Object.entries(published.weights_mean as Record<string, number>)) {
        const { A, B, C, D, E, F, DMAX } = published.parameters[name];
        const x = properties[name.toLowerCase()];
        const d =
          (A + (B / (1 + Math.exp(-(x - C + D / 2) / E))) * (1 - 1 / (1 + Math.exp(-(x - C - D / 2) / F)))) / DMAX;
        expect(desirabilities[name.toLowerCase()]).toBeCloseTo(d, 12);
        sum += weight * Math.log(d);
        weights += weight;
      }
      expect(score).toBeCloseTo(Math.exp(sum / weights), 12);
    }
  });

  it('qed-rank-40', async () => {
    const one = caseNamed('qed-rank-40');
    const { bestFitness, bestSolution, answer } = await solved(type, configOf(one));
    const want = one.expected as Json;
    expect(bestFitness).toBeCloseTo(want.best_qed, 9);
    expect(answer.result['best']).toBe(want.best);
    expect(answer.result['top5']).toEqual(want.top5);
    for (const [i, value] of want.top5_qed.entries()) expect((answer.result as Json).top5_qed[i]).toBeCloseTo(value, 9);
    expect(Math.max(...bestSolution)).toBe(bestFitness);
    expect(answer.warnings.map(({ code }) => code)).toContain('decision_support');
  });

  it.each(['select-60-b4000-k12', 'select-120-b9000-k24'])('%s', async (id) => {
    const one = caseNamed(id);
    const config = configOf(one);
    const { bestSolution, answer } = await solved(type, config);
    const [want, result] = [one.expected as Json, answer.result as Json];
    expect(result.selected.map((taken: Json) => taken.id)).toEqual(want.selected);
    expect(result.total_score).toBeCloseTo(want.total_score, 8);
    expect(sumOver(bestSolution, (i) => config.compounds[i].score)).toBeCloseTo(want.total_score, 8);
    expect(sumOver(bestSolution, (i) => config.compounds[i].cost)).toBe(want.total_cost);
    expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'branch_and_bound' });
  });

  it.each(['rgroup-3x12-activity', 'rgroup-4x10-lle'])('%s', async (id) => {
    const one = caseNamed(id);
    const config = configOf(one);
    const { bestSolution, bestFitness, answer } = await solved(type, config);
    const [want, result] = [one.expected as Json, answer.result as Json];
    expect(bestFitness).toBeCloseTo(want.objective, 9);
    expect(result.substituents).toEqual(want.substituents);
    expect([result.library_size, result.feasible]).toEqual([want.library_size, want.feasible]);
    for (const [name, value] of Object.entries(want.properties as Record<string, number>)) {
      expect(result.properties[name]).toBeCloseTo(value, 9);
      const sum = bestSolution.reduce(
        (all, o, s) => all + config.r_groups[s].options[o][`d_${name}`],
        config.core[name],
      );
      expect(sum).toBeCloseTo(value, 9);
      expect(sum).toBeLessThanOrEqual((config.constraints[name]?.max ?? Infinity) + 1e-9);
    }
    // Along the front, less lipophilic compounds are less active.
    const front = result.pareto as { activity: number; alogp: number }[];
    for (const [i, point] of front.slice(1).entries()) {
      expect(point.activity).toBeLessThan(front[i].activity);
      expect(point.alogp).toBeLessThan(front[i].alogp);
    }
  });

  it('pipeline-20-b200', async () => {
    const one = caseNamed('pipeline-20-b200');
    const config = configOf(one);
    const { bestFitness, bestSolution, answer } = await solved(type, config);
    const [want, result] = [one.expected as Json, answer.result as Json];
    expect(bestFitness).toBeCloseTo(want.expected_npv_musd, 6);
    expect(result.selected).toEqual(want.selected);
    expect(result.spend).toBe(want.spend);
    const value = sumOver(bestSolution, (i) => {
      const { probability_of_success: p, value_if_success_musd: v, cost_musd: c } = config.projects[i];
      return p * v - c;
    });
    expect(value).toBeCloseTo(want.expected_npv_musd, 6);
  });

  it('qed-smiles-nci200', async () => {
    const one = caseNamed('qed-smiles-nci200');
    const { bestSolution, bestFitness, answer } = await solved(type, configOf(one));
    const want = one.expected as Json;
    expect(bestSolution).toHaveLength(want.count);
    expect(bestFitness).toBeCloseTo(want.best_qed, 9);
    expect(answer.result['best_smiles']).toBe(want.best_smiles);
    const listed = linesOf(one.instance ?? '')
      .slice(1)
      .map((line) => Number(line.slice(line.lastIndexOf(',') + 1)));
    const equal = listed.filter((value, i) => Math.abs(value - bestSolution[i]) < 1e-4);
    expect(equal.length).toBeGreaterThanOrEqual(195);
    expect(answer.solver.library).toMatch(/^RDKit 20/);
  }, 30_000);

  it('free-wilson-chembl2321810', async () => {
    const one = caseNamed('free-wilson-chembl2321810');
    const config = configOf(one);
    const { answer } = await solved(type, config);
    const result = answer.result as Json;
    expect(Math.abs(result.training_r2 - (one.expected['training_r2'] as number))).toBeLessThan(0.03);
    expect(result.leave_one_out_r2).toBeLessThan(result.training_r2);
    expect(result.compounds_used + result.compounds_left_out.length).toBe(config.series.length);
    expect(answer.warnings.map(({ code }) => code)).toContain('not_in_series');
    const { predictions } = result as { predictions: { activity: number; predicted: number }[] };
    const mean = predictions.reduce((sum, { activity }) => sum + activity, 0) / predictions.length;
    const left = predictions.reduce((sum, { activity, predicted }) => sum + (activity - predicted) ** 2, 0);
    const all = predictions.reduce((sum, { activity }) => sum + (activity - mean) ** 2, 0);
    expect(1 - left / all).toBeCloseTo(result.training_r2, 9);
  }, 60_000);
});

describe('rank_compounds', () => {
  const compound = (): Json => ({
    ...{ mw: between(150, 600), alogp: between(-1, 6), hba: whole(0, 12), hbd: whole(0, 6), psa: between(10, 160) },
    ...{ rotb: whole(0, 12), arom: whole(0, 4), alerts: whole(0, 2), logd: between(-1, 5), pka: between(5, 11) },
  });

  it('adds up the six terms of CNS MPO (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const compounds = many(10, compound);
      const { bestSolution, bestFitness } = await solved(type, {
        model: 'rank_compounds',
        score: 'cns_mpo',
        compounds: compounds.map(({ hba: _a, rotb: _r, arom: _o, alerts: _s, ...rest }) => rest),
      });
      const line = (x: number, one: number, zero: number): number =>
        Math.max(0, Math.min(1, (x - zero) / (one - zero)));
      const scores = compounds.map(
        (c) =>
          line(c.alogp, 3, 5) +
          line(c.logd, 2, 4) +
          line(c.mw, 360, 500) +
          line(c.psa, 40, 20) * line(c.psa, 90, 120) +
          line(c.hbd, 0.5, 3.5) +
          line(c.pka, 8, 10),
      );
      for (const [i, score] of scores.entries()) expect(bestSolution[i]).toBeCloseTo(score, 9);
      expect(bestFitness).toBeCloseTo(Math.max(...scores), 9);
    }
  });

  it('takes the weighted geometric mean of own desirabilities, and holds back what the filters do (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const compounds = many(12, () => ({ mw: between(150, 600), solubility: between(-6, 0), alogp: between(-1, 6) }));
      const [w1, w2] = [between(0.1, 3), between(0.1, 3)];
      const most = between(300, 600);
      const outcome = await solveConfig(type, {
        model: 'rank_compounds',
        score: 'custom',
        compounds,
        desirability: {
          solubility: { type: 'larger', low: -5, high: -2, weight: w1 },
          alogp: { type: 'trapezoid', low: 0, target: [1, 3], high: 5, weight: w2 },
          mw: { type: 'target', low: 100, target: 350, high: 650 },
        },
        filters: { mw: { max: most } },
      });
      const scores = compounds.map(({ mw, solubility: s, alogp: a }) => {
        const d1 = s <= -5 ? 0 : s >= -2 ? 1 : (s + 5) / 3;
        const d2 = a <= 0 || a >= 5 ? 0 : a < 1 ? a : a > 3 ? (5 - a) / 2 : 1;
        const d3 = mw < 350 ? (mw - 100) / 250 : (650 - mw) / 300;
        return Math.pow(d1 ** w1 * d2 ** w2 * d3, 1 / (w1 + w2 + 1));
      });
      const passing = scores.filter((_, i) => compounds[i].mw <= most);
      if (passing.length === 0) expect((outcome as Json).error).toMatchObject({ code: 'infeasible', conflict: ['mw'] });
      else expect((outcome as Json).bestFitness).toBeCloseTo(Math.max(...passing), 9);
    }
  });

  it("lets one of Lipinski's limits be broken, two not, and none of Veber's", async () => {
    const base = { hba: 2, hbd: 1, alogp: 2, mw: 300, psa: 50, rotb: 3, arom: 1, alerts: 0 };
    const ranked = async (more: Json, filters: Json): Promise<number> => {
      const { answer } = await solved(type, { compounds: [base, { ...base, ...more }], filters });
      return Number(answer.result['feasible']);
    };
    expect(await ranked({ mw: 501 }, 'lipinski')).toBe(2);
    expect(await ranked({ mw: 501, alogp: 5.1 }, 'lipinski')).toBe(1);
    expect(await ranked({ mw: 500, alogp: 5, hbd: 5, hba: 10 }, ['lipinski', { mw: { max: 500 } }])).toBe(2);
    expect(await ranked({ rotb: 11 }, 'veber')).toBe(1);
    expect(await ranked({ psa: 140, rotb: 10 }, 'veber')).toBe(2);
    const { answer } = await solved(type, { compounds: [base, { ...base, mw: 501 }], filters: 'lipinski' });
    const second = (answer.result as Json).ranking.find((row: Json) => row.id === '2');
    expect(second.violations).toEqual(['lipinski: mw 501 is above 500']);
  });

  it('ranks the rest where a structure cannot be read, and takes given numbers before computed ones', async () => {
    const compounds = [
      { id: 'aspirin', smiles: 'CC(=O)Oc1ccccc1C(=O)O' },
      { id: 'five bonds', smiles: 'CC(C)(C)(C)C' },
      { id: 'heavier', smiles: 'CC(=O)Oc1ccccc1C(=O)O', mw: 700 },
    ];
    const { bestSolution, answer } = await solved(type, { compounds, filters: { mw: { max: 900 } } });
    const result = answer.result as Json;
    expect(result.best).toBe('aspirin');
    expect(result.ranking.map((row: Json) => row.id)).toEqual(['aspirin', 'heavier']);
    expect(result.ranking[0].properties.mw).toBeCloseTo(180.16, 2);
    expect(result.ranking[1].properties.mw).toBe(700);
    expect(bestSolution[1]).toBe(0);
    expect(answer.warnings).toContainEqual(
      expect.objectContaining({ code: 'unreadable_structure', field: 'config.compounds[1].smiles' }),
    );
    const none = await solveConfig(type, { compounds: [compounds[1]] });
    expect(none).toMatchObject({ error: { code: 'infeasible', conflict: ['smiles'] } });
  }, 30_000);

  it('ranks the most compounds that it accepts', async () => {
    const compounds = many(1_000, compound).map(({ logd: _d, pka: _p, ...rest }) => rest);
    const { bestSolution, bestFitness, answer } = await solved(type, { compounds });
    expect(Math.max(...bestSolution)).toBe(bestFitness);
    expect((answer.result as Json).ranking).toHaveLength(1_000);
  });
});

describe('compound_selection', () => {
  const distance = (a: string, b: string): number => {
    const [both, either] = ['11', ''].map(
      (kind) =>
        [...a].filter((bit, i) => (kind === '' ? bit === '1' || b[i] === '1' : bit === '1' && b[i] === '1')).length,
    );
    return either === 0 ? 0 : 1 - both / either;
  };

  it('is as good as the best of all choices (24 instances)', async () => {
    for (let k = 0; k < 24; k++) {
      const n = whole(3, 11);
      const compounds = many(n, () => ({
        score: between(-0.2, 1),
        cost: whole(1, 9),
        cluster: `K${whole(1, 3)}`,
        fingerprint: many(12, () => whole(0, 1)).join(''),
      }));
      const limits = { budget: whole(5, 25), max_compounds: whole(1, 6), max_per_cluster: whole(1, 3) };
      const min_distance = k % 3 === 0 ? 0 : Math.round(between(0.2, 0.8) * 100) / 100;
      let best = 0;
      for (const choice of choices(n)) {
        if (sumOver(choice, (i) => compounds[i].cost) > limits.budget) continue;
        if (sumOver(choice, () => 1) > limits.max_compounds) continue;
        const taken = compounds.filter((_, i) => choice[i] === 1);
        if (taken.some((a) => taken.filter((b) => b.cluster === a.cluster).length > limits.max_per_cluster)) continue;
        const isNear = taken.some((a, i) =>
          taken.slice(i + 1).some((b) => distance(a.fingerprint, b.fingerprint) < min_distance - 1e-12),
        );
        if (!isNear)
          best = Math.max(
            best,
            sumOver(choice, (i) => compounds[i].score),
          );
      }
      // Positions of bits mean the same as a text.
      const sent = compounds.map((one, i) =>
        i % 2 === 0
          ? one
          : { ...one, fingerprint: [...one.fingerprint].flatMap((bit, at) => (bit === '1' ? [at] : [])) },
      );
      const { bestFitness, answer } = await solved(type, {
        model: 'compound_selection',
        compounds: sent,
        ...limits,
        min_distance,
      });
      expect(bestFitness).toBeCloseTo(best, 9);
      expect(answer.optimality.status).toBe('optimal');
    }
  }, 60_000);

  it('takes fingerprints of structures, so that near relatives are not both taken', async () => {
    const compounds = [
      { id: 'toluene', score: 1, smiles: 'Cc1ccccc1' },
      { id: 'ethylbenzene', score: 0.9, smiles: 'CCc1ccccc1' },
      { id: 'glycerol', score: 0.1, smiles: 'OCC(O)CO' },
    ];
    const config = { model: 'compound_selection', compounds, max_compounds: 2 };
    const near = await solved(type, config);
    expect((near.answer.result as Json).selected.map((one: Json) => one.id)).toEqual(['toluene', 'ethylbenzene']);
    const apart = await solved(type, { ...config, min_distance: 0.9 });
    expect((apart.answer.result as Json).selected.map((one: Json) => one.id)).toEqual(['toluene', 'glycerol']);
    expect((apart.answer.result as Json).diversity.least_distance).toBeGreaterThan(0.9);
    const unreadable = await solveConfig(type, {
      ...config,
      min_distance: 0.5,
      compounds: [...compounds, { score: 1, smiles: 'CC(C)(C)(C)C' }],
    });
    expect(unreadable).toMatchObject({ error: { code: 'infeasible', conflict: ['config.compounds[3].smiles'] } });
  }, 30_000);

  it('solves the most compounds that it accepts, with distances and without', async () => {
    const compounds = many(2_000, (i) => ({ score: between(0, 1), cost: whole(1, 90), cluster: `K${i % 100}` }));
    const large = await solved(type, { model: 'compound_selection', compounds, budget: 2_000, max_per_cluster: 3 });
    expect(large.answer.optimality.status).toBe('optimal');
    const printed = many(600, (i) => ({
      score: between(0, 1),
      cost: whole(1, 90),
      // Families of ten: alike within, apart from others.
      fingerprint: many(60, (bit) => (Math.floor(i / 10) * 60 + bit * 7) % 4_000).slice(whole(0, 9)),
    }));
    const apart = await solved(type, {
      model: 'compound_selection',
      compounds: printed,
      budget: 1_500,
      min_distance: 0.5,
    });
    expect(apart.answer.optimality.status).toBe('optimal');
  }, 120_000);
});

describe('the largest compound_selection', () => {
  it('looks at the time while it groups near pairs', async () => {
    const n = 600;
    const compounds = Array.from({ length: n }, () => ({ score: 1, fingerprint: '1101' }));
    let looks = 0;
    // As many looks as compounds are paired, then those of the groups.
    const isOver = (): boolean => ++looks > 1.5 * n;
    const config = { model: 'compound_selection', compounds, min_distance: 0.5 };
    await expect(solveConfig(type, config, { isOver })).rejects.toThrow('the run is over');
    expect(looks).toBe(1.5 * n + 1);
  });
});

describe('lead_optimization', () => {
  const libraryOf = (sites: number, options: number): Library => ({
    core: [6, 240, 1.2, 48],
    changes: many(sites, () =>
      many(options, () => [between(-1, 1), between(0, 120), between(-1, 1.6), between(0, 40)]),
    ),
  });
  const SUM: Objective = {
    weights: [1, 0, -0.5, 0],
    valueOf: (p) => p[0] - 0.5 * p[2],
    boundOf: (low, high) => high[0] - 0.5 * low[2],
  };

  it('branch and bound finds the best of all (30 instances)', async () => {
    const context = openContext({ seed: 1, maxEvaluations: 1_000, mode: 'balanced', isOver: () => false });
    try {
      for (let k = 0; k < 30; k++) {
        const library = libraryOf(whole(2, 5), whole(2, 7));
        const limits: Limit[] = [
          { property: 1, max: between(300, 450) },
          { property: 2, min: between(0, 1), max: between(1.5, 4) },
        ];
        const all = enumerate(library, limits, SUM, { most: 1, trade: null, context });
        const { best, isProven } = await branchAndBound(library, limits, SUM, context);
        expect(isProven).toBe(true);
        if (all.best.length === 0) expect(best).toBeNull();
        else expect(best?.value).toBeCloseTo(all.best[0].value, 9);
        if (best !== null) expect(SUM.valueOf(propertiesOf(library, best.choice))).toBeCloseTo(best.value, 9);
      }
    } finally {
      await context.close();
    }
  }, 60_000);

  const optionsOf = (n: number): Json[] =>
    many(n, (i) => ({
      id: `o${i}`,
      ...{
        d_activity: between(-1, 1),
        d_mw: between(0, 100),
        d_alogp: between(-1, 1.6),
        d_psa: between(0, 30),
        d_hbd: whole(0, 1),
      },
    }));
  const core = { activity: 6, mw: 240, alogp: 1.2, psa: 40, hbd: 1 };

  it.each(['activity', 'lipophilic_efficiency', 'mpo'])(
    'is as good as the best of all compounds: %s (20 instances)',
    async (objective) => {
      for (let k = 0; k < 20; k++) {
        const r_groups = many(whole(1, 4), () => ({ options: optionsOf(whole(1, 5)) }));
        const constraints = {
          mw: { max: between(280, 450) },
          alogp: { min: 0, max: between(1, 4) },
          hbd: { max: whole(1, 3) },
        };
        const isOwn = objective === 'mpo' && k % 2 === 0;
        const desirability = {
          activity: { type: 'larger', low: 5, high: 9, weight: 2 },
          psa: { type: 'smaller', low: 50, high: 150 },
        };
        let best = -Infinity;
        let feasible = 0;
        const walk = (site: number, sum: typeof core): void => {
          if (site < r_groups.length) {
            for (const o of r_groups[site].options) {
              walk(site + 1, {
                activity: sum.activity + o.d_activity,
                mw: sum.mw + o.d_mw,
                alogp: sum.alogp + o.d_alogp,
                psa: sum.psa + o.d_psa,
                hbd: sum.hbd + o.d_hbd,
              });
            }
            return;
          }
          const { activity, mw, alogp, psa, hbd } = sum;
          if (mw > constraints.mw.max || alogp < 0 || alogp > constraints.alogp.max || hbd > constraints.hbd.max)
            return;
          feasible++;
          const line = (x: number, one: number, zero: number): number =>
            Math.max(0, Math.min(1, (x - zero) / (one - zero)));
          const value = {
            activity,
            lipophilic_efficiency: activity - alogp,
            mpo: isOwn
              ? Math.pow(line(activity, 9, 5) ** 2 * line(psa, 50, 150), 1 / 3)
              : line(alogp, 3, 5) + line(mw, 360, 500) + line(psa, 40, 20) * line(psa, 90, 120) + line(hbd, 0.5, 3.5),
          }[objective];
          best = Math.max(best, value ?? NaN);
        };
        walk(0, core);
        const config = {
          model: 'lead_optimization',
          core,
          r_groups,
          objective,
          constraints,
          desirability: isOwn ? desirability : undefined,
        };
        const outcome = (await solveConfig(type, config)) as Json;
        if (feasible === 0) expect(outcome.error.code).toBe('infeasible');
        else {
          expect(outcome.bestFitness).toBeCloseTo(best, 9);
          expect(outcome.answer.result.feasible).toBe(feasible);
        }
      }
    },
  );

  it('names the least limits that no compound keeps', async () => {
    const r_groups = [
      {
        options: [
          { d_activity: 1, d_mw: 300, d_alogp: 1 },
          { d_activity: 0, d_mw: 0, d_alogp: 4 },
        ],
      },
    ];
    const config = { model: 'lead_optimization', core: { activity: 6, mw: 240, alogp: 1 }, r_groups };
    const both = { mw: { max: 400 }, alogp: { max: 3 }, activity: { min: 5 } };
    const outcome = await solveConfig(type, { ...config, constraints: both });
    expect(outcome).toMatchObject({ error: { code: 'infeasible', conflict: ['mw', 'alogp'] } });
    const alone = await solveConfig(type, { ...config, constraints: { ...both, activity: { min: 9 } } });
    expect(alone).toMatchObject({ error: { code: 'infeasible', conflict: ['activity'] } });
  });

  it('enumerates ten million compounds, and proves the best of far larger libraries as a programme of 0 and 1 does', async () => {
    const ten = many(7, () => ({ options: optionsOf(10) }));
    const whole7 = await solved(type, {
      model: 'lead_optimization',
      core,
      r_groups: ten,
      constraints: { mw: { max: 500 } },
    });
    expect(whole7.answer.result['library_size']).toBe(1e7);
    expect(whole7.answer.optimality.proof).toBe('exhaustive');
    const context = openContext({ seed: 1, maxEvaluations: 1_000, mode: 'balanced', isOver: () => false });
    for (const [sites, options] of [
      [12, 20],
      [30, 53],
    ] as const) {
      const r_groups = many(sites, () => ({ options: optionsOf(options) }));
      const constraints = { mw: { max: 240 + 25 * sites }, alogp: { max: 4 }, psa: { max: 40 + 8 * sites } };
      const config = { model: 'lead_optimization', core, r_groups, constraints };
      const { bestFitness, answer } = await solved(type, config);
      expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'branch_and_bound' });
      const flat = r_groups.flatMap((site) => site.options);
      const row = (name: 'mw' | 'alogp' | 'psa'): Json => ({
        name,
        upper: constraints[name].max - core[name],
        terms: flat.map((o, i) => [i, o[`d_${name}`]]),
      });
      const { objective } = await context.solveLinear({
        sense: 'maximize',
        constant: core.activity,
        columns: flat.map((o, i) => ({ name: `${i}`, cost: o.d_activity, upper: 1, isInteger: true })),
        rows: [
          ...r_groups.map((_, s) => ({
            name: `${s}`,
            lower: 1,
            upper: 1,
            terms: many(options, (o) => [s * options + o, 1] as const),
          })),
          ...[row('mw'), row('alogp'), row('psa')],
        ],
      });
      expect(Math.abs(bestFitness - (objective ?? NaN))).toBeLessThan(1e-6);
    }
    await context.close();
  }, 120_000);
});

describe('pipeline_portfolio', () => {
  it('is as good as the best of all choices (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const n = whole(3, 10);
      const projects = many(n, (i) => ({
        cost_musd: whole(5, 60),
        probability_of_success: between(0.02, 0.7),
        value_if_success_musd: whole(20, 900),
        therapeutic_area: i < 2 || k % 2 === 0 ? `A${i % 2}` : undefined,
      }));
      const [budget_musd, min_per_area] = [whole(60, 200), whole(0, 1)];
      let best = -Infinity;
      for (const choice of choices(n)) {
        if (sumOver(choice, (i) => projects[i].cost_musd) > budget_musd) continue;
        const has = (area: string): boolean =>
          projects.some((one, i) => choice[i] === 1 && one.therapeutic_area === area);
        if (min_per_area === 1 && !(has('A0') && has('A1'))) continue;
        best = Math.max(
          best,
          sumOver(
            choice,
            (i) => projects[i].probability_of_success * projects[i].value_if_success_musd - projects[i].cost_musd,
          ),
        );
      }
      const outcome = (await solveConfig(type, {
        model: 'pipeline_portfolio',
        projects,
        budget_musd,
        min_per_area,
      })) as Json;
      if (best === -Infinity) expect(outcome.error.code).toBe('infeasible');
      else expect(outcome.bestFitness).toBeCloseTo(best, 8);
    }
  }, 60_000);

  it('says that the budget does not pay for every area', async () => {
    const projects = many(3, (i) => ({
      ...{ cost_musd: 50, probability_of_success: 0.5, value_if_success_musd: 500, therapeutic_area: `A${i}` },
    }));
    const outcome = await solveConfig(type, {
      model: 'pipeline_portfolio',
      projects,
      budget_musd: 120,
      min_per_area: 1,
    });
    expect(outcome).toMatchObject({
      error: { code: 'infeasible', conflict: expect.arrayContaining(['budget']) as string[] },
    });
  });
});

describe('free_wilson_fit', () => {
  it('is where the sum of squares is least, found by descent (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const names = [many(whole(2, 4), (i) => `a${i}`), many(whole(2, 4), (i) => `b${i}`)];
      const series = many(whole(5, 25), () => ({
        substituents: { R1: names[0][random.below(names[0].length)], R2: names[1][random.below(names[1].length)] },
        activity: between(4, 9),
      }));
      const ridge = between(0.2, 3);
      const { bestFitness, answer } = await solved(type, { model: 'free_wilson_fit', series, ridge });
      // Coordinate by coordinate, to the end.
      const w = new Map<string, number>();
      let intercept = 0;
      const residual = (one: (typeof series)[number]): number =>
        one.activity - intercept - (w.get(one.substituents.R1) ?? 0) - (w.get(one.substituents.R2) ?? 0);
      for (let step = 0; step < 3_000; step++) {
        intercept += series.reduce((sum, one) => sum + residual(one), 0) / series.length;
        for (const name of names.flat()) {
          const own = series.filter(({ substituents: { R1, R2 } }) => R1 === name || R2 === name);
          const old = w.get(name) ?? 0;
          w.set(name, own.reduce((sum, one) => sum + residual(one) + old, 0) / (own.length + ridge));
        }
      }
      const squares = series.reduce((sum, one) => sum + residual(one) ** 2, 0);
      const penalty = [...w.values()].reduce((sum, own) => sum + ridge * own * own, 0);
      expect(bestFitness).toBeCloseTo(squares + penalty, 8);
      for (const { options } of (answer.result as Json).r_groups)
        for (const { id, d_activity } of options) expect(d_activity).toBeCloseTo(w.get(id) ?? NaN, 6);
    }
  });

  it('predicts each compound from all others as a fit without it does', async () => {
    const series = many(14, (i) => ({
      id: `c${i}`,
      substituents: { R1: `a${i % 3}`, R2: `b${whole(0, 2)}` },
      activity: between(4, 9),
    }));
    const config = { model: 'free_wilson_fit', series, ridge: 0.5 };
    const { answer } = await solved(type, config);
    for (const { id, predicted_without_it } of (answer.result as Json).predictions) {
      const { substituents } = series.find((one) => one.id === id) as (typeof series)[number];
      const without = await solved(type, { ...config, series: series.filter((one) => one.id !== id) });
      const result = without.answer.result as Json;
      const parts = result.r_groups.map(
        ({ site, options }: Json) =>
          options.find((one: Json) => one.id === substituents[site as 'R1'])?.d_activity ?? 0,
      );
      expect(predicted_without_it).toBeCloseTo(parts[0] + parts[1] + result.core.activity, 9);
    }
  });

  it('says beside its praise that it predicts nothing, where that is so', async () => {
    const made = [[5, 'H', 'H'], [7, 'Cl', 'H'], [6.9, 'H', 'CN'], [5.1, 'Cl', 'CN'], [5.3, 'H', 'F'], [6.8, 'Cl', 'F']] as const; // prettier-ignore
    const series = made.map(([activity, R1, R2]) => ({ activity, substituents: { R1, R2 } }));
    const { answer } = await solved(type, { model: 'free_wilson_fit', series, ridge: 0.01 });
    expect((answer.result as Json).leave_one_out_r2).toBeLessThan(0);
    const caution = answer.statements.find(({ text }) => text.includes('says nothing of new compounds'));
    expect(caution?.level).toBe(2);
  });

  it('gives back contributions that add up exactly, and lead_optimization takes what it gives', async () => {
    const truth: Record<string, number> = { a0: 0, a1: 0.7, a2: -0.4, b0: 0, b1: 1.1 };
    const series = ['a0', 'a1', 'a2'].flatMap((R1) =>
      ['b0', 'b1'].map((R2) => ({ substituents: { R1, R2 }, activity: 5 + truth[R1] + truth[R2] })),
    );
    const fitted = await solved(type, { model: 'free_wilson_fit', series, ridge: 0 });
    const { core, r_groups, training_r2, leave_one_out_r2 } = fitted.answer.result as Json;
    expect(training_r2).toBeCloseTo(1, 12);
    expect(leave_one_out_r2).toBeCloseTo(1, 9);
    const groups = r_groups.map(({ site, options }: Json) => ({
      site,
      options: options.map(({ id, d_activity }: Json) => ({ id, d_activity })),
    }));
    const lead = await solved(type, { model: 'lead_optimization', core, r_groups: groups });
    expect(lead.bestFitness).toBeCloseTo(6.8, 9);
    expect(lead.answer.result['substituents']).toEqual(['a1', 'b1']);
  });

  it('reads a scaffold as SMILES too', async () => {
    const series = ['F', 'Cl', 'Br', 'C'].flatMap((x, i) =>
      ['N', 'O'].map((y, j) => ({ smiles: `${x}c1ccc(${y})cc1`, activity: 5 + 0.3 * i + j })),
    );
    const config = { model: 'free_wilson_fit', series: [...series, { smiles: 'CCO', activity: 1 }], ridge: 0 };
    const { answer } = await solved(type, { ...config, scaffold: '[*:1]c1ccc([*:2])cc1' });
    const result = answer.result as Json;
    expect(result.compounds_used).toBe(8);
    expect(result.compounds_left_out).toEqual(['9']);
    const unreadable = await solveConfig(type, { ...config, scaffold: 'no mol block' });
    expect(unreadable).toMatchObject({ error: { code: 'infeasible', conflict: ['config.scaffold'] } });
    // RDKit throws at a core without an atom, and cannot number a site so.
    for (const scaffold of ['[*:1]', '[*:99999999]C'])
      expect(await solveConfig(type, { ...config, scaffold })).toMatchObject({ error: { code: 'infeasible' } });
    const foreign = await solveConfig(type, { ...config, scaffold: '[*:1]c1ncncn1' });
    expect(foreign).toMatchObject({ error: { code: 'infeasible' } });
  }, 30_000);

  it('fits the most compounds and substituents that it accepts', async () => {
    const series = many(1_500, (i) => ({
      substituents: { R1: `a${i % 1_400}`, R2: `b${whole(0, 1_400)}` },
      activity: between(4, 9),
    }));
    const { answer } = await solved(type, { model: 'free_wilson_fit', series });
    expect(answer.result['training_r2']).toBeGreaterThan(0);
  }, 120_000);
});

describe('without the optional package', () => {
  afterEach(() => vi.restoreAllMocks());

  const withSmiles: [string, Json][] = [
    [
      'config.compounds[1].smiles',
      { compounds: [{ mw: 1, alogp: 1, hba: 1, hbd: 1, psa: 1, rotb: 1, arom: 1, alerts: 0 }, { smiles: 'CCO' }] },
    ],
    [
      'config.compounds[0].smiles',
      { model: 'compound_selection', compounds: [{ score: 1, smiles: 'CCO' }], min_distance: 0.5 },
    ],
    [
      'config.series[0].smiles',
      { model: 'free_wilson_fit', series: many(3, () => ({ smiles: 'CCO', activity: 1 })), scaffold: '[*:1]CO' },
    ],
  ];

  it.each(withSmiles)('refuses %s, and names the package', (field, config) => {
    expect(() => checkConfig(type, config)).not.toThrow();
    const hidden = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };
    const resolve = hidden._resolveFilename.bind(Module);
    vi.spyOn(hidden, '_resolveFilename').mockImplementation((name, ...rest) => {
      if (name === '@rdkit/rdkit') throw new Error('none');
      return resolve(name, ...rest);
    });
    const refused = (): unknown => checkConfig(type, config);
    expect(refused).toThrow(/needs the optional package `@rdkit\/rdkit`.*npm install/);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_request', field });
    }
  });
});

describe('configs that are refused', () => {
  const compound = { mw: 300, alogp: 2, hba: 2, hbd: 1, psa: 50, rotb: 3, arom: 1, alerts: 0 };
  const option = { d_activity: 1, d_mw: 1, d_alogp: 1, d_psa: 1, d_hbd: 1 };
  const lead = { model: 'lead_optimization', core: { activity: 6 }, r_groups: [{ options: [{ d_activity: 1 }] }] };
  const selection = { model: 'compound_selection', compounds: [{ score: 1 }, { score: 2 }] };
  const project = { cost_musd: 1, probability_of_success: 0.5, value_if_success_musd: 3, therapeutic_area: 'x' };
  const wilson = { model: 'free_wilson_fit', series: many(3, (i) => ({ substituents: { R1: `a${i}` }, activity: i })) };
  const { alerts: _alerts, ...bare } = compound;
  const own = (shape: Json): Json => ({ score: 'custom', compounds: [compound], desirability: { mw: shape } });
  const refused: [string, RegExp, Json][] = [
    ['config.compounds', /at least|required/, { compounds: [] }],
    ['config.compounds[0].alerts', /required: the score qed needs it/, { compounds: [bare] }],
    ['config.compounds[0].algop', /Did you mean `alogp`/, { compounds: [{ ...compound, algop: 2 }] }],
    [
      'config.compounds[0].logd',
      /required: the score cns_mpo.*cannot be computed/,
      { score: 'cns_mpo', compounds: [{ smiles: 'CCO', pka: 3 }] },
    ],
    ['config.compounds[0].tox', /required: a filter/, { compounds: [compound], filters: { tox: { max: 1 } } }],
    [
      'config.compounds[1].id',
      /is the id of entry 1/,
      {
        compounds: [
          { ...compound, id: 'a' },
          { ...compound, id: 'a' },
        ],
      },
    ],
    ['config.compounds[0].mw', /number/, { compounds: [{ ...compound, mw: 'heavy' }] }],
    ['config.compounds[0].smiles', /ring 1 is not closed/, { compounds: [{ smiles: 'C1CC' }] }],
    ['config.compounds[0].smiles', /bracket is not closed/, { compounds: [{ smiles: 'CC(C' }] }],
    ['config.compounds[0].smiles', /no place for "!"/, { compounds: [{ smiles: 'CC!' }] }],
    ['config.compounds[0].smiles', /at most 500/, { compounds: [{ smiles: 'C'.repeat(501) }] }],
    ['config.score', /one of/, { score: 'best', compounds: [compound] }],
    ['config.desirability', /required where `score`/, { score: 'custom', compounds: [compound] }],
    [
      'config.desirability',
      /no meaning/,
      { compounds: [compound], desirability: { mw: { type: 'larger', low: 1, high: 2 } } },
    ],
    ['config.desirability', /1 to 50/, { score: 'custom', compounds: [compound], desirability: {} }],
    ['config.desirability', /above 0/, own({ type: 'larger', low: 1, high: 2, weight: 0 })],
    ['config.desirability.mw.low', /below `high`/, own({ type: 'larger', low: 2, high: 2 })],
    ['config.desirability.mw.target', /must be a number/, own({ type: 'target', low: 1, high: 2 })],
    ['config.desirability.mw.target', /must lie/, own({ type: 'target', low: 1, target: 3, high: 2 })],
    ['config.desirability.mw.target', /range/, own({ type: 'trapezoid', low: 1, target: 1.5, high: 2 })],
    ['config.desirability.mw.target', /range from/, own({ type: 'trapezoid', low: 1, target: [1.7, 1.5], high: 2 })],
    ['config.desirability.mw.target', /no meaning/, own({ type: 'smaller', low: 1, target: 1.5, high: 2 })],
    ['config.filters.mw.min', /above `max`/, { compounds: [compound], filters: { mw: { min: 3, max: 2 } } }],
    ['config.filters[1].mw', /needs `min` or `max`/, { compounds: [compound], filters: ['veber', { mw: {} }] }],
    ['config.filters', /one of "lipinski", "veber"/, { compounds: [compound], filters: 'lipinsky' }],
    ['config.compounds[0].cost', /required where there is a `budget`/, { ...selection, budget: 1 }],
    ['config.compounds[0].fingerprint', /required where `min_distance`/, { ...selection, min_distance: 0.5 }],
    ['config.compounds[0].fingerprint', /0 or 1/, { ...selection, compounds: [{ score: 1, fingerprint: '012' }] }],
    [
      'config.compounds[0].fingerprint[1]',
      /position/,
      { ...selection, compounds: [{ score: 1, fingerprint: [1, 5_000] }] },
    ],
    ['config.min_distance', /0 to 1/, { ...selection, min_distance: 30 }],
    ['config.max_compounds', /at least 1/, { ...selection, max_compounds: 0 }],
    [
      'config.compounds',
      /600/,
      { ...selection, compounds: many(601, () => ({ score: 1, fingerprint: '1' })), min_distance: 0.1 },
    ],
    ['config.core.mw', /required: `constraints`/, { ...lead, constraints: { mw: { max: 3 } } }],
    ['config.core.alogp', /required: the objective/, { ...lead, objective: 'lipophilic_efficiency' }],
    ['config.r_groups[0].options[0].d_mw', /required, because/, { ...lead, core: { activity: 1, mw: 2 } }],
    [
      'config.r_groups[1].site',
      /earlier site/,
      { ...lead, r_groups: many(2, () => ({ site: 'R1', options: [option] })) },
    ],
    [
      'config.r_groups[0].options[1].id',
      /is the id of entry 1/,
      { ...lead, r_groups: [{ options: many(2, () => ({ id: 'x', d_activity: 1 })) }] },
    ],
    ['config.constraints.mv', /Did you mean `mw`/, { ...lead, constraints: { mv: { max: 3 } } }],
    ['config.constraints.activity.min', /above `max`/, { ...lead, constraints: { activity: { min: 3, max: 1 } } }],
    [
      'config.desirability.tox',
      /none of the properties/,
      { ...lead, objective: 'mpo', desirability: { tox: { type: 'larger', low: 1, high: 2 } } },
    ],
    [
      'config.r_groups',
      /1600 options/,
      { ...lead, r_groups: many(6, () => ({ options: many(900, () => ({ d_activity: 1 })) })) },
    ],
    [
      'config.min_per_area',
      /has 1 project/,
      { model: 'pipeline_portfolio', projects: [project], budget_musd: 3, min_per_area: 2 },
    ],
    [
      'config.budget_musd',
      /below the cost/,
      { model: 'pipeline_portfolio', projects: [project], budget_musd: 0.5, min_per_area: 1 },
    ],
    [
      'config.projects[0].probability_of_success',
      /decimal/,
      { model: 'pipeline_portfolio', projects: [{ ...project, probability_of_success: 50 }], budget_musd: 3 },
    ],
    [
      'config.scaffold',
      /required where compounds/,
      { ...wilson, series: many(3, () => ({ smiles: 'CCO', activity: 1 })) },
    ],
    [
      'config.series[1].substituents',
      /`smiles` is required/,
      { ...wilson, series: [wilson.series[0], { activity: 1 }, wilson.series[2]] },
    ],
    [
      'config.series[2].substituents',
      /same sites/,
      { ...wilson, series: [...wilson.series.slice(0, 2), { substituents: { R2: 'x' }, activity: 1 }] },
    ],
    ['config.series[0].smiles', /required where there is a `scaffold`/, { ...wilson, scaffold: '[*:1]C' }],
    ['config.ridge', /at least 0/, { ...wilson, ridge: -1 }],
  ];

  it.each(refused)('%s (%s)', (field, message, config) => {
    let thrown: Json;
    try {
      checkConfig(type, config);
    } catch (error) {
      thrown = error;
    }
    expect(thrown?.code).toBe('invalid_request');
    expect(thrown.message).toMatch(message);
    expect(thrown.field).toBe(field);
  });
});

describe('the guide', () => {
  it('has a config of every model, and each has the answer that the text says', async () => {
    const configs = guideConfigs('healthcare', 'drug_discovery') as Json[];
    expect(configs.map(({ model }) => model)).toEqual(type.models.map(({ name }) => name));
    const answers = await Promise.all(configs.map((config) => solved(type, config)));
    const [rank, selection, lead, wilson, pipeline] = answers.map(({ answer }) => answer.result as Json);
    expect(rank.top5).toEqual(['ibuprofen', 'diazepam', 'aspirin']);
    expect(selection.selected.map((one: Json) => one.id)).toEqual(['A2', 'B1', 'C1']);
    expect(lead.substituents).toEqual(['phenyl', 'hydroxyl']);
    expect(wilson.best.substituents).toEqual({ R1: 'Cl', R2: 'CN' });
    expect(pipeline.selected).toEqual(['ONC-2', 'CNS-1', 'CV-1']);
  });
});

describe('the thread of RDKit', () => {
  it('tells what was thrown in it, whole', async () => {
    const context = openContext({ seed: 1, maxEvaluations: 1_000, mode: 'balanced', isOver: () => false });
    const thrown = await compute({ kind: 'descriptors', smiles: null as never }, context).catch(
      (error: unknown) => error,
    );
    await context.close();
    expect(thrown).toBeInstanceOf(Unsolved);
    const { message, cause } = thrown as Unsolved;
    expect(cause).toBeInstanceOf(TypeError);
    expect(message).toBe(`RDKit failed (${(cause as Error).message})`);
    expect((cause as Error).stack).toContain('chemistry-worker');
  });
});

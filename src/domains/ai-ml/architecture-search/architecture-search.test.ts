import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { hypervolume } from '../../../pareto/hypervolume.js';
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
import { architectureSearch as type } from './architecture-search.js';

const cases = referenceCases('ai_ml', 'architecture_search');
const SKIPPED = cases === null ? ' (no reference files beside this checkout)' : '';

const random = Rng.create(20270301);
const whole = (low: number, high: number): number => low + random.below(high - low + 1);
const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];

/** As a client sends it: the table is in it, what only describes the case is not. */
function configOf({ config, instance = '' }: ReferenceCase): Json {
  const { encoding: _encoding, ...search_space } = config['search_space'] as Json;
  const [header, ...lines] = referenceText('ai_ml', instance).trim().split('\n');
  const rows = lines.map((line) => line.split(',').map((cell, i) => (i === 0 ? cell : Number(cell))));
  const evaluator = { ...(config['evaluator'] as Json), table: { columns: header.split(','), rows } };
  return { ...config, search_space, evaluator };
}

describe.skipIf(cases === null)(`the cases of the reference${SKIPPED}`, () => {
  it('has all of them', () => {
    expect(cases?.map(({ id }) => id)).toEqual([
      'nas-macro',
      'nas-macro-1.5M',
      'nas201-cifar10-val',
      'nas-macro-pareto-params',
    ]);
  });

  const single = (cases ?? []).filter(({ expected }) => expected['front'] === undefined);

  it.each(single.map((one) => [one.id, one] as const))('%s: the best of all', async (_, one) => {
    const config = configOf(one);
    const { bestSolution, bestFitness, answer, evaluations } = await solved(type, config, { maxEvaluations: 20_000 });
    const [want, result] = [one.expected as Json, answer.result as Json];
    expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'exhaustive' });
    expect(bestFitness).toBe(want.best_value);
    expect(want.best_architectures).toContain(result.encoding);
    expect([result.rank, result.feasible, evaluations]).toEqual([1, want.feasible, want.feasible]);
    expect(bestSolution.join('')).toBe(result.encoding);
    const { rows, columns } = config.evaluator.table;
    const row = rows.find(([code]: string[]) => code === result.encoding);
    expect(row[columns.indexOf(config.evaluator.metric)]).toBe(bestFitness);
    const params = row[columns.indexOf('params')];
    if (config.constraints.max_params !== undefined) expect(params).toBeLessThanOrEqual(config.constraints.max_params);
    const names = bestSolution.map((digit) => config.search_space.choices[digit]);
    const { layers, edges } = result.architecture;
    expect(layers ?? edges.map((edge: Json) => edge.operation)).toEqual(names);
  });

  it.each(single.map((one) => [one.id, one] as const))(
    '%s: 300 evaluations',
    async (_, one) => {
      const config = configOf(one);
      const target = one.expected['top_0_1pct'] as number;
      for (const [sampler, seeds] of [
        ['auto', 11],
        ['bayesian', 3],
      ] as const) {
        const found: number[] = [];
        for (let seed = 1; seed <= seeds; seed++) {
          const { bestFitness, evaluations, answer } = await solved(
            type,
            { ...config, sampler },
            { seed, maxEvaluations: 300 },
          );
          expect(evaluations).toBe(300);
          expect(answer.optimality.status).toBe('heuristic');
          found.push(bestFitness);
        }
        expect(medianOf(found), sampler).toBeGreaterThanOrEqual(target);
      }
      // What chance finds is no match for it.
      const { bestFitness } = await solved(type, { ...config, sampler: 'random' }, { maxEvaluations: 300 });
      expect(bestFitness).toBeGreaterThan(one.expected['median'] as number);
    },
    120_000,
  );

  it('nas-macro-pareto-params: the whole front, and nearly all of it for 600 evaluations', async () => {
    const one = cases?.find(({ id }) => id === 'nas-macro-pareto-params') as ReferenceCase;
    const config = configOf(one);
    const front = one.expected['front'] as [string, number, number][];
    const whole = await solved(type, config, { maxEvaluations: 20_000 });
    const result = whole.answer.result as Json;
    const found = result.pareto.map((point: Json) => [point.encoding, point.params, point.accuracy]);
    expect(found.reverse()).toEqual(front);
    expect(result.front_size).toBe(one.expected['front_size']);
    const volume = (points: readonly (readonly [number, number])[]): number =>
      hypervolume(
        Float64Array.from(points.flatMap(([params, accuracy]) => [params, 0 - accuracy])),
        points.length,
        2,
        [2_100_000, -40],
      );
    const all = volume(front.map(([, params, accuracy]) => [params, accuracy]));
    for (const sampler of ['auto', 'bayesian']) {
      const ratios: number[] = [];
      for (let seed = 1; seed <= (sampler === 'auto' ? 11 : 1); seed++) {
        const { answer } = await solved(type, { ...config, sampler }, { seed, maxEvaluations: 600 });
        const points = (answer.result as Json).pareto.map((point: Json) => [point.params, point.accuracy]);
        ratios.push(volume(points) / all);
      }
      expect(medianOf(ratios), sampler).toBeGreaterThanOrEqual(0.98);
    }
  }, 120_000);
});

/** A table of some of the codes, with numbers by chance. */
function tableOf(places: number, base: number, share: number): { columns: string[]; rows: (string | number)[][] } {
  const rows: (string | number)[][] = [];
  for (let k = 0; k < base ** places; k++) {
    const code = many(places, (i) => Math.floor(k / base ** (places - 1 - i)) % base).join('');
    if (random.uniform() < share) rows.push([code, whole(1, 1_000), whole(1, 50), whole(1, 9)]);
  }
  return { columns: ['code', 'accuracy', 'params', 'latency_ms'], rows };
}

describe('tables', () => {
  it('the best within the limits is that of a scan (30 instances)', async () => {
    for (let k = 0; k < 30; k++) {
      const [layers, base] = [whole(2, 4), whole(2, 4)];
      const table = tableOf(layers, base, 0.8);
      if (table.rows.length === 0) continue;
      const config = {
        search_space: {
          type: k % 2 === 0 ? 'macro' : 'cell',
          [k % 2 === 0 ? 'layers' : 'edges']: layers,
          choices: many(base, (i) => `op${i}`),
        },
        evaluator: { type: 'tabular', metric: 'accuracy', table },
        objective: ['maximize_accuracy', 'minimize_latency', 'minimize_params'][k % 3],
        constraints: { max_params: whole(1, 50), ...(k % 4 === 0 ? { max_latency_ms: whole(1, 9) } : {}) } as Json,
        sampler: ['auto', 'exhaustive', 'random', 'regularized_evolution', 'bayesian'][k % 5],
      };
      const { max_params, max_latency_ms = Infinity } = config.constraints;
      const kept = table.rows.filter(
        ([, , params, latency]) => Number(params) <= max_params && Number(latency) <= max_latency_ms,
      );
      const outcome = (await solveConfig(type, config)) as Json;
      if (kept.length === 0) {
        expect(outcome.error.code).toBe('infeasible');
        continue;
      }
      const column = [1, 3, 2][k % 3];
      const values = kept.map((row) => Number(row[column]));
      expect(outcome.bestFitness).toBe(k % 3 === 0 ? Math.max(...values) : Math.min(...values));
      // Every sampler comes to value all of so few, each once.
      expect(outcome.evaluations).toBe(kept.length);
      expect(outcome.answer.optimality.status).toBe('optimal');
      expect(outcome.answer.result.rank).toBe(1);
    }
  });

  it('the front has exactly those that no other one beats (20 instances)', async () => {
    for (let k = 0; k < 20; k++) {
      const table = tableOf(3, 3, 0.9);
      const { answer } = await solved(type, {
        search_space: { type: 'macro', layers: 3, choices: ['a', 'b', 'c'] },
        evaluator: { type: 'tabular', metric: 'accuracy', table },
        objectives: ['minimize_latency', 'maximize_accuracy', 'minimize_params'],
      });
      const wanted = (row: (string | number)[]): number[] => [-Number(row[3]), Number(row[1]), -Number(row[2])];
      const isBeaten = (row: (string | number)[]): boolean =>
        table.rows.some((other) => {
          const [a, b] = [wanted(other), wanted(row)];
          return a.every((value, i) => value >= b[i]) && a.some((value, i) => value > b[i]);
        });
      const best = new Set(table.rows.filter((row) => !isBeaten(row)).map((row) => wanted(row).join()));
      const found = (answer.result as Json).pareto.map((p: Json) => [-p.latency_ms, p.accuracy, -p.params].join());
      expect(new Set(found)).toEqual(best);
      expect(found).toHaveLength(best.size);
    }
  });

  it('gives equal bits for equal seeds, and says that a budget was too small for all', async () => {
    const table = tableOf(5, 4, 1);
    const config = {
      search_space: { type: 'macro', layers: 5, choices: ['a', 'b', 'c', 'd'] },
      evaluator: { type: 'tabular', metric: 'accuracy', table },
    };
    for (const sampler of ['regularized_evolution', 'bayesian', 'random', 'exhaustive']) {
      const run = async (seed: number): Promise<Json> =>
        (await solved(type, { ...config, sampler }, { seed, maxEvaluations: 80 })).answer.result;
      expect(await run(3)).toEqual(await run(3));
    }
    const { answer } = await solved(type, { ...config, sampler: 'exhaustive' }, { maxEvaluations: 80 });
    expect(answer.optimality.status).toBe('heuristic');
    expect(answer.warnings.map(({ code }) => code)).toContain('not_all_valued');
    const rank = 1 + table.rows.filter(([, accuracy]) => Number(accuracy) > Number(answer.result['accuracy'])).length;
    expect(answer.result['rank']).toBe(rank);
  });

  it('names the limit that nothing keeps', async () => {
    const config = {
      search_space: { type: 'macro', layers: 2, choices: ['a', 'b'] },
      evaluator: {
        type: 'tabular',
        metric: 'accuracy',
        table: {
          columns: ['code', 'accuracy', 'params', 'flops'],
          rows: [
            ['00', 1, 10, 20],
            ['01', 2, 20, 10],
          ],
        },
      },
    };
    const alone = await solveConfig(type, { ...config, constraints: { max_params: 5, max_flops: 100 } });
    expect(alone).toMatchObject({ error: { code: 'infeasible', conflict: ['max_params'] } });
    const both = await solveConfig(type, { ...config, constraints: { max_params: 15, max_flops: 15 } });
    expect(both).toMatchObject({ error: { code: 'infeasible', conflict: ['max_params', 'max_flops'] } });
  });

  it('takes the largest table, by every sampler', async () => {
    const rows = many(50_000, (i) => [i.toString(6).padStart(7, '0'), (i * 7_919) % 50_021]);
    const config = {
      search_space: { type: 'cell', edges: 7, choices: many(6, (i) => `op${i}`) },
      evaluator: { type: 'tabular', metric: 'score', table: { columns: ['code', 'score'], rows } },
    };
    const best = rows.reduce((a, [, score]) => Math.max(a, Number(score)), 0);
    expect((await solved(type, config, { maxEvaluations: 100_000 })).bestFitness).toBe(best);
    for (const sampler of ['regularized_evolution', 'random', 'bayesian'])
      expect((await solved(type, { ...config, sampler }, { maxEvaluations: 2_000 })).evaluations).toBe(2_000);
  }, 120_000);
});

describe('training', () => {
  const iris = { type: 'train', dataset: 'iris', epochs: 10, batch: 16, learning_rate: 0.02 };

  it('finds a network for digits that is accurate and smaller than the largest', async () => {
    const space = { type: 'mlp', layers: { min: 1, max: 2 }, units: [16, 64, 128], activations: ['relu'] };
    const config = {
      search_space: space,
      evaluator: { type: 'train', dataset: 'digits', epochs: 20 },
      objectives: ['maximize_accuracy', 'minimize_params'],
      constraints: { max_params: 10_000 },
    };
    const runs = [];
    for (const seed of [1, 2, 3]) runs.push(await solved(type, config, { seed }));
    expect(medianOf(runs.map(({ bestFitness }) => bestFitness))).toBeGreaterThanOrEqual(0.96);
    const result = runs[1].answer.result as Json;
    const size = (...hidden: number[]): number =>
      [...hidden, 10].reduce((sum, units, l) => sum + units * ((l === 0 ? 64 : hidden[l - 1]) + 1), 0);
    expect(result.params).toBe(size(...result.architecture.hidden_units));
    expect(result.params).toBeLessThan(size(128, 128));
    const all = [16, 64, 128].flatMap((a) => [[a], ...[16, 64, 128].map((b) => [a, b])]);
    expect(result.feasible).toBe(all.filter((hidden) => size(...hidden) <= 10_000).length);
    expect(result.pareto.length).toBeGreaterThan(1);
  }, 120_000);

  it('the best of a space is the best of its networks, each searched alone (20 networks)', async () => {
    const space = {
      type: 'mlp',
      layers: { min: 0, max: 2 },
      units: [3, 6],
      activations: ['relu', 'tanh'],
      dropout: [0, 0.2],
    };
    const whole = await solved(type, { search_space: space, evaluator: iris }, { seed: 4 });
    const found: number[] = [];
    for (const layers of [0, 1, 2]) {
      for (const units of layers === 0 ? [[3]] : layers === 1 ? [[3], [6]] : [[3], [6]]) {
        for (const activation of layers === 0 ? ['relu'] : ['relu', 'tanh']) {
          for (const dropout of layers === 0 ? [0] : [0, 0.2]) {
            const alone = {
              ...space,
              layers: { min: layers, max: layers },
              units,
              activations: [activation],
              dropout: [dropout],
            };
            const { bestFitness, evaluations } = await solved(
              type,
              { search_space: alone, evaluator: iris },
              { seed: 4 },
            );
            expect(evaluations).toBe(1);
            found.push(bestFitness);
          }
        }
      }
    }
    // 1 without a layer, 2 * 4 of one, 4 * 4 of two, of which 2 * 4 have layers of equal size.
    expect(whole.evaluations).toBe(25);
    expect(found).toHaveLength(17);
    expect(whole.bestFitness).toBeGreaterThanOrEqual(Math.max(...found));
    const { encoding, history } = whole.answer.result as Json;
    expect(history.at(-1)).toMatchObject({ encoding, best_value: whole.bestFitness });
  }, 60_000);

  it('keeps within limits in spaces that are too large to list, and takes folds and numbers', async () => {
    const space = {
      type: 'mlp',
      layers: { min: 1, max: 6 },
      units: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      activations: ['relu', 'tanh', 'sigmoid'],
    };
    for (const sampler of ['regularized_evolution', 'random', 'bayesian', 'exhaustive']) {
      const { answer, evaluations } = await solved(
        type,
        {
          search_space: space,
          evaluator: { ...iris, epochs: 1 },
          constraints: { max_params: 120, max_flops: 200 },
          sampler,
        },
        { maxEvaluations: 70 },
      );
      expect(evaluations).toBe(70);
      expect(answer.result['params']).toBeLessThanOrEqual(120);
      expect(answer.result['flops']).toBeLessThanOrEqual(200);
    }
    const { bestFitness, answer } = await solved(type, {
      search_space: { type: 'mlp', layers: { min: 0, max: 1 }, units: [8], activations: ['relu'] },
      evaluator: { type: 'train', dataset: 'diabetes', epochs: 40, learning_rate: 0.01, validation: { folds: 5 } },
    });
    // Least squares reaches 0.48 on these folds.
    expect(bestFitness).toBeGreaterThan(0.35);
    expect(bestFitness).toBeLessThan(0.6);
    expect(answer.assumptions.map(({ code }) => code)).toContain('r2_is_accuracy');
    const small = await solveConfig(type, { search_space: space, evaluator: iris, constraints: { max_params: 10 } });
    expect(small).toMatchObject({ error: { code: 'infeasible', conflict: ['max_params'] } });
  }, 60_000);

  it('returns the best so far when its time is up in the middle of a training', async () => {
    let asked = 0;
    const config = {
      search_space: { type: 'mlp', layers: { min: 1, max: 2 }, units: [8, 16, 32], activations: ['relu'] },
      evaluator: iris,
    };
    const { evaluations, answer, termination } = await solved(type, config, { isOver: () => ++asked > 150 });
    expect(evaluations).toBeGreaterThanOrEqual(1);
    expect(evaluations).toBeLessThan(12);
    expect(answer.optimality.status).toBe('heuristic');
    expect(termination).toBe('timeout');
  });
});

describe('configs that are refused', () => {
  const table = {
    columns: ['code', 'acc', 'params'],
    rows: [
      ['00', 1, 2],
      ['01', 2, 3],
    ],
  };
  const tabular = {
    search_space: { type: 'macro', layers: 2, choices: ['a', 'b'] },
    evaluator: { type: 'tabular', metric: 'acc', table },
  };
  const trained = {
    search_space: { type: 'mlp', layers: { min: 1, max: 2 }, units: [8], activations: ['relu'] },
    evaluator: { type: 'train', dataset: 'iris' },
  };
  const withTable = (more: Json): Json => ({
    ...tabular,
    evaluator: { ...tabular.evaluator, table: { ...table, ...more } },
  });
  const withSpace = (more: Json): Json => ({ ...trained, search_space: { ...trained.search_space, ...more } });
  const withTraining = (more: Json): Json => ({ ...trained, evaluator: { ...trained.evaluator, ...more } });
  const refused: [string, RegExp, Json][] = [
    [
      'config.search_space.type',
      /one of|forms/,
      { ...tabular, search_space: { type: 'chain', layers: 2, choices: ['a', 'b'] } },
    ],
    [
      'config.search_space.choices[1]',
      /already/,
      { ...tabular, search_space: { type: 'macro', layers: 2, choices: ['a', 'a'] } },
    ],
    ['config.search_space.layers.min', /above `max`/, withSpace({ layers: { min: 3, max: 2 } })],
    ['config.search_space.units[1]', /already/, withSpace({ units: [8, 8] })],
    ['config.search_space.units[0]', /at most 1024/, withSpace({ units: [5_000] })],
    ['config.search_space.activations[0]', /one of/, withSpace({ activations: ['gelu'] })],
    ['config.search_space.dropout[0]', /at most 0.9/, withSpace({ dropout: [1] })],
    ['config.evaluator.type', /macro.*cell/, { ...trained, evaluator: tabular.evaluator }],
    ['config.evaluator.type', /type "mlp"/, { ...tabular, evaluator: trained.evaluator }],
    ['config.evaluator.metric', /no column/, { ...tabular, evaluator: { ...tabular.evaluator, metric: 'accuracy' } }],
    ['config.evaluator.metric', /no column/, { ...tabular, evaluator: { ...tabular.evaluator, metric: 'code' } }],
    ['config.evaluator.table.columns[2]', /already/, withTable({ columns: ['code', 'acc', 'acc'] })],
    ['config.evaluator.table.rows', /1 to 50000/, withTable({ rows: [] })],
    [
      'config.evaluator.table.rows[1]',
      /3 values/,
      withTable({
        rows: [
          ['00', 1, 2],
          ['01', 1],
        ],
      }),
    ],
    ['config.evaluator.table.rows[0][0]', /text of digits/, withTable({ rows: [[0, 1, 2]] })],
    ['config.evaluator.table.rows[0][0]', /2 digits, not 3/, withTable({ rows: [['000', 1, 2]] })],
    ['config.evaluator.table.rows[0][0]', /0 to 1/, withTable({ rows: [['02', 1, 2]] })],
    [
      'config.evaluator.table.rows[1][0]',
      /row 0 has the code/,
      withTable({
        rows: [
          ['00', 1, 2],
          ['00', 1, 2],
        ],
      }),
    ],
    ['config.evaluator.table.rows[0][1]', /must be a number/, withTable({ rows: [['00', 'high', 2]] })],
    ['config.evaluator.dataset', /one of/, withTraining({ dataset: 'mnist' })],
    [
      'config.evaluator.epochs',
      /operations to train/,
      {
        ...withTraining({ dataset: 'digits', epochs: 500 }),
        search_space: { ...trained.search_space, units: [1_024] },
      },
    ],
    ['config.evaluator.validation.folds', /beside `holdout`/, withTraining({ validation: { holdout: 0.2, folds: 5 } })],
    ['config.evaluator.validation.holdout', /at most 0.9/, withTraining({ validation: { holdout: 20 } })],
    [
      'config.objectives',
      /beside `objective`/,
      { ...tabular, objective: 'minimize_params', objectives: ['maximize_accuracy', 'minimize_params'] },
    ],
    ['config.objectives[1]', /already/, { ...tabular, objectives: ['minimize_params', 'minimize_params'] }],
    ['config.objective', /`latency_ms`.*timed/, { ...trained, objective: 'minimize_latency' }],
    ['config.objective', /column `flops`/, { ...tabular, objective: 'minimize_flops' }],
    ['config.constraints.max_latency_ms', /column `latency_ms`/, { ...tabular, constraints: { max_latency_ms: 3 } }],
    ['config.constraints.max_param', /Did you mean `max_params`/, { ...tabular, constraints: { max_param: 3 } }],
    ['config.sampler', /one of/, { ...tabular, sampler: 'grid' }],
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
  it('has configs with the answers that the text says', async () => {
    const [tabular, trained] = guideConfigs('ai_ml', 'architecture_search') as Json[];
    const first = await solved(type, tabular);
    expect([first.answer.result['encoding'], first.bestFitness]).toEqual(['21', 91.4]);
    const second = await solved(type, trained);
    expect(second.answer.statements[0]?.text).toMatch(/^64 - 64 units/);
    expect(second.bestFitness).toBeCloseTo(0.95, 2);
    expect((second.answer.result as Json).pareto.length).toBeGreaterThan(1);
  }, 60_000);
});

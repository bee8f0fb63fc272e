import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import {
  guideConfigs,
  hasReference,
  referenceCases,
  referenceText,
  solveConfig,
  solved,
  type ReferenceCase,
} from '../../../../test/support/problems.js';
import { hyperparameterTuning as type } from './hyperparameter-tuning.js';

type Result = {
  best_params: Record<string, number | string>;
  best_value: number;
  trials: { params: Record<string, number | string>; value: number | null; resource?: number }[];
  importance: Record<string, { share: number; low: number; high: number }> | null;
  pareto: Record<string, number>[] | null;
  [name: string]: unknown;
};

const resultOf = ({ answer }: { answer: { result: unknown } }): Result => answer.result as Result;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The config of a case with the rows of its table. */
function configOf({ config, instance }: ReferenceCase): Record<string, unknown> {
  if (instance === undefined) return config;
  const [header, ...lines] = referenceText('ai_ml', instance).trim().split('\n');
  const evaluator = {
    ...(config['evaluator'] as object),
    columns: header.split(','),
    rows: lines.map((line) => line.split(',').map(Number)),
  };
  return { ...config, evaluator };
}

const cases = new Map((referenceCases('ai_ml', 'hyperparameter_tuning') ?? []).map((one) => [one.id, one]));

const caseOf = (id: string): ReferenceCase => {
  const found = cases.get(id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
};

describe.skipIf(!hasReference)('reference cases', () => {
  it('knows every case', () => {
    expect([...cases.keys()]).toEqual([
      'lda-on-grid',
      'svm-on-grid',
      'knn-loo-iris',
      'knn-loo-wine',
      'ridge-loo-diabetes',
      'logistic-cv5-breast_cancer',
    ]);
  });

  it.each(['lda-on-grid', 'svm-on-grid'])('%s: the whole table, and the best row of it', async (id) => {
    const one = caseOf(id);
    const run = await solved(type, configOf(one), { maxEvaluations: 1_400 });
    const { best, best_value, configurations } = one.expected;
    expect(resultOf(run).best_params).toEqual(best);
    expect(run.bestFitness).toBe(best_value);
    expect(run.evaluations).toBe(configurations);
    expect(run.answer.optimality).toMatchObject({ status: 'optimal', proof: 'exhaustive', gap: 0 });
  });

  // Medians of random search over 11 seeds: 1268.07 and 0.2432.
  it.each([
    ['lda-on-grid', 'auto', 1268.07],
    ['svm-on-grid', 'auto', 0.2432],
    ['lda-on-grid', 'tpe', 1268.07],
    ['svm-on-grid', 'tpe', 0.2432],
  ])('%s: 60 evaluations by %s beat a random search', async (id, sampler, random) => {
    const one = caseOf(id);
    const found: number[] = [];
    for (let seed = 1; seed <= 11; seed++) {
      const run = await solved(type, { ...configOf(one), sampler }, { maxEvaluations: 60, seed });
      expect(run.evaluations).toBeLessThanOrEqual(60);
      found.push(run.bestFitness);
    }
    expect(median(found)).toBeLessThanOrEqual(one.expected['quantile_1pct'] as number);
    expect(median(found)).toBeLessThan(random);
  });

  it.each(['knn-loo-iris', 'knn-loo-wine'])('%s: as many are right, at the same settings', async (id) => {
    const { config, expected } = caseOf(id);
    const run = await solved(type, config);
    const { n, correct, optimal_settings } = expected as { n: number; correct: number; optimal_settings: object[] };
    expect(run.bestFitness * n).toBeCloseTo(correct, 9);
    const best = resultOf(run).trials.filter(({ value }) => value === run.bestFitness);
    const byName = (settings: readonly object[]): string[] => settings.map((each) => JSON.stringify(each)).sort();
    expect(byName(best.map(({ params }) => params))).toEqual(byName(optimal_settings));
    expect(run.answer.optimality.status).toBe('optimal');
  });

  it('ridge-loo-diabetes: the least error, and the penalty that has it', async () => {
    const { config, expected } = caseOf('ridge-loo-diabetes');
    const run = await solved(type, config, { maxEvaluations: 60 });
    const { best_value, alpha } = expected as { best_value: number; alpha: number };
    expect(Math.abs(run.bestFitness / best_value - 1)).toBeLessThan(1e-6);
    expect(Math.abs(run.bestSolution[0] / alpha - 1)).toBeLessThan(0.02);
  });

  it('logistic-cv5-breast_cancer: the least log-loss, and the penalty that has it', async () => {
    const { config, expected } = caseOf('logistic-cv5-breast_cancer');
    const run = await solved(type, config, { maxEvaluations: 30 });
    const { best_value, l2 } = expected as { best_value: number; l2: number };
    expect(Math.abs(run.bestFitness / best_value - 1)).toBeLessThan(1e-4);
    expect(Math.abs(run.bestSolution[0] / l2 - 1)).toBeLessThan(0.1);
  });
});

describe('the guide', () => {
  const [ridge, table] = guideConfigs('ai_ml', 'hyperparameter_tuning');

  it('tunes ridge regression as it says', async () => {
    const run = await solved(type, ridge, { maxEvaluations: 60 });
    expect(run.bestFitness).toBeCloseTo(2999.77, 2);
    expect(run.bestSolution[0]).toBeCloseTo(1.83, 1);
  });

  it('finds the best row of the table, and what explains it', async () => {
    const run = await solved(type, table);
    expect(resultOf(run)).toMatchObject({ best_params: { optimizer: 'adam', rate: 0.001 }, best_value: 0.16 });
    const { importance } = resultOf(run);
    expect(importance?.['rate'].share).toBeCloseTo(0.17, 2);
    expect(importance?.['optimizer'].share).toBeCloseTo(0.01, 2);
  });
});

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

/** A table over a space with a condition, values of some settings twice, and some missing. */
function randomTable(seed: number) {
  const rng = Rng.create(seed);
  const rates = [0.001, 0.01, 0.1, 1].slice(0, 2 + rng.below(3));
  const rows: (string | number)[][] = [];
  for (const kind of ['plain', 'momentum']) {
    for (const rate of rates) {
      for (const layers of [1, 2, 3, 4, 5]) {
        for (const beta of [0.5, 0.9]) {
          if (kind === 'plain' && beta === 0.9) continue;
          if (rng.uniform() < 0.1) continue;
          rows.push([kind, rate, layers, beta, rng.below(1000) / 1000, rng.below(50)]);
        }
      }
    }
  }
  const config = {
    search_space: {
      beta: { type: 'ordinal', values: [0.5, 0.9], condition: { param: 'kind', in: ['momentum'] } },
      kind: { type: 'categorical', choices: ['plain', 'momentum'] },
      rate: { type: 'float', low: 0.001, high: 1, log: true },
      layers: { type: 'int', low: 1, high: 4 },
    },
    evaluator: { type: 'tabular', metric: 'error', columns: ['kind', 'rate', 'layers', 'beta', 'error', 'size'], rows },
  };
  return { config, rows: rows.filter((row) => (row[2] as number) <= 4) };
}

describe('tables', () => {
  it.each(SEEDS)('the least error of the rows in the space (seed %i)', async (seed) => {
    const { config, rows } = randomTable(seed);
    const run = await solved(type, config);
    expect(run.bestFitness).toBe(Math.min(...rows.map((row) => row[4] as number)));
    expect(run.evaluations).toBe(rows.length);
    expect(run.answer.optimality).toMatchObject({ status: 'optimal', proof: 'exhaustive' });
    const { best_params } = resultOf(run);
    expect('beta' in best_params).toBe(best_params['kind'] === 'momentum');
    const most = await solved(type, { ...config, direction: 'maximize' });
    expect(most.bestFitness).toBe(Math.max(...rows.map((row) => row[4] as number)));
  });

  it.each(SEEDS)('the front of error and size, with a small budget a part of it (seed %i)', async (seed) => {
    const { config, rows } = randomTable(seed);
    const run = await solved(type, { ...config, objectives: ['error', { metric: 'size', direction: 'maximize' }] });
    const pairs = rows.map((row) => [row[4] as number, row[5] as number] as const);
    const front = pairs.filter(
      ([error, size]) => !pairs.some(([e, s]) => e <= error && s >= size && (e < error || s > size)),
    );
    const distinct = [...new Set(front.map(([error, size]) => `${error} ${size}`))].sort();
    const own = resultOf(run).pareto?.map(({ error, size }) => `${error} ${size}`);
    expect(own?.toSorted()).toEqual(distinct);
    const few = await solved(
      type,
      { ...config, objectives: ['error', { metric: 'size', direction: 'maximize' }] },
      { maxEvaluations: 15, seed },
    );
    expect(few.evaluations).toBe(15);
    expect(few.method).toBe('tree_parzen_estimator');
  });

  it.each(['random', 'tpe', 'gp', 'cmaes', 'grid'])(
    '%s keeps its budget, and gets everything from a large one',
    async (sampler) => {
      const { config, rows } = randomTable(3);
      const few = await solved(type, { ...config, sampler }, { maxEvaluations: 9 });
      expect(few.evaluations).toBe(9);
      expect(few.answer.optimality.status).toBe('heuristic');
      const all = await solved(type, { ...config, sampler }, { maxEvaluations: 500 });
      expect(all.evaluations).toBe(rows.length);
      expect(all.answer.optimality.status).toBe('optimal');
    },
  );

  it('halves: what is best with little goes on', async () => {
    const rows = Array.from({ length: 27 }, (_, a) =>
      [1, 3, 9].map((epochs) => [a, epochs, (a - 13) ** 2 + 9 / epochs]),
    ).flat();
    const config = {
      search_space: { a: { type: 'int', low: 0, high: 26 } },
      evaluator: { type: 'tabular', metric: 'loss', columns: ['a', 'epochs', 'loss'], rows },
      multi_fidelity: { resource: 'epochs', min: 1, max: 9, eta: 3 },
    };
    const run = await solved(type, config, { maxEvaluations: 39 });
    expect(run.bestSolution).toEqual([13]);
    expect(run.bestFitness).toBe(1);
    const { trials } = resultOf(run);
    expect([1, 3, undefined].map((level) => trials.filter(({ resource }) => resource === level).length)).toEqual([
      27, 9, 3,
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('halving a table of few settings ends (budget %i)', async (maxEvaluations) => {
    for (const settings of [1, 2, 4]) {
      const rows = Array.from({ length: settings }, (_, a) =>
        [1, 3, 9].map((epochs) => [a, epochs, a + epochs]),
      ).flat();
      const config = {
        search_space: { a: { type: 'int', low: 0, high: 9 } },
        evaluator: { type: 'tabular', metric: 'loss', columns: ['a', 'epochs', 'loss'], rows },
        multi_fidelity: { resource: 'epochs', min: 1, max: 9, eta: 3 },
      };
      const run = await solved(type, config, { maxEvaluations });
      expect(run.evaluations).toBeLessThanOrEqual(maxEvaluations);
      expect(run.bestFitness).toBe(run.bestSolution[0] + 9);
    }
  });

  it('the mean of equal settings counts', async () => {
    const config = {
      search_space: { a: { type: 'ordinal', values: [1, 2] } },
      evaluator: {
        type: 'tabular',
        metric: 'loss',
        columns: ['a', 'loss'],
        rows: [
          [1, 0],
          [2, 3],
          [1, 8],
        ],
      },
    };
    const run = await solved(type, config);
    expect(run.bestSolution).toEqual([1]);
    expect(run.bestFitness).toBe(3);
    expect(run.answer.warnings.map(({ code }) => code)).toEqual(['rows_repeated']);
  });

  it('a table without a row in the space has no solution', async () => {
    const config = {
      search_space: { a: { type: 'ordinal', values: [1, 2] } },
      evaluator: { type: 'tabular', metric: 'loss', columns: ['a', 'loss'], rows: [[7, 0]] },
    };
    expect(await solveConfig(type, config)).toMatchObject({ error: { code: 'infeasible' } });
  });
});

describe('importance', () => {
  it('of a whole grid is that of the analysis of variance', async () => {
    const rows = [0, 1, 2, 3].flatMap((a) => [0, 1, 2].map((b) => [a, b, 3 * a + b * b]));
    const config = {
      search_space: { a: { type: 'int', low: 0, high: 3 }, b: { type: 'int', low: 0, high: 2 } },
      evaluator: { type: 'tabular', metric: 'loss', columns: ['a', 'b', 'loss'], rows },
    };
    const { importance } = resultOf(await solved(type, config));
    // Variances of 0 3 6 9 and of 0 1 4, which add up.
    const [a, b] = [11.25, 26 / 9];
    expect(importance?.['a'].share).toBeCloseTo(a / (a + b), 12);
    expect(importance?.['b'].share).toBeCloseTo(b / (a + b), 12);
  });

  it('of a part of the settings is near that, within an interval', async () => {
    const rows = Array.from({ length: 30 }, (_, a) => Array.from({ length: 30 }, (__, b) => [a, b, 3 * a + b])).flat();
    const config = {
      search_space: { a: { type: 'int', low: 0, high: 29 }, b: { type: 'int', low: 0, high: 29 } },
      evaluator: { type: 'tabular', metric: 'loss', columns: ['a', 'b', 'loss'], rows },
      sampler: 'random',
    };
    const { importance } = resultOf(await solved(type, config, { maxEvaluations: 200 }));
    const { share, low, high } = importance?.['a'] ?? { share: NaN, low: NaN, high: NaN };
    expect(Math.abs(share - 0.9)).toBeLessThan(0.1);
    expect(low).toBeLessThanOrEqual(share);
    expect(high).toBeGreaterThanOrEqual(share);
    expect(importance?.['b'].share).toBeLessThan(0.2);
  });
});

describe('learners', () => {
  const base = { type: 'builtin', model: 'decision_tree', dataset: { name: 'iris' } };
  const depth = { max_depth: { type: 'int', low: 1, high: 6 } };

  it('has the spread over folds, the defaults, and rows that the search never saw', async () => {
    const evaluator = { ...base, validation: { folds: 4, holdout: 0.2 } };
    const run = await solved(type, { search_space: depth, evaluator });
    const result = resultOf(run);
    expect(result['test_value']).toBeGreaterThan(0.8);
    // 30 rows are kept apart.
    expect(
      Math.abs((result['test_value'] as number) * 30 - Math.round((result['test_value'] as number) * 30)),
    ).toBeLessThan(1e-9);
    expect(Math.abs(run.bestFitness * 120 - Math.round(run.bestFitness * 120))).toBeLessThan(1e-9);
    expect(result['cv_mean']).toBeCloseTo(run.bestFitness, 9);
    expect(result['cv_std']).toBeGreaterThan(0);
    expect(result['baseline']).toMatchObject({ params: { max_depth: 50, min_samples_leaf: 1 } });
  });

  it('stops at the target, and out of patience', async () => {
    const space = { ...depth, min_samples_leaf: { type: 'int', low: 1, high: 40 } };
    const at = await solved(type, { search_space: space, evaluator: base, target: 0.9, sampler: 'random' });
    expect(resultOf(at)['ended_by']).toBe('target');
    expect(at.bestFitness).toBeGreaterThanOrEqual(0.9);
    expect(at.evaluations).toBeLessThan(50);
    const out = await solved(type, { search_space: space, evaluator: base, patience: 5, sampler: 'random' });
    expect(resultOf(out)['ended_by']).toBe('patience');
    const { trials } = resultOf(out);
    const best = trials.findIndex(({ value }) => value === out.bestFitness);
    expect(trials).toHaveLength(best + 1 + 5);
  });

  it('halves by rows and by rounds', async () => {
    const space = { learning_rate: { type: 'float', low: 0.01, high: 1, log: true } };
    const evaluator = { type: 'builtin', model: 'gradient_boosting', dataset: { name: 'iris' }, metric: 'log_loss' };
    for (const [resource, min, max] of [
      ['trees', 2, 18],
      ['rows', 0.2, 1],
    ] as const) {
      const config = { search_space: space, evaluator, multi_fidelity: { resource, min, max } };
      const run = await solved(type, config, { maxEvaluations: 13 });
      const { trials } = resultOf(run);
      expect(run.evaluations).toBe(13);
      expect(trials.filter(({ resource: part }) => part === undefined).length).toBeGreaterThan(0);
      expect(run.method).toBe('successive_halving');
    }
  });

  it('several metrics at once, none of the front beaten', async () => {
    const evaluator = { type: 'builtin', model: 'decision_tree', dataset: { name: 'wine' } };
    const space = { ...depth, min_samples_leaf: { type: 'int', low: 1, high: 40 } };
    const run = await solved(
      type,
      { search_space: space, evaluator, objectives: ['accuracy', 'log_loss'] },
      { maxEvaluations: 40 },
    );
    const front = resultOf(run).pareto ?? [];
    for (const one of front) {
      for (const other of front) {
        expect(other['accuracy'] >= one['accuracy'] && other['log_loss'] < one['log_loss']).toBe(false);
      }
    }
    expect(run.bestFitness).toBe(Math.max(...front.map(({ accuracy }) => accuracy)));
  });

  it.each([
    'knn',
    'ridge',
    'logistic_regression',
    'svm_rbf',
    'decision_tree',
    'random_forest',
    'gradient_boosting',
    'mlp',
  ])('%s: tunes on data of your own, with the same bits again', async (name) => {
    const rng = Rng.create(5);
    const features = Array.from({ length: 60 }, () => [rng.normal(), rng.normal(), rng.normal()]);
    const isNumber = name === 'ridge';
    const target = features.map(([a, b]) => (isNumber ? 2 * a - b : a * b > 0 ? 7 : 3));
    const spaces: Record<string, object> = {
      knn: { k: { type: 'int', low: 1, high: 20, log: true } },
      ridge: { alpha: { type: 'float', low: 1e-3, high: 1e3, log: true } },
      logistic_regression: { l2: { type: 'float', low: 1e-3, high: 1e3, log: true } },
      svm_rbf: {
        c: { type: 'float', low: 0.01, high: 100, log: true },
        gamma: { type: 'float', low: 0.01, high: 10, log: true },
      },
      decision_tree: depth,
      random_forest: {
        max_features: { type: 'float', low: 0.3, high: 1 },
        trees: { type: 'ordinal', values: [5, 20] },
      },
      gradient_boosting: {
        learning_rate: { type: 'float', low: 0.05, high: 1, log: true },
        trees: { type: 'int', low: 5, high: 30 },
      },
      mlp: { units: { type: 'ordinal', values: [4, 16] }, epochs: { type: 'int', low: 5, high: 20, step: 5 } },
    };
    const config = {
      search_space: spaces[name],
      evaluator: { type: 'builtin', model: name, dataset: { features, target }, validation: { folds: 3, repeats: 2 } },
    };
    const run = await solved(type, config, { maxEvaluations: 12 });
    const again = await solved(type, config, { maxEvaluations: 12 });
    expect(resultOf(again)).toEqual(resultOf(run));
    if (['svm_rbf', 'random_forest', 'gradient_boosting', 'decision_tree', 'knn'].includes(name)) {
      expect(run.bestFitness).toBeGreaterThan(0.7);
    }
  });

  it('answers with its best once its time is up', async () => {
    let asked = 0;
    const evaluator = { type: 'builtin', model: 'gradient_boosting', dataset: { name: 'diabetes' } };
    const space = { learning_rate: { type: 'float', low: 0.05, high: 1, log: true } };
    const isOver = (): boolean => ++asked > 20_000;
    const run = await solved(type, { search_space: space, evaluator }, { isOver });
    expect(run.termination).toBe('timeout');
    expect(run.evaluations).toBeGreaterThan(0);
  });
});

describe('refuses', () => {
  const space = { k: { type: 'int', low: 1, high: 30 } };
  const knn = { type: 'builtin', model: 'knn', dataset: { name: 'iris' } };
  const table = {
    type: 'tabular',
    metric: 'loss',
    columns: ['k', 'loss'],
    rows: [
      [1, 2],
      [2, 3],
    ],
  };
  const over = (config: object): object => ({ search_space: space, evaluator: knn, ...config });

  it.each([
    ['config.search_space', over({ search_space: {} })],
    ['config.evaluator.dataset.name', over({ evaluator: { type: 'builtin', model: 'knn', dataset: {} } })],
    ['config.search_space.k.high', over({ search_space: { k: { type: 'int', low: 5, high: 1 } } })],
    ['config.search_space.k.low', over({ search_space: { k: { type: 'int', low: 0, high: 3, log: true } } })],
    ['config.search_space.k.low', over({ search_space: { k: { type: 'int', low: -2, high: 3 } } })],
    ['config.search_space.k.type', over({ search_space: { k: { type: 'float', low: 1, high: 3 } } })],
    ['config.search_space.neighbours', over({ search_space: { neighbours: space.k } })],
    [
      'config.search_space.weights.choices[1]',
      over({ search_space: { weights: { type: 'categorical', choices: ['uniform', 'far'] } } }),
    ],
    ['config.search_space.weights.type', over({ search_space: { weights: { type: 'int', low: 0, high: 1 } } })],
    [
      'config.search_space.weights.choices[1]',
      over({ search_space: { weights: { type: 'categorical', choices: ['uniform', 'uniform'] } } }),
    ],
    [
      'config.search_space.k.condition.param',
      over({ search_space: { k: { ...space.k, condition: { param: 'kk', in: [1] } } } }),
    ],
    [
      'config.search_space.k.condition.param',
      over({ search_space: { k: { ...space.k, condition: { param: 'k', in: [1] } } } }),
    ],
    [
      'config.search_space.k.condition.in[0]',
      over({
        search_space: {
          k: { ...space.k, condition: { param: 'weights', in: ['none'] } },
          weights: { type: 'categorical', choices: ['uniform', 'distance'] },
        },
      }),
    ],
    ['config.search_space.k.step', over({ search_space: { k: { ...space.k, log: true, step: 2 } } })],
    ['config.evaluator.type', over({ evaluator: { type: 'function', objective_function_id: 'f' } })],
    ['config.evaluator.metric', over({ evaluator: { ...knn, metric: 'mse' } })],
    [
      'config.evaluator.metric',
      over({
        search_space: { c: { type: 'float', low: 1, high: 2 } },
        evaluator: { ...knn, model: 'svm_rbf', metric: 'log_loss' },
      }),
    ],
    ['config.evaluator.model', over({ evaluator: { ...knn, model: 'ridge', metric: 'accuracy' } })],
    ['config.evaluator.dataset.name', over({ evaluator: { ...knn, dataset: { name: 'irises' } } })],
    [
      'config.evaluator.dataset.name',
      over({ evaluator: { ...knn, dataset: { name: 'diabetes' }, metric: 'accuracy' } }),
    ],
    [
      'config.evaluator.dataset.target',
      over({ evaluator: { ...knn, dataset: { features: [[1], [2], [3], [4]], target: [1, 2, 3, 4, 5] } } }),
    ],
    [
      'config.evaluator.dataset.target',
      over({ evaluator: { ...knn, metric: 'f1', dataset: { features: [[1], [2], [3], [4]], target: [1, 1, 1, 1] } } }),
    ],
    ['config.evaluator.positive_class', over({ evaluator: { ...knn, positive_class: 3 } })],
    ['config.evaluator.validation.folds', over({ evaluator: { ...knn, validation: { folds: 1 } } })],
    ['config.evaluator.validation.holdout', over({ evaluator: { ...knn, validation: { holdout: 1.2 } } })],
    ['config.direction', over({ direction: 'minimize' })],
    ['config.sampler', over({ sampler: 'annealing' })],
    ['config.sampler', over({ sampler: 'gp', objectives: ['accuracy', 'f1'] })],
    ['config.objectives[1]', over({ objectives: ['accuracy', 'accuracy'] })],
    ['config.objectives[1]', over({ objectives: ['accuracy', 'mse'] })],
    ['config.target', over({ target: 1, objectives: ['accuracy', 'f1'] })],
    ['config.multi_fidelity.resource', over({ multi_fidelity: { resource: 'epochs', min: 1, max: 9 } })],
    ['config.multi_fidelity.resource', over({ multi_fidelity: { resource: 'k', min: 1, max: 9 } })],
    ['config.multi_fidelity.max', over({ multi_fidelity: { resource: 'rows', min: 0.5, max: 0.2 } })],
    ['config.multi_fidelity.max', over({ multi_fidelity: { resource: 'rows', min: 0.5, max: 2 } })],
    ['config.sampler', over({ sampler: 'tpe', multi_fidelity: { resource: 'rows', min: 0.5, max: 1 } })],
    ['config.evaluator.metric', over({ evaluator: { ...table, metric: 'time' } })],
    ['config.evaluator.metric', over({ evaluator: { ...table, metric: 'k' } })],
    ['config.evaluator.rows[1]', over({ evaluator: { ...table, rows: [[1, 2], [2]] } })],
    [
      'config.evaluator.rows[1][1]',
      over({
        evaluator: {
          ...table,
          rows: [
            [1, 2],
            [2, null],
          ],
        },
      }),
    ],
    [
      'config.evaluator.rows[1][1]',
      over({
        evaluator: {
          ...table,
          rows: [
            [1, 2],
            [2, 'low'],
          ],
        },
      }),
    ],
    ['config.evaluator.columns[1]', over({ evaluator: { ...table, columns: ['k', 'k'] } })],
    ['config.search_space.m', over({ evaluator: table, search_space: { m: space.k } })],
    [
      'config.evaluator.validation',
      over({
        evaluator: { type: 'builtin', model: 'mlp', dataset: { name: 'digits' }, validation: 'leave_one_out' },
        search_space: { units: { type: 'int', low: 1, high: 9 } },
      }),
    ],
  ])('%s', async (field, config) => {
    await expect(solveConfig(type, config)).rejects.toMatchObject({ code: 'invalid_request', field });
  });
});

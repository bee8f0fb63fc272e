import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import { Rng } from '../../common/rng.js';
import type { StrategyProblem } from '../strategy.js';
import { cmaEs } from './kind.js';
import { FullCovariance } from './covariance.js';
import { cmaParameters, defaultPopulationSize } from './parameters.js';
import { rankByFitness } from './rank.js';
import { countEvaluations, firstRun, initialRestartState, isOverLimit, nextRun } from './restarts.js';
import { inRows } from '../../model/candidate-batch.js';

type Objective = (x: Float64Array) => number;

function problem(n: number, lower: number, upper: number, seed = 1): StrategyProblem {
  return {
    bounds: { lower: new Float64Array(n).fill(lower), upper: new Float64Array(n).fill(upper) },
    seed,
    budgetEvaluations: 1000,
  };
}

/** Evaluations until `target`, at most `budget`; Infinity when missed. */
function evaluationsTo(target: number, objective: Objective, p: StrategyProblem, budget: number): number {
  const strategy = cmaEs.create(p);
  for (let evaluations = 0; evaluations < budget;) {
    const { candidates, count, dimension } = inRows(strategy.ask());
    const fitness = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      fitness[k] = objective(candidates.subarray(k * dimension, (k + 1) * dimension));
      evaluations++;
      if (fitness[k] <= target) return evaluations;
    }
    strategy.tell(fitness);
  }
  return Infinity;
}

/** A full covariance whose scales stay as they are. */
const NO_SCALES = { path: 0, steps: 0 };

describe('parameters', () => {
  // From pycma 4.5.0: CMAEvolutionStrategy(n * [0], 1, {'popsize': lambda}).sp; its cs differs from the tutorial's.
  it.each([
    {
      n: 2,
      lambda: 6,
      muEff: 2.0286114646100617,
      c1: 0.1548153998964136,
      cmu: 0.08559277942666424,
      cc: 0.6245545390268264,
    },
    {
      n: 10,
      lambda: 10,
      muEff: 3.1672992814107017,
      c1: 0.015283824524751714,
      cmu: 0.02355177665041747,
      cc: 0.29499038303562225,
    },
    {
      n: 40,
      lambda: 15,
      muEff: 4.5409152090759575,
      c1: 0.0011694327252618397,
      cmu: 0.003405219643706347,
      cc: 0.09300921663424917,
    },
  ])('agree with pycma for n = $n', ({ n, lambda, ...expected }) => {
    expect(defaultPopulationSize(n)).toBe(lambda);
    const p = cmaParameters(n, lambda);
    for (const [name, value] of Object.entries(expected)) {
      expect(p[name as 'c1'] / value).toBeCloseTo(1, 12);
    }
    const positive = p.weights.filter((w) => w > 0).reduce((sum, w) => sum + w, 0);
    expect(positive).toBeCloseTo(1, 12);
  });

  it('agree with pycma in the recombination weights', () => {
    const { weights } = cmaParameters(10, 10);
    expect(weights[0]).toBeCloseTo(0.45627264690340597, 12);
    expect(weights[1]).toBeCloseTo(0.2707530970017852, 12);
  });

  it('stay valid from one dimension to ten thousand and for large populations', () => {
    for (const n of [1, 2, 200, 201, 10_000]) {
      for (const lambda of [4, 5, 31, 5000]) {
        const p = cmaParameters(n, lambda);
        expect(p.c1 > 0 && p.c1 + p.cmu <= 1).toBe(true);
        expect(p.cs > 0 && p.cs < 1 && p.cc > 0 && p.cc <= 1.5 && p.ds >= 1).toBe(true);
        expect(p.weights.every(Number.isFinite)).toBe(true);
        // The decay of C stays positive.
        expect(1 - p.c1 - p.cmu * p.weightSum).toBeGreaterThan(-1e-13);
      }
    }
  });
});

describe('trajectory', () => {
  interface GoldenCase {
    objective: 'ellipsoid' | 'corner';
    n: number;
    seed: number;
    lower: number;
    upper: number;
    generations: { candidates: number[][] }[];
  }
  const golden = JSON.parse(readFileSync(`${packageRoot()}/test/golden/trajectories/cma-es.json`, 'utf8')) as {
    cases: GoldenCase[];
  };
  const objectives: Record<GoldenCase['objective'], Objective> = {
    ellipsoid: (x) => x.reduce((sum, v, i) => sum + 10 ** ((4 * i) / (x.length - 1)) * (v - 1.2 + i) ** 2, 0),
    corner: (x) => x.reduce((sum, v, i) => sum + (i + 1) * v, 0),
  };

  it.each(golden.cases)('agrees with an independent implementation on $objective in $n-D', (known) => {
    const strategy = cmaEs.create(problem(known.n, known.lower, known.upper, known.seed));
    known.generations.forEach(({ candidates }, generation) => {
      const batch = inRows(strategy.ask());
      expect(batch.count).toBe(candidates.length);
      const fitness = new Float64Array(batch.count);
      candidates.forEach((expected, k) => {
        const x = batch.candidates.subarray(k * known.n, (k + 1) * known.n);
        expected.forEach((v, i) => expect(Math.abs(x[i] - v), `generation ${generation}`).toBeLessThan(1e-6));
        fitness[k] = objectives[known.objective](x);
      });
      strategy.tell(fitness);
    });
  });
});

describe('ranking', () => {
  it('sorts any number of values stably, infinities last', () => {
    const rng = Rng.create(3);
    for (const count of [1, 2, 15, 16, 17, 33, 100, 1000]) {
      const fitness = Float64Array.from({ length: count }, () => (rng.below(8) === 0 ? Infinity : rng.below(count)));
      const order = new Int32Array(count);
      rankByFitness(fitness, order, new Int32Array(count), count);
      const expected = Array.from(fitness.keys()).sort((a, b) =>
        fitness[a] === fitness[b] ? a - b : fitness[a] - fitness[b],
      );
      expect([...order]).toEqual(expected);
    }
  });
});

describe('covariance', () => {
  const random = (count: number, seed: number): Float64Array => {
    const values = new Float64Array(count);
    Rng.create(seed).fillNormals(values, 0, count);
    return values;
  };

  it.each([1, 2, 3, 5, 8])('full: update, transform and whiten agree with plain formulas for n = %i', (n) => {
    const rows = 7;
    const steps = random(rows * n, n);
    const coefficients = Float64Array.from({ length: rows }, (_, k) => 0.1 + 0.05 * k);
    const covariance = new FullCovariance(n, NO_SCALES);
    covariance.update(0.5, steps, coefficients, rows);
    covariance.refresh();
    const c = (i: number, j: number): number => {
      let sum = i === j ? 0.5 : 0;
      for (let k = 0; k < rows; k++) sum += coefficients[k] * steps[k * n + i] * steps[k * n + j];
      return sum;
    };
    for (let i = 0; i < n; i++) expect(covariance.variance(i)).toBeCloseTo(c(i, i), 12);
    // A read off unit vectors: A A^T = C.
    const unit = new Float64Array(n * n);
    for (let i = 0; i < n; i++) unit[i * n + i] = 1;
    const columns = new Float64Array(n * n);
    covariance.transform(unit, columns, 0, n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += columns[k * n + i] * columns[k * n + j];
        expect(sum).toBeCloseTo(c(i, j), 12);
      }
    }
    // One row at a time gives the same bits as blocks of four.
    const z = random(rows * n, 50);
    const together = new Float64Array(rows * n);
    const single = new Float64Array(rows * n);
    covariance.transform(z, together, 0, rows);
    for (let k = 0; k < rows; k++) covariance.transform(z, single, k, 1);
    expect(single).toEqual(together);
    const white = new Float64Array(n);
    covariance.whiten(together, 2 * n, white);
    white.forEach((v, i) => expect(v).toBeCloseTo(z[2 * n + i], 9));
  });

  it('full: repairs a matrix that is not positive definite', () => {
    const covariance = new FullCovariance(2, NO_SCALES);
    covariance.update(1, Float64Array.of(1, 1), Float64Array.of(-2), 1); // [[-1, -2], [-2, -1]]
    covariance.refresh();
    expect(covariance.conditionNumber()).toBeLessThan(1e15);
    const y = new Float64Array(2);
    covariance.transform(Float64Array.of(1, 1), y, 0, 1);
    expect(y.every(Number.isFinite)).toBe(true);
    covariance.update(1, Float64Array.of(NaN, 1), Float64Array.of(1), 1);
    covariance.refresh();
    expect(covariance.variance(0)).toBe(1);
  });

  it('full: scales follow the squares of single coordinates, and no bad step destroys them', () => {
    const n = 3;
    const covariance = new FullCovariance(n, { path: 1, steps: 1 });
    // Steps of variance 4, 1 and 1/4; the last row is the path.
    const steps = Float64Array.of(2, 1, 0.5, -2, -1, -0.5, 0, 0, 0);
    const before = covariance.variance(0);
    covariance.update(1, steps, Float64Array.of(0.1, 0.1, 0), 3);
    expect(before).toBe(1);
    // Once by S, once by C: exp(0.2 (4 - 1)) (1 + 0.2 * 4).
    expect(covariance.variance(0)).toBeCloseTo(Math.exp(0.6) * 1.8, 12);
    expect(covariance.variance(1)).toBeCloseTo(1.2, 12);
    expect(covariance.variance(2)).toBeCloseTo(Math.exp(0.2 * (0.25 - 1)) * 1.05, 12);
    covariance.refresh();
    const z = Float64Array.of(1, -2, 3);
    const y = new Float64Array(n);
    const back = new Float64Array(n);
    covariance.transform(z, y, 0, 1);
    covariance.whiten(y, 0, back);
    back.forEach((v, i) => expect(v).toBeCloseTo(z[i], 12));
    covariance.update(1, Float64Array.of(NaN, 1e300, 1, 0, 0, 0), Float64Array.of(0.1, 0), 2);
    covariance.refresh();
    for (let i = 0; i < n; i++) expect(covariance.variance(i)).toBeGreaterThan(0);
  });

  it('full: correlated coordinates slow the scales down', () => {
    const relativeChange = (correlation: number): number => {
      const covariance = new FullCovariance(2, { path: 1, steps: 1 });
      const still = new FullCovariance(2, NO_SCALES);
      for (const c of [covariance, still]) {
        c.update(1 - correlation, Float64Array.of(1, 1, 0, 0), Float64Array.of(correlation, 0), 2);
        c.refresh();
      }
      const ratio = covariance.variance(0) / still.variance(0);
      for (const c of [covariance, still]) c.update(1, Float64Array.of(3, 0, 0, 0), Float64Array.of(0.05, 0), 2);
      return covariance.variance(0) / still.variance(0) / ratio - 1;
    };
    expect(relativeChange(0)).toBeGreaterThan(0.4);
    expect(relativeChange(0.999)).toBeLessThan(0.1);
  });
});

describe('restarts', () => {
  it('double the large population and give both regimes about the same share', () => {
    const rng = Rng.create(1);
    let state = initialRestartState;
    let { lambda } = firstRun(5);
    const base = lambda;
    const large: number[] = [lambda];
    for (let k = 0; k < 40; k++) {
      // Each run takes 50 generations, or stops at its limit.
      for (let generation = 0; generation < 50 && !isOverLimit(state); generation++) {
        state = countEvaluations(state, lambda);
      }
      const [next, plan] = nextRun(state, 5, rng);
      if (next.regime === 'large') {
        large.push(plan.lambda);
      } else {
        expect(plan.lambda).toBeGreaterThanOrEqual(4);
        expect(plan.lambda).toBeLessThanOrEqual(Math.max(base, (base / 2) * 2 ** next.doublings));
        expect(plan.sigma).toBeGreaterThanOrEqual(0.003);
        expect(plan.sigma).toBeLessThanOrEqual(0.3);
      }
      state = next;
      lambda = plan.lambda;
    }
    expect(large.length).toBeGreaterThan(3);
    large.forEach((value, k) => expect(value).toBe(base * 2 ** k));
    expect(state.smallEvaluations / state.largeEvaluations).toBeGreaterThan(0.5);
    expect(state.smallEvaluations / state.largeEvaluations).toBeLessThan(1.2);
  });

  it('keep large populations within memory', () => {
    let state = { ...initialRestartState, doublings: 40, smallEvaluations: 10 };
    const [next, plan] = nextRun(state, 1000, Rng.create(1));
    state = next;
    expect(plan.lambda * 1000).toBeLessThanOrEqual(2 ** 21);
    expect(plan.lambda).toBeGreaterThan(500);
  });
});

describe('search', () => {
  const corner: Objective = (x) => x.reduce((sum, v, i) => sum + 10 ** (i / (x.length - 1)) * (5 - v), 0);
  // Rotated in pairs, so that a bound cuts the axes of the ellipsoid.
  const activeBound: Objective = (x) => {
    let sum = 0;
    for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i] + x[i + 1] - 9) ** 2 + (x[i] - x[i + 1] - 3) ** 2;
    return sum;
  };

  it.each([2, 5, 10])('reaches the corner of a linear slope exactly in %i-D', (n) => {
    const counts = [1, 2, 3, 4, 5].map((seed) => evaluationsTo(0, corner, problem(n, -5, 5, seed), 1000));
    expect(Math.max(...counts)).toBeLessThan(1000);
  });

  it('reaches an optimum on a face of the box', () => {
    // 2-D: x0 = 5 by the bound, then x1 = 3.99... minimises 100 (x1 - 4)^2 + (2 - x1)^2 ... = 406 / 101 at x1.
    const optimum = activeBound(Float64Array.of(5, (400 + 2) / 101));
    for (const seed of [1, 2, 3]) {
      expect(evaluationsTo(optimum + 1e-9, activeBound, problem(2, -5, 5, seed), 2000)).toBeLessThan(2000);
    }
  });

  it('solves an ill-conditioned rotated ellipsoid close to the bounds', () => {
    const objective: Objective = (x) => (x[0] + x[1] - 9.7) ** 2 + 1e6 * (x[0] - x[1] - 0.05) ** 2;
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(evaluationsTo(1e-9, objective, problem(2, -5, 5, seed), 1500)).toBeLessThan(1500);
    }
  });

  const rastrigin: Objective = (x) =>
    x.reduce((sum, v) => sum + (v - 0.7) ** 2 - 10 * Math.cos(2 * Math.PI * (v - 0.7)) + 10, 0);
  const rosenbrock: Objective = (x) => {
    let sum = 0;
    for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2;
    return sum;
  };
  const schwefel: Objective = (x) =>
    418.9828872724338 * x.length - x.reduce((sum, v) => sum + v * Math.sin(Math.sqrt(Math.abs(v))), 0);
  const ackley: Objective = (x) => {
    const n = x.length;
    const squares = x.reduce((sum, v) => sum + (v - 3) ** 2, 0) / n;
    const cosines = x.reduce((sum, v) => sum + Math.cos(2 * Math.PI * (v - 3)), 0) / n;
    return 20 - 20 * Math.exp(-0.2 * Math.sqrt(squares)) + Math.E - Math.exp(cosines);
  };

  // Budgets are about three times the median; all of five fixed seeds must do it.
  it.each([
    { name: 'Rosenbrock 5-D', objective: rosenbrock, n: 5, half: 10, budget: 12_000 },
    { name: 'Rosenbrock 10-D', objective: rosenbrock, n: 10, half: 10, budget: 20_000 },
    { name: 'Rastrigin 2-D', objective: rastrigin, n: 2, half: 5.12, budget: 20_000 },
    { name: 'Ackley 10-D', objective: ackley, n: 10, half: 32.768, budget: 8000 },
    { name: 'Schwefel 2-D', objective: schwefel, n: 2, half: 500, budget: 20_000 },
  ])('finds the optimum of $name by restarts', ({ objective, n, half, budget }) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(evaluationsTo(1e-6, objective, problem(n, -half, half, seed), budget)).toBeLessThan(budget);
    }
  });

  it('makes progress in 1,000 dimensions with the limited-memory form', () => {
    const sphere: Objective = (x) => x.reduce((sum, v) => sum + (v - 1) ** 2, 0);
    expect(evaluationsTo(700, sphere, problem(1000, -5, 5), 12_000)).toBeLessThan(12_000);
  });
});

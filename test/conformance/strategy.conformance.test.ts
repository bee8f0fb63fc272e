import { expect, it } from 'vitest';
import { callingStrategies } from '../../src/planner/all-strategies.js';
import { strategySuite, type StrategyExpectations } from './strategy.suite.js';

const square = (x: Float64Array): number => x.reduce((sum, v) => sum + (v - 1) ** 2, 0);

/** A pseudo-random value that depends on every bit of the candidate. */
function noise(x: Float64Array): number {
  let hash = 1;
  for (const word of new Uint32Array(x.slice().buffer)) hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
  return (hash >>> 0) / 4294967296;
}

const expectations: Record<string, StrategyExpectations> = {
  'cma-es': {
    stops: {
      tolFun: { dimension: 3, evaluations: 3000, objective: square },
      // Falls without end, so that no two values are ever nearly equal before the steps vanish.
      tolX: { dimension: 2, evaluations: 5000, objective: (x) => Math.log(square(x) + 1e-300) },
      condition: {
        dimension: 2,
        evaluations: 60_000,
        objective: (x) => Math.log(x[0] ** 2 + 1e18 * x[1] ** 2 + 1e-300),
      },
      stalled: { dimension: 3, evaluations: 30_000, objective: noise },
    },
    sphereEvaluations: 900,
  },
  'lq-cma-es': {
    stops: { tolFun: { dimension: 3, evaluations: 3000, objective: square } },
    sphereEvaluations: 300,
    restoredAt: [1, 2, 4],
  },
  'quasi-newton': {
    stops: {
      tolFun: { dimension: 3, evaluations: 1000, objective: square },
      stalled: { dimension: 2, evaluations: 10, objective: () => Infinity },
    },
    sphereEvaluations: 100,
  },
  'coordinate-search': {
    stops: { tolX: { dimension: 3, evaluations: 1000, objective: square } },
    sphereEvaluations: 300,
  },
  'nelder-mead': {
    stops: {
      tolFun: { dimension: 3, evaluations: 1000, objective: (x) => square(x) + 1 },
      tolX: { dimension: 2, evaluations: 2000, objective: (x) => Math.log(square(x) + 1e-300) },
      stalled: { dimension: 2, evaluations: 200, objective: () => Infinity },
    },
    sphereEvaluations: 700,
  },
  'differential-evolution': {
    stops: {
      tolFun: { dimension: 3, evaluations: 10_000, objective: square },
      stalled: { dimension: 3, evaluations: 30_000, objective: noise },
    },
    sphereEvaluations: 5000,
  },
  'particle-swarm': {
    stops: {
      tolFun: { dimension: 3, evaluations: 10_000, objective: square },
      stalled: { dimension: 3, evaluations: 30_000, objective: noise },
    },
    sphereEvaluations: 5000,
  },
  bayesian: {
    stops: {
      stalled: { dimension: 2, evaluations: 100, objective: noise },
      tolX: { dimension: 3, evaluations: 100, objective: () => 0 },
    },
    sphereEvaluations: 400,
    restoredAt: [1, 3],
  },
  'trust-region': {
    stops: {
      tolFun: { dimension: 3, evaluations: 1000, objective: (x) => square(x) + 1 },
      tolX: { dimension: 2, evaluations: 2000, objective: (x) => Math.log(square(x) + 1e-300) },
      stalled: { dimension: 2, evaluations: 200, objective: () => Infinity },
    },
    sphereEvaluations: 100,
    restoredAt: [1, 2, 4],
  },
  'l-bfgs': {
    stops: {
      tolFun: { dimension: 3, evaluations: 1000, objective: square },
      stalled: { dimension: 2, evaluations: 10, objective: () => Infinity },
    },
    sphereEvaluations: 100,
  },
  'random-search': { stops: {} },
  'bulk-particle-swarm': {
    stops: {
      tolFun: { dimension: 3, evaluations: 10_000, objective: square },
      stalled: { dimension: 3, evaluations: 30_000, objective: noise },
    },
    sphereEvaluations: 5000,
  },
  'bulk-differential-evolution': {
    stops: {
      tolFun: { dimension: 3, evaluations: 10_000, objective: square },
      stalled: { dimension: 3, evaluations: 30_000, objective: noise },
    },
    sphereEvaluations: 5000,
  },
  'bulk-cma-es': {
    stops: {
      tolFun: { dimension: 3, evaluations: 20_000, objective: square },
      stalled: { dimension: 3, evaluations: 30_000, objective: () => Infinity },
    },
    sphereEvaluations: 5000,
  },
  planner: { stops: {}, sphereEvaluations: 300 },
};

// Those that read the program: program-strategies.test.ts; of several objectives: several-objectives.test.ts.
for (const factory of callingStrategies) {
  const known = expectations[factory.name];
  if (known !== undefined) strategySuite(factory, known);
  it(`strategy ${factory.name} has its line in this suite`, () => expect(known).toBeDefined());
}

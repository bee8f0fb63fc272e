/** The sets of functions that an experiment can use. */
import type { BenchmarkProblem } from './problem.js';
import { createBbobProblem } from './bbob/index.js';
import { createLargeScaleProblem } from './large-scale/index.js';

interface Suite {
  readonly title: string;
  readonly minDimension: number;
  readonly maxDimension: number;
  readonly usualDimensions: readonly number[];
  create(functionId: number, dimension: number, instance: number): BenchmarkProblem;
}

export const FUNCTION_COUNT = 24;
export const MAX_INSTANCE = 10_000;

export const SUITES = {
  bbob: {
    title: '24 noiseless functions',
    minDimension: 2,
    maxDimension: 640,
    usualDimensions: [2, 5, 10],
    create: createBbobProblem,
  },
  'bbob-largescale': {
    title: '24 functions with rotations of blocks of 40 coordinates',
    minDimension: 40,
    maxDimension: 640,
    usualDimensions: [40, 80, 160],
    create: createLargeScaleProblem,
  },
} as const satisfies Record<string, Suite>;

export type SuiteName = keyof typeof SUITES;

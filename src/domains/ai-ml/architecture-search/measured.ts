/** Measures of an architecture, which of them are wanted, and how several wants are met at once. */
import type { Direction } from '../../../model/objective.js';
import type { Code } from './space.js';

export const MEASURES = ['accuracy', 'params', 'flops', 'latency_ms'] as const;
export type Measure = (typeof MEASURES)[number];

export const OBJECTIVES = ['maximize_accuracy', 'minimize_params', 'minimize_flops', 'minimize_latency'] as const;
export type ObjectiveName = (typeof OBJECTIVES)[number];

const MEASURE_OF: Readonly<Record<ObjectiveName, Measure>> = {
  maximize_accuracy: 'accuracy',
  minimize_params: 'params',
  minimize_flops: 'flops',
  minimize_latency: 'latency_ms',
};

export const measureOf = (objective: ObjectiveName): Measure => MEASURE_OF[objective];
export const directionOf = (objective: ObjectiveName): Direction =>
  objective === 'maximize_accuracy' ? 'maximize' : 'minimize';

export const LIMITS = { max_params: 'params', max_flops: 'flops', max_latency_ms: 'latency_ms' } as const;
type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];
export type Limits = Readonly<Partial<Record<LimitName, number | undefined>>>;

/** Null: nobody measured it. */
export type Measured = Readonly<Record<Measure, number | null>>;

export interface Valued {
  readonly code: Code;
  readonly measured: Measured;
  /** By objective, each so that more is better. */
  readonly values: readonly number[];
}

export const valuesOf = (measured: Measured, objectives: readonly ObjectiveName[]): number[] =>
  objectives.map((objective) => {
    const value = measured[measureOf(objective)] ?? NaN;
    return directionOf(objective) === 'maximize' ? value : 0 - value;
  });

export const brokenLimits = (measured: Measured, limits: Limits): LimitName[] =>
  LIMIT_NAMES.filter((name) => (measured[LIMITS[name]] ?? -Infinity) > (limits[name] ?? Infinity));

/** Whether a is as good as b in everything and better in something. */
const dominates = (a: readonly number[], b: readonly number[]): boolean =>
  a.every((value, i) => value >= b[i]) && a.some((value, i) => value > b[i]);

/** Architectures that no other one dominates, the best in the first objective first; of equal ones the first. */
export function frontOf(all: readonly Valued[]): Valued[] {
  const order = all
    .map((one, i) => ({ one, i }))
    .sort((a, b) => {
      const k = a.one.values.findIndex((value, j) => value !== b.one.values[j]);
      return k < 0 ? a.i - b.i : b.one.values[k] - a.one.values[k];
    });
  const front: Valued[] = [];
  for (const { one } of order) {
    const isBeaten = front.some(
      (other) => dominates(other.values, one.values) || other.values.every((value, i) => value === one.values[i]),
    );
    if (!isBeaten) front.push(one);
  }
  return front;
}

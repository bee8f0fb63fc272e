/**
 * Scores of a compound's desirability: QED, the multiparameter optimization score for the central nervous system, or a
 * client's own desirabilities.
 * Sources: Derringer and Suich 1980, J. Quality Technology 12:214-219; Wager et al. 2010, ACS Chem. Neurosci.
 * 1:435-449.
 */
import { z } from 'zod';
import { number, type Complain } from '../../fields.js';
import { geometricMean, QED_PROPERTIES, QED_WEIGHTS, qedDesirability } from './qed.js';

export const SCORES = ['qed', 'cns_mpo', 'custom'] as const;
export type Score = (typeof SCORES)[number];

export const MOST_PROPERTIES = 50;
const MOST_NAME_CHARACTERS = 60;

export const propertyName = z.string().min(1).max(MOST_NAME_CHARACTERS);

const SHAPES = ['larger', 'smaller', 'target', 'trapezoid'] as const;

const shape = z.strictObject({
  type: z
    .enum(SHAPES)
    .describe('larger and smaller: the more, the less is better; target: one value is best; trapezoid: a range is'),
  low: number('larger, target, trapezoid: no use from here down; smaller: best from here down'),
  target: z
    .union([number('Best value'), z.tuple([number('From'), number('To')])])
    .optional()
    .describe('target: the best value; trapezoid: the best range, as [from, to]'),
  high: number('smaller, target, trapezoid: no use from here up; larger: best from here up'),
  weight: z.number().min(0).max(1e6).default(1).describe('Weight in the geometric mean'),
});

export type Shape = z.output<typeof shape>;

export const shapes = z
  .record(propertyName, shape)
  .refine(
    (value) => Object.keys(value).length >= 1 && Object.keys(value).length <= MOST_PROPERTIES,
    `\`{field}\` must have 1 to ${MOST_PROPERTIES} properties.`,
  );

/** Complains about the first contradiction; true where there is none. */
export function checkShapes(given: Readonly<Record<string, Shape>>, complain: Complain): boolean {
  for (const [name, { type, low, high, target }] of Object.entries(given)) {
    const refuse = (field: string, message: string): false => {
      complain(['desirability', name, field], message);
      return false;
    };
    if (!(low < high)) return refuse('low', `\`{field}\` = ${low} must be below \`high\` = ${high}.`);
    if (type === 'target') {
      if (typeof target !== 'number') return refuse('target', '`{field}` must be a number where `type` is "target".');
      if (target < low || target > high)
        return refuse('target', `\`{field}\` = ${target} must lie from ${low} to ${high}.`);
    } else if (type === 'trapezoid') {
      if (!Array.isArray(target))
        return refuse('target', '`{field}` must be the best range, as [from, to], where `type` is "trapezoid".');
      const [from, to] = target;
      if (!(low <= from && from <= to && to <= high))
        return refuse('target', `\`{field}\` must be a range from ${low} to ${high}, not [${from}, ${to}].`);
    } else if (target !== undefined) {
      return refuse('target', `\`{field}\` has no meaning where \`type\` is "${type}".`);
    }
  }
  if (!Object.values(given).some(({ weight }) => weight > 0)) {
    complain(['desirability'], '`{field}` needs a property whose weight is above 0.');
    return false;
  }
  return true;
}

/** 0 at and below `low`, 1 at and above `high`, straight between. */
function rise(x: number, low: number, high: number): number {
  if (x >= high) return 1;
  return x <= low ? 0 : (x - low) / (high - low);
}

/** From 0 to 1. */
export function desirabilityOf({ type, low, high, target }: Shape, x: number): number {
  if (type === 'larger') return rise(x, low, high);
  if (type === 'smaller') return 1 - rise(x, low, high);
  const [from, to] = Array.isArray(target) ? target : [target ?? low, target ?? low];
  return Math.min(rise(x, low, from), 1 - rise(x, to, high));
}

/** Where the desirability is largest; it rises up to there and falls after it. */
export function bestRangeOf({ type, low, high, target }: Shape): readonly [from: number, to: number] {
  if (type === 'larger') return [high, Infinity];
  if (type === 'smaller') return [-Infinity, low];
  return Array.isArray(target) ? target : [target ?? low, target ?? low];
}

/** The part of an MPO score of one property, from 0 to 1. */
const CNS_MPO: Readonly<Record<string, Shape>> = {
  alogp: { type: 'smaller', low: 3, high: 5, weight: 1 },
  logd: { type: 'smaller', low: 2, high: 4, weight: 1 },
  mw: { type: 'smaller', low: 360, high: 500, weight: 1 },
  psa: { type: 'trapezoid', low: 20, target: [40, 90], high: 120, weight: 1 },
  hbd: { type: 'smaller', low: 0.5, high: 3.5, weight: 1 },
  pka: { type: 'smaller', low: 8, high: 10, weight: 1 },
};

/** The shapes of CNS MPO for properties that a sum of R-group contributions has. */
export const LEAD_MPO: Readonly<Record<string, Shape>> = Object.fromEntries(
  ['alogp', 'mw', 'psa', 'hbd'].map((name) => [name, CNS_MPO[name]]),
);

export interface Scored {
  readonly score: number;
  readonly desirabilities: Readonly<Record<string, number>>;
}

/** How compounds are scored: which properties count, and how their desirabilities become one number. */
export interface Scoring {
  readonly properties: readonly string[];
  readonly most: number;
  score(valueOf: (property: string) => number): Scored;
}

const scoring = (
  properties: readonly string[],
  most: number,
  desirability: (property: string, x: number) => number,
  combine: (parts: readonly (readonly [property: string, desirability: number])[]) => number,
): Scoring => ({
  properties,
  most,
  score: (valueOf) => {
    const parts = properties.map((name) => [name, desirability(name, valueOf(name))] as const);
    return { score: combine(parts), desirabilities: Object.fromEntries(parts) };
  },
});

export const qedScoring = scoring(
  QED_PROPERTIES,
  1,
  (name, x) => qedDesirability(name as keyof typeof QED_WEIGHTS, x),
  (parts) =>
    geometricMean(
      parts.map(([name, desirability]) => ({ desirability, weight: QED_WEIGHTS[name as keyof typeof QED_WEIGHTS] })),
    ),
);

/** The sum over all properties, each from 0 to 1. */
export const cnsMpoScoring = scoring(
  Object.keys(CNS_MPO),
  Object.keys(CNS_MPO).length,
  (name, x) => desirabilityOf(CNS_MPO[name], x),
  (parts) => parts.reduce((sum, [, desirability]) => sum + desirability, 0),
);

export const ownScoring = (own: Readonly<Record<string, Shape>>): Scoring =>
  scoring(
    Object.keys(own),
    1,
    (name, x) => desirabilityOf(own[name], x),
    (parts) => geometricMean(parts.map(([name, desirability]) => ({ desirability, weight: own[name].weight }))),
  );

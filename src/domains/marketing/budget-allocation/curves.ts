/** Response curves: what a channel brings for its spend. All rise from the origin; not all are concave. */
import { z } from 'zod';
import { exp, log, power } from '../../../common/float.js';
import { amount, positive, type Complain } from '../../fields.js';

/** Keeps products of a few such numbers within the range of float64. */
export const MOST = 1e12;
const LEAST = 1e-9;
const MOST_POINTS = 500;

const size = (description: string) => positive(description).min(LEAST).max(MOST);

export const responseSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('power'),
        scale: size('Response to a spend of 1. Absent: from the current spend and response').optional(),
        exponent: positive('Below 1: diminishing returns').min(0.01).max(1).default(0.5),
      })
      .describe('scale x^exponent'),
    z
      .strictObject({
        type: z.literal('log'),
        scale: size('Response that e times the spend adds, far beyond `half`'),
        half: size('Spend at which returns begin to diminish'),
      })
      .describe('scale ln(1 + x / half)'),
    z
      .strictObject({
        type: z.literal('negexp'),
        max: size('Largest response'),
        scale: size('Spend that brings 63 percent of it'),
      })
      .describe('max (1 - e^(-x / scale))'),
    z
      .strictObject({
        type: z.literal('hill'),
        max: size('Largest response'),
        half_saturation: size('Spend that brings half of it'),
        shape: positive('Above 1: S-shaped, small spends bring little').min(0.1).max(20),
      })
      .describe('max x^shape / (x^shape + half_saturation^shape)'),
    z
      .strictObject({
        type: z.literal('points'),
        points: z
          .array(z.tuple([amount('Spend').max(MOST), amount('Response').max(MOST)]))
          .min(1)
          .max(MOST_POINTS)
          .describe(
            '[spend, response], in any order; straight lines between them and from the origin, flat after the last',
          ),
      })
      .describe('Straight lines between points'),
  ])
  .describe('Response to the spend of a period (with carry-over: to the spend in effect)');

export type Response = z.output<typeof responseSchema>;

export interface Curve {
  value(x: number): number;
  slope(x: number): number;
  /** The curve is concave from here on, and convex before. 0: concave everywhere. Null: see `corners`. */
  readonly inflection: number | null;
  /** All corners of a curve of straight lines, from the origin on. */
  readonly corners: readonly (readonly [x: number, y: number])[];
  /** Largest x >= inflection with slope(x) >= the given one; Infinity where the slope never falls to it. */
  reach(slope: number): number;
  /** The value that it approaches; null: none. */
  readonly ceiling: number | null;
}

const smooth = (curve: Omit<Curve, 'corners'>): Curve => ({ ...curve, corners: [] });

const powerCurve = (scale: number, exponent: number): Curve =>
  smooth({
    value: (x) => (x <= 0 ? 0 : scale * power(x, exponent)),
    slope: (x) => (exponent === 1 ? scale : x <= 0 ? Infinity : scale * exponent * power(x, exponent - 1)),
    inflection: 0,
    reach: (slope) =>
      exponent === 1 ? (slope <= scale ? Infinity : 0) : power((scale * exponent) / slope, 1 / (1 - exponent)),
    ceiling: null,
  });

const logCurve = (scale: number, half: number): Curve =>
  smooth({
    value: (x) => scale * log(1 + x / half),
    slope: (x) => scale / (half + x),
    inflection: 0,
    reach: (slope) => Math.max(0, scale / slope - half),
    ceiling: null,
  });

const negexpCurve = (max: number, scale: number): Curve =>
  smooth({
    value: (x) => max * (1 - exp(-x / scale)),
    slope: (x) => (max / scale) * exp(-x / scale),
    inflection: 0,
    reach: (slope) => Math.max(0, scale * log(max / scale / slope)),
    ceiling: max,
  });

function hillCurve(max: number, half: number, shape: number): Curve {
  const inflection = shape > 1 ? half * power((shape - 1) / (shape + 1), 1 / shape) : 0;
  const slope = (x: number): number => {
    if (x <= 0) return shape < 1 ? Infinity : shape === 1 ? max / half : 0;
    const r = power(x / half, shape);
    return r === Infinity ? 0 : ((max * shape) / x) * (r / (1 + r) / (1 + r));
  };
  const steepest = shape > 1 ? slope(inflection) : Infinity;
  return smooth({
    value: (x) => {
      if (x <= 0) return 0;
      return max / (1 + power(half / x, shape));
    },
    slope,
    inflection,
    reach: (wanted) => {
      if (wanted >= steepest) return inflection;
      if (shape === 1 && wanted >= max / half) return 0;
      // Newton's method on ln slope(v) - ln wanted, v = ln(x / half): concave, and falling from its start on.
      const level = log((max * shape) / half) - log(wanted);
      let v = level / (shape + 1);
      for (let step = 0; step < 100; step++) {
        const r = exp(shape * v);
        const share = r === Infinity ? 1 : r / (1 + r);
        const excess = level + (shape - 1) * v - 2 * (shape * v > 700 ? shape * v : log(1 + r));
        const next = v - excess / (shape - 1 - 2 * shape * share);
        if (!(Math.abs(next - v) > 1e-15 * (1 + Math.abs(v)))) break;
        v = next;
      }
      return Math.max(inflection, half * exp(v));
    },
    ceiling: max,
  });
}

function jointCurve(points: readonly (readonly [number, number])[]): Curve {
  const sorted = [...points].sort(([a], [b]) => a - b);
  const corners = sorted[0][0] > 0 ? [[0, 0] as const, ...sorted] : sorted;
  const last = corners[corners.length - 1];
  /** Place of the first corner at or after x. */
  const after = (x: number): number => {
    let [low, high] = [0, corners.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (corners[middle][0] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    value: (x) => {
      const i = after(x);
      if (i >= corners.length) return last[1];
      if (i === 0) return corners[0][1];
      const [[a, y], [b, z]] = [corners[i - 1], corners[i]];
      return y + ((z - y) * (x - a)) / (b - a);
    },
    slope: (x) => {
      // At a corner, the one of larger spends: what the next unit of money brings.
      let i = after(x);
      if (i < corners.length && corners[i][0] === x) i++;
      if (i >= corners.length || i === 0) return 0;
      const [[a, y], [b, z]] = [corners[i - 1], corners[i]];
      return (z - y) / (b - a);
    },
    inflection: null,
    corners,
    reach: () => NaN,
    ceiling: last[1],
  };
}

/**
 * The curve over spends whose effect lasts: `factor` is what one unit of spend per period comes to, 1 / (1 - decay).
 */
function stretched(curve: Curve, factor: number): Curve {
  if (factor === 1) return curve;
  return {
    value: (x) => curve.value(x * factor),
    slope: (x) => factor * curve.slope(x * factor),
    inflection: curve.inflection === null ? null : curve.inflection / factor,
    corners: curve.corners.map(([x, y]) => [x / factor, y] as const),
    reach: (slope) => curve.reach(slope / factor) / factor,
    ceiling: curve.ceiling,
  };
}

export const scaled = (curve: Curve, weight: number): Curve =>
  weight === 1
    ? curve
    : {
        value: (x) => weight * curve.value(x),
        slope: (x) => weight * curve.slope(x),
        inflection: curve.inflection,
        corners: curve.corners.map(([x, y]) => [x, weight * y] as const),
        reach: (slope) => curve.reach(slope / weight),
        ceiling: curve.ceiling === null ? null : weight * curve.ceiling,
      };

/** `response` with every number in place. */
export function curveOf(response: Response, decay: number): Curve {
  const factor = 1 / (1 - decay);
  switch (response.type) {
    case 'power':
      return stretched(powerCurve(response.scale ?? NaN, response.exponent), factor);
    case 'log':
      return stretched(logCurve(response.scale, response.half), factor);
    case 'negexp':
      return stretched(negexpCurve(response.max, response.scale), factor);
    case 'hill':
      return stretched(hillCurve(response.max, response.half_saturation, response.shape), factor);
    case 'points':
      return stretched(jointCurve(response.points), factor);
  }
}

/** Whether every unit of money brings at most what the one before it brought. */
export const isConcave = (curve: Curve): boolean => {
  if (curve.inflection !== null) return curve.inflection === 0;
  const slopes = curve.corners.slice(1).map(([x, y], i) => (y - curve.corners[i][1]) / (x - curve.corners[i][0]));
  return slopes.every((slope, i) => i === 0 || slope <= slopes[i - 1]);
};

/** Complains about the first fault; true where there is none. */
export function checkResponse(response: Response, path: readonly PropertyKey[], complain: Complain): boolean {
  if (response.type !== 'points') return true;
  const sorted = response.points.map(([x, y], i) => ({ x, y, i })).sort((a, b) => a.x - b.x);
  for (const [k, { x, y, i }] of sorted.entries()) {
    const before = sorted[k - 1] ?? { x: -1, y: 0, i: -1 };
    if (x === before.x) {
      complain([...path, 'points', i, 0], `\`{field}\`: entry ${before.i + 1} has the spend ${x} too.`);
      return false;
    }
    if (y < before.y) {
      complain([...path, 'points', i, 1], '`{field}` must not be below the response to a smaller spend.');
      return false;
    }
  }
  return true;
}

/**
 * Quantitative estimate of drug-likeness: the weighted geometric mean of eight desirabilities, each an asymmetric
 * double sigmoid that was fitted to 771 approved oral drugs. Mean weights.
 * Source: Bickerton, Paolini, Besnard, Muresan and Hopkins 2012, Nature Chemistry 4:90-98, tables S1 and S4.
 */
import { exp, log } from '../../../common/float.js';

export const QED_PROPERTIES = ['mw', 'alogp', 'hba', 'hbd', 'psa', 'rotb', 'arom', 'alerts'] as const;
type QedProperty = (typeof QED_PROPERTIES)[number];

interface Sigmoids {
  readonly weight: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
  /** Largest value of the curve. */
  readonly most: number;
}

const row = (...[weight, a, b, c, d, e, f, most]: number[]): Sigmoids => ({ weight, a, b, c, d, e, f, most });

const CURVES: Readonly<Record<QedProperty, Sigmoids>> = {
  mw: row(0.66, 2.817065973, 392.5754953, 290.7489764, 2.419764353, 49.22325677, 65.37051707, 104.9805561),
  alogp: row(0.46, 3.172690585, 137.8624751, 2.534937431, 4.581497897, 0.822739154, 0.576295591, 131.3186604),
  hba: row(0.05, 2.948620388, 160.4605972, 3.615294657, 4.435986202, 0.290141953, 1.300669958, 148.7763046),
  hbd: row(0.61, 1.618662227, 1010.051101, 0.985094388, 1e-9, 0.713820843, 0.920922555, 258.1632616),
  psa: row(0.06, 1.876861559, 125.2232657, 62.90773554, 87.83366614, 12.01999824, 28.51324732, 104.5686167),
  rotb: row(0.65, 0.01, 272.4121427, 2.55837997, 1.565547684, 1.271567166, 2.758063707, 105.4420403),
  arom: row(0.48, 3.21778897, 957.7374108, 2.274627939, 1e-9, 1.317690384, 0.375760881, 312.337261),
  alerts: row(0.95, 0.01, 1199.094025, -0.09002883, 1e-9, 0.185904477, 0.875193782, 417.725314),
};

export const QED_WEIGHTS = Object.fromEntries(QED_PROPERTIES.map((name) => [name, CURVES[name].weight])) as Readonly<
  Record<QedProperty, number>
>;

/** Above 0, and at most 1 but for the digits of the table. */
export function qedDesirability(property: QedProperty, x: number): number {
  const { a, b, c, d, e, f, most } = CURVES[property];
  const rising = 1 / (1 + exp(-(x - c + d / 2) / e));
  const falling = 1 - 1 / (1 + exp(-(x - c - d / 2) / f));
  return (a + b * rising * falling) / most;
}

/** Weighted geometric mean; 0 where a desirability is 0. */
export function geometricMean(parts: readonly { readonly desirability: number; readonly weight: number }[]): number {
  let [sum, weights] = [0, 0];
  for (const { desirability, weight } of parts) {
    // Of no weight: it does not count, whatever it is.
    if (weight === 0) continue;
    sum += weight * log(desirability);
    weights += weight;
  }
  return exp(sum / weights);
}

/** Pictures of a portfolio. */
import { barChart } from '../../charts/bar-chart.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import type { DrawnAnswer } from '../../problem-type.js';
import type { Config } from './config.js';
import { momentsOf } from './moments.js';
import { netReturn, volatilitiesOf, volatilityOf } from './optimize.js';

/** As many assets have a bar; the others are added up. */
const BARS = 15;
/** As many assets have their name beside their point. */
const NAMES = 30;

type Draw = (config: Config, answer: DrawnAnswer) => string | null;

export const pictures: Readonly<Record<string, Draw>> = {
  weights: (config, { bestSolution }) => bars('Weights and shares of the risk', config, bestSolution),

  risk_return: (config, { bestSolution, alternatives }) => {
    const moments = momentsOf(config);
    const { means, ids } = moments;
    if (means === null) return null;
    const single = volatilitiesOf(moments);
    const at = (weights: ArrayLike<number>): Point => [
      volatilityOf(moments, weights),
      netReturn(config, moments, weights),
    ];
    const curve = alternatives.map(({ weights }): Point => {
      const named = weights as Readonly<Record<string, number>>;
      return at(ids.map((name) => named[name] ?? 0));
    });
    return lineChart({
      title: 'Risk and return',
      xName: 'volatility',
      yName: 'expected return',
      series: [
        {
          name: 'single assets',
          points: Array.from(single, (risk, j): Point => [risk, means[j] ?? 0]),
          names: namesOf(ids, bestSolution),
          isScatter: true,
        },
        ...(curve.length === 0 ? [] : [{ name: 'frontier', points: curve }]),
      ],
      marks: [{ at: at(bestSolution), name: 'portfolio' }],
    });
  },
};

/** Names of all assets, or where they are many, of those that the portfolio holds most of. */
function namesOf(ids: readonly string[], weights: readonly number[]): (string | null)[] {
  if (ids.length <= NAMES) return [...ids];
  const held = weights
    .map((weight, j) => ({ size: Math.abs(weight), j }))
    .filter(({ size }) => size > 1e-9)
    .sort((a, b) => b.size - a.size || a.j - b.j);
  const named = new Set(held.slice(0, NAMES).map(({ j }) => j));
  return ids.map((name, j) => (named.has(j) ? name : null));
}

function bars(title: string, config: Config, weights: readonly number[]): string {
  const moments = momentsOf(config);
  const shares = momentsShares(moments.covariance, weights);
  const order = weights
    .map((weight, j) => ({ weight, share: shares[j] ?? 0, name: moments.ids[j] ?? '' }))
    .filter(({ weight }) => Math.abs(weight) > 1e-9)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const rest = order.slice(BARS);
  const sum = (of: 'weight' | 'share'): number => rest.reduce((total, one) => total + one[of], 0);
  const shown = [
    ...order.slice(0, BARS),
    ...(rest.length === 0 ? [] : [{ name: `${rest.length} others`, weight: sum('weight'), share: sum('share') }]),
  ];
  return barChart({
    title,
    xName: 'share of the portfolio',
    names: shown.map(({ name }) => name),
    series: [
      { name: 'weight', values: shown.map(({ weight }) => weight) },
      { name: 'share of the variance', values: shown.map(({ share }) => share) },
    ],
  });
}

function momentsShares(covariance: Float64Array, weights: readonly number[]): number[] {
  const n = weights.length;
  const parts = weights.map((weight, i) =>
    weights.reduce((sum, other, j) => sum + weight * (covariance[i * n + j] ?? 0) * other, 0),
  );
  const variance = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => (variance > 0 ? part / variance : 0));
}

/** Pictures of a division: response curves, other budgets, the plan of a cycle. */
import { type Config, weightsOf } from './config.js';
import type { DrawnAnswer } from '../../problem-type.js';
import { lineChart } from '../../charts/line-chart.js';
import { sumOf } from './plan.js';

const MOST_SERIES = 6;

function drawResponseCurves(config: Config, { result }: DrawnAnswer): string | null {
  const { curves, spend, response } = result as unknown as {
    readonly curves: Record<string, readonly (readonly [number, number])[]>;
    readonly spend: Record<string, number>;
    readonly response: Record<string, number>;
  };
  if (weightsOf(config).length > 1) return null;
  const names = Object.keys(curves)
    .sort((a, b) => spend[b] - spend[a])
    .slice(0, MOST_SERIES);
  return lineChart({
    title: 'Response by spend, and where each channel stands',
    xName: `spend per period (${config.currency ?? 'money'})`,
    yName: 'response',
    series: names.map((name) => ({ name, points: curves[name] })),
    marks: names.map((name, series) => ({ at: [spend[name], response[name]], name, series })),
  });
}

function drawBudgetCurve(_config: Config, { result }: DrawnAnswer): string | null {
  const {
    sensitivity: others,
    total_spend,
    total_response,
  } = result as unknown as {
    readonly sensitivity: readonly { readonly budget_change: number; readonly total_response: number | null }[];
    readonly total_spend: number;
    readonly total_response: number;
  };
  const known = others.flatMap(({ budget_change, total_response: y }) =>
    y === null ? [] : [[100 * budget_change, y] as const],
  );
  if (known.length < 2 || total_spend === 0) return null;
  const points = [...known, [0, total_response] as const].sort(([a], [b]) => a - b);
  return lineChart({
    title: 'Best response by the budget',
    xName: 'change of the budget (percent)',
    yName: 'total response',
    series: [{ name: 'response', points }],
    marks: [{ at: [0, total_response], name: 'this budget' }],
  });
}

function drawFlightPlan(config: Config, { result }: DrawnAnswer): string | null {
  const { plan } = result as unknown as { readonly plan?: Record<string, readonly number[]> };
  if (plan === undefined) return null;
  const names = Object.keys(plan)
    .sort((a, b) => sumOf(plan[b]) - sumOf(plan[a]))
    .slice(0, MOST_SERIES);
  return lineChart({
    title: 'Spend by period',
    xName: 'period',
    yName: `spend (${config.currency ?? 'money'})`,
    series: names.map((name) => ({ name, points: plan[name].map((x, t) => [t + 1, x] as const), width: 1 })),
  });
}

/** Pictures by kind. */
export const pictures = {
  response_curves: drawResponseCurves,
  budget_curve: drawBudgetCurve,
  flight_plan: drawFlightPlan,
};

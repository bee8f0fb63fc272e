/** Pictures of a search: its trials, what each parameter explains, the front of two objectives. */
import type { JsonObject } from '../../../model/problem.js';
import { type Config, objectivesOf } from './config.js';
import type { DrawnAnswer } from '../../problem-type.js';
import { type Point as ChartPoint, lineChart } from '../../charts/line-chart.js';
import { barChart } from '../../charts/bar-chart.js';

type ShownTrial = {
  readonly value: number | null;
  readonly resource?: number;
  readonly values?: Record<string, number>;
};

const trialsOf = (result: JsonObject): readonly ShownTrial[] => result['trials'] as unknown as readonly ShownTrial[];

const IMPORTANT = 12;

function drawTrials(config: Config, { result }: DrawnAnswer): string | null {
  const [{ name, direction }] = objectivesOf(config);
  const points: ChartPoint[] = [];
  const bests: ChartPoint[] = [];
  let best: number | null = null;
  for (const [i, { value, resource }] of trialsOf(result).entries()) {
    if (value === null || resource !== undefined) continue;
    points.push([i + 1, value]);
    if (best === null || (direction === 'minimize' ? value < best : value > best)) best = value;
    bests.push([i + 1, best]);
  }
  if (points.length === 0) return null;
  return lineChart({
    title: 'Value of each setting that was tried',
    xName: 'trial',
    yName: name,
    series: [
      { name: 'trial', points, isScatter: true },
      { name: 'best so far', points: bests, isStepped: true },
    ],
  });
}

function drawImportance(config: Config, { result }: DrawnAnswer): string | null {
  const importance = result['importance'] as Readonly<Record<string, { share: number }>> | null;
  if (importance === null) return null;
  const sorted = Object.entries(importance)
    .sort(([, a], [, b]) => b.share - a.share)
    .slice(0, IMPORTANT);
  const [{ name }] = objectivesOf(config);
  return barChart({
    title: 'What each parameter alone explains',
    xName: `share of the variance of ${name}`,
    names: sorted.map(([parameter]) => parameter),
    series: [{ name: 'share', values: sorted.map(([, { share }]) => share) }],
  });
}

function drawPareto(config: Config, { result }: DrawnAnswer): string | null {
  const [a, b] = objectivesOf(config);
  const front = result['pareto'] as readonly Record<string, number>[] | null;
  if (front === null || b === undefined) return null;
  const tried = trialsOf(result).flatMap(({ values }) => (values === undefined ? [] : [values]));
  const of = (one: Record<string, number>): ChartPoint => [one[a.name], one[b.name]];
  return lineChart({
    title: `${a.name} against ${b.name}`,
    xName: a.name,
    yName: b.name,
    series: [
      { name: 'tried', points: tried.map(of), isScatter: true },
      { name: 'front', points: front.map(of).sort((p, q) => p[0] - q[0]), isStepped: true },
    ],
  });
}

/** Pictures by kind. */
export const pictures = {
  trials: drawTrials,
  importance: drawImportance,
  pareto: drawPareto,
};

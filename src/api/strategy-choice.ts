/** Strategies that a request may ask for, and whether one suits the problem. */

/** A strategy that a request may ask for. */
export interface StrategyChoice {
  readonly name: string;
  /** Beyond it its memory or time runs away. */
  readonly maxDimension: number;
  /** How many objectives it takes, least and most; absent: one. */
  readonly objectives?: readonly [least: number, most: number];
}

/** Null: the strategy takes so many dimensions. */
export function dimensionComplaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  dimension: number,
): string | null {
  const most = strategies.find(({ name }) => name === strategy)?.maxDimension ?? Infinity;
  return dimension <= most ? null : `\`strategy\` "${strategy}" takes at most ${most} dimensions, not ${dimension}.`;
}

/** Null: the strategy takes so many objectives. */
export function objectivesComplaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  objectives: number,
): string | null {
  const choice = strategies.find(({ name }) => name === strategy);
  if (choice === undefined) return null;
  const [least, most] = choice.objectives ?? [1, 1];
  if (objectives >= least && objectives <= most) return null;
  const takes = most === 1 ? 'one objective' : `${least} to ${most} objectives`;
  return `\`strategy\` "${strategy}" searches for ${takes}, not for ${objectives}.`;
}

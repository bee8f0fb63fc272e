/** Strategies that a request may ask for, and whether one suits the problem. */
import { unsuitability, type SearchedTask } from '../strategies/suitability.js';

/** A strategy that a request may ask for. */
export interface StrategyChoice {
  readonly name: string;
  /** Beyond it its memory or time runs away. */
  readonly maxDimension: number;
  /** How many objectives it takes, least and most; absent: one. */
  readonly objectives?: readonly [least: number, most: number];
}

/** Null: the strategy takes so many dimensions. */
export const dimensionComplaint = (
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  dimension: number,
): string | null => complaint(strategies, strategy, { dimension });

/** Null: the strategy takes so many objectives. */
export const objectivesComplaint = (
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  objectives: number,
): string | null => complaint(strategies, strategy, { objectives });

function complaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  task: SearchedTask,
): string | null {
  const choice = strategies.find(({ name }) => name === strategy);
  const why = choice === undefined ? null : unsuitability(choice, task);
  return why === null ? null : `\`strategy\` "${strategy}" ${why}.`;
}

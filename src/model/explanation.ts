import type { Numbers } from '../common/phrase.js';

export const MAX_EXPLANATION_LEVEL = 5;

export type StatementTopic =
  | 'result'
  | 'front'
  | 'trade_off'
  | 'choice'
  | 'features'
  | 'program'
  | 'votes'
  | 'phase'
  | 'share'
  | 'convergence'
  | 'failures'
  | 'bounds'
  | 'sensitivity'
  | 'interaction'
  | 'flatness'
  | 'decision'
  | 'alternatives'
  | 'robustness'
  | 'reproduction'
  | 'constraint'
  | 'assumption';

export interface Statement {
  /** The lowest level of an explanation that has it. */
  readonly level: number;
  readonly topic: StatementTopic;
  readonly text: string;
  /** Every number in `text`, unrounded. */
  readonly evidence: Numbers;
}

export interface Explanation {
  readonly level: number;
  /** In the order of their levels. */
  readonly statements: readonly Statement[];
  /** Sentences that say what is missing, and why. */
  readonly notes: readonly string[];
}

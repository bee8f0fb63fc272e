/** Whether a strategy suits a task: the one rule, and the one sentence that everybody says where it does not. */
import type { ProgramView, StrategyFactory } from './strategy.js';

/** What a strategy takes; a `StrategyFactory`'s capabilities are one. */
export type Reach = Pick<StrategyFactory['capabilities'], 'maxDimension' | 'objectives' | 'isPossible'>;

/** What is asked about; what is absent counts as suitable. */
export interface SearchedTask {
  readonly dimension?: number;
  /** Values of a candidate. */
  readonly objectives?: number;
  /** The program, compiled for `n` variables; null: the objective can only be called. */
  readonly program?: { readonly n: number; readonly view: ProgramView } | null;
}

/** Why a strategy does not suit a task, to follow its name; null: it does. */
export function unsuitability(reach: Reach, { dimension, objectives, program }: SearchedTask): string | null {
  const { maxDimension, objectives: [least, most] = [1, 1] } = reach;
  if (objectives !== undefined && (objectives < least || objectives > most)) {
    return `searches for ${most === 1 ? 'one objective' : `${least} to ${most} objectives`}, not for ${objectives}`;
  }
  if (dimension !== undefined && dimension > maxDimension) {
    return `takes at most ${maxDimension} dimensions, not ${dimension}`;
  }
  if (program === undefined || !needsProgram(reach)) return null;
  if (program === null) return 'needs an objective that is compiled, and a run that is not black_box';
  if (reach.isPossible?.(program.n, program.view) !== false) return null;
  return 'does not suit the program of this objective';
}

export const suits = (reach: Reach, task: SearchedTask): boolean => unsuitability(reach, task) === null;

/** Whether it searches by what it reads of the objective's program, and by nothing else. */
export const needsProgram = ({ isPossible }: Pick<Reach, 'isPossible'>): boolean => isPossible !== undefined;

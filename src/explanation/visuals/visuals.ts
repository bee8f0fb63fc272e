/** The pictures of a run that has ended, made from its record and its history. */
import type { HistoryPoint } from '../../model/run-task.js';
import type { EndedRun } from '../ended-run.js';
import { convergencePlot } from './convergence.js';
import { paretoPlot } from './pareto.js';

const VISUAL_KINDS = ['convergence', 'pareto'] as const;

/** Pictures that there are of this run. A domain problem has its own (`ProblemAnswer.pictures`). */
export const visualsOf = ({ ending: { front, answer, evaluations } }: EndedRun): readonly string[] => {
  if (answer === undefined) return VISUAL_KINDS.filter((kind) => kind !== 'pareto' || front !== undefined);
  return evaluations > 1 ? [...answer.pictures, 'convergence'] : answer.pictures;
};

/** SVG; null: there is none of that kind, or it is a domain problem's own. `history`: oldest first. */
export function drawVisual(kind: string, run: EndedRun, history: readonly HistoryPoint[]): string | null {
  const { ending, request } = run;
  if (!visualsOf(run).some((own) => own === kind)) return null;
  if (!VISUAL_KINDS.some((own) => own === kind)) return null;
  if (kind === 'pareto') return ending.front === undefined ? null : paretoPlot(ending.front);
  const isSeveral = (request.task.objectives ?? 1) > 1;
  return convergencePlot(history, ending.evaluations, isSeveral ? 'hypervolume' : 'best value');
}

/**
 * The pictures of a run that has ended, made from its record and its history: looking at one evaluates nothing. A
 * picture that would mislead is not made; `noVisual` says why. A new kind is a line of `KINDS`.
 */
import type { HistoryPoint } from '../../model/run-task.js';
import type { EndedRun } from '../ended-run.js';
import { contourPlot, noContour } from './contour.js';
import { convergencePlot } from './convergence.js';
import { importancePlot, noImportance } from './importance.js';
import { noParallel, parallelPlot } from './parallel.js';
import { paretoPlot } from './pareto.js';
import { noSlices, slicePlot } from './slice.js';
import { noStrategies, strategiesPlot } from './strategies.js';

interface Kind {
  /** Why there is none; null: there is one. */
  readonly isMissing: (run: EndedRun) => string | null;
  /** `history`: oldest first. Only where nothing is missing. */
  readonly draw: (run: EndedRun, history: readonly HistoryPoint[]) => string;
}

const isSeveral = ({ request: { task } }: EndedRun): boolean => (task.objectives ?? 1) > 1;

const KINDS: Readonly<Record<string, Kind>> = {
  convergence: {
    isMissing: () => null,
    draw: (run, history) =>
      convergencePlot(history, run.ending.evaluations, isSeveral(run) ? 'hypervolume' : 'best value'),
  },
  pareto: {
    isMissing: (run) =>
      run.ending.front !== undefined
        ? null
        : isSeveral(run)
          ? 'no candidate had finite values'
          : 'it shows several objectives, and there is one',
    draw: ({ ending: { front } }) => paretoPlot(present(front)),
  },
  strategies: {
    isMissing: ({ ending }) => noStrategies(ending),
    draw: ({ ending }) => strategiesPlot(ending),
  },
  importance: {
    isMissing: noImportance,
    draw: ({ ending: { experiment } }) => importancePlot(present(experiment)),
  },
  slice: {
    isMissing: noSlices,
    draw: ({ ending: { experiment } }) => slicePlot(present(experiment)),
  },
  contour: {
    isMissing: noContour,
    draw: ({ ending: { experiment }, request }) => contourPlot(present(experiment), request.task.bounds),
  },
  parallel: {
    isMissing: noParallel,
    draw: parallelPlot,
  },
};

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a picture of what is missing');
  return value;
}

/** Pictures that there are of this run. A domain problem has its own (`ProblemAnswer.pictures`). */
export const visualsOf = (run: EndedRun): readonly string[] => {
  const { answer, evaluations } = run.ending;
  if (answer === undefined) return Object.keys(KINDS).filter((kind) => KINDS[kind].isMissing(run) === null);
  return evaluations > 1 ? [...answer.pictures, 'convergence'] : answer.pictures;
};

/** Why there is no picture of that kind; null: there is one, or there is no such kind. */
export const noVisual = (kind: string, run: EndedRun): string | null => {
  if (!Object.hasOwn(KINDS, kind)) return null;
  if (run.ending.answer === undefined) return KINDS[kind].isMissing(run);
  return visualsOf(run).includes(kind) ? null : 'a solver of the problem found the answer, without a search to show';
};

/**
 * SVG; null: there is none of that kind, or the problem draws it itself, even if a kind here has the same name.
 * `history`: oldest first.
 */
export function drawVisual(kind: string, run: EndedRun, history: readonly HistoryPoint[]): string | null {
  const isOwn = run.ending.answer?.pictures.includes(kind) ?? false;
  if (isOwn || !Object.hasOwn(KINDS, kind) || !visualsOf(run).includes(kind)) return null;
  return KINDS[kind].draw(run, history);
}

/**
 * An explanation of a run at a level from 0 to 5, made from its stored record alone: no search, no evaluation. One file
 * for each level; each statement is a template with the numbers that it rests on. Start with `explain`.
 */
import type { Explanation, Statement } from '../model/explanation.js';
import { askedLevel } from './asked-level.js';
import { courseStatements } from './course.js';
import { choiceStatements } from './choice.js';
import { decisionStatements } from './decisions.js';
import { importanceStatements } from './importance.js';
import { resultStatement } from './result.js';
import type { EndedRun } from './ended-run.js';
import { whyNoExperiment } from './why-no-experiment.js';

/**
 * Explanation at `level` (0..5), which may be higher than the run's own: evidence that costs no evaluation is always
 * kept. `notes` name what would have needed evaluations that the run did not spend.
 */
export function explain(run: EndedRun, level: number): Explanation {
  const { answer } = run.ending;
  if (answer !== undefined) {
    return { level, statements: answer.statements.filter((statement) => statement.level <= level), notes: [] };
  }
  // Nobody searched: why there is no answer is in its error.
  if (run.request.problem !== undefined)
    return { level, statements: level === 0 ? [] : [resultStatement(run)], notes: [] };
  const levels: readonly (() => readonly Statement[])[] = [
    () => [resultStatement(run)],
    () => choiceStatements(run),
    () => courseStatements(run),
    () => importanceStatements(run),
    () => decisionStatements(run),
  ];
  return { level, statements: levels.slice(0, level).flatMap((make) => make()), notes: missing(run, level) };
}

/** Explanation at the requested level as far as the run holds data for it; if it has a lower one, a note says why. */
export function ownExplanation(run: EndedRun): Explanation {
  const { level, note } = appliedLevel(run);
  const { statements, notes } = explain(run, level);
  return { level, statements, notes: note === null ? notes : [note, ...notes] };
}

/** The level that a run's own explanation has. `note`: why it is lower than the one asked for; null where it is not. */
function appliedLevel(run: EndedRun): { readonly level: number; readonly note: string | null } {
  const asked = askedLevel(run);
  const { experiment } = run.ending;
  if (run.request.problem !== undefined) return { level: asked, note: null };
  if (asked >= 4 && experiment === undefined) {
    return {
      level: 3,
      note: `Level ${asked} was asked for, level 3 is what there is data for: ${whyNoExperiment(run)}.`,
    };
  }
  if (asked >= 5 && experiment?.nearby.length === 0) {
    const why = 'a tenth of the budget was too little for a look at the robustness of the best point';
    return { level: 4, note: `Level ${asked} was asked for, level 4 is what there is data for: ${why}.` };
  }
  return { level: asked, note: null };
}

const INEXACT_EXTENSION =
  'This run goes on from another one. It need not equal one run with the larger budget: its strategy divides the budget, ' +
  'and the first part was planned with a smaller one, or part of it went to an explanation.';

function missing({ request, ending }: EndedRun, level: number): string[] {
  const { experiment, planning } = ending;
  const notes = [];
  if (request.extension?.isExact === false) notes.push(INEXACT_EXTENSION);
  if (level >= 4 && experiment === undefined) {
    notes.push(
      'Missing: sensitivities, interactions and flatness, which need evaluations that this run did not spend.',
    );
  }
  if (level >= 5 && (experiment === undefined || experiment.nearby.length === 0)) {
    notes.push('Missing: the robustness of the best point, which needs evaluations that this run did not spend.');
  }
  if (level >= 5 && planning !== undefined && planning.decisionCount > planning.decisions.length) {
    const { decisions, decisionCount } = planning;
    notes.push(`Of ${decisionCount} decisions the first and the latest are kept, ${decisions.length} in all.`);
  }
  return notes;
}

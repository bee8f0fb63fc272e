/** Output of `extremum optimize` for a run that has ended, or was interrupted: for people, as JSON, as CSV. */
import { representRun } from '../api/optimize/answer.js';
import { ownExplanation } from '../explanation/explain.js';
import { hasEnded } from '../explanation/ended-run.js';
import { DEFAULT_PRESET, PRESET_CONFIGS } from '../model/intelligence.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { RunEnding, RunRecord } from '../model/run-record.js';
import type { Front } from '../model/front.js';
import { finalStatus } from '../model/run-status.js';
import type { HistoryPoint, RunTask } from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { VerificationGap, Verified } from '../model/verification.js';
import { axisEnd, curveTitle, drawCurve, drawFront, shortNumber } from './curve.js';
import { excerpt, placed } from './objective-file.js';
import { printable, printableLines, terminalJson, wrap } from './text-safety.js';

export interface FinishedRun {
  /** As it was named. */
  readonly file: string;
  readonly source: ObjectiveSource;
  readonly task: RunTask;
  readonly blackBox: boolean;
  /** Absent: `f64`. */
  readonly precision?: 'f32';
  readonly pythonMinor: number;
  readonly ending: RunEnding;
  readonly history: readonly HistoryPoint[];
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly completedAt: number;
  /** Where the checkpoint is; null: there is none. */
  readonly checkpoint: string | null;
}

interface TextSettings {
  readonly columns: number;
  readonly withCurve: boolean;
  readonly unicode: boolean;
}

const CURVE_ROWS = 12;
const MAX_COLUMNS = 100;
/** Coordinates of a solution that are printed, from the first on; JSON has all. */
const SHOWN_COORDINATES = 100;
const SHOWN_REASONS = 3;
/** Points of a front that are printed, and the width of its columns. */
const SHOWN_POINTS = 20;
const COLUMN = 14;

const ENDS: Readonly<Record<RunEnding['terminationReason'], string>> = {
  budget: 'the budget is used up',
  target: 'the target is reached',
  optimal: 'the value is proven to be the best',
  converged: 'the search has converged',
  stagnated: 'no improvement for long',
  timeout: 'the time is up',
  cancelled: 'interrupted',
  error: 'the objective gives no number',
};

const UNCONFIRMED: Readonly<Record<VerificationGap, string>> = {
  no_interpreter: 'there is no interpreter',
  missing_module: 'the interpreter lacks a module of the source',
  other_python: 'the interpreter is of another version',
  interpreted: 'it gave all of them itself',
  setting: 'switched off',
  nothing_valued: 'compiled code gave none',
  time: 'more would have taken too long',
  undecided: 'of others nobody has stated the error',
  interpreter_lost: 'it died',
  no_function: 'there is no function',
  unfinished: 'the run was cut off',
};

/** As a record of the service; there is no store that it came from. */
function recordOf({ task, blackBox, precision, pythonMinor, ending, startedAt, completedAt }: FinishedRun): RunRecord {
  const explanationLevel = task.explanationLevel ?? 0;
  const preset = PRESET_CONFIGS[DEFAULT_PRESET];
  return {
    id: '',
    accountId: '',
    functionId: '',
    status: finalStatus(ending),
    request: {
      task,
      preset: DEFAULT_PRESET,
      // Nothing is learned here, and nothing used.
      intelligence: { ...preset, adaptive: false, interpretable: explanationLevel > 0, explanationLevel },
      blackBox,
      precision,
      pythonMinor,
    },
    metadata: {},
    createdAt: startedAt,
    startedAt,
    completedAt,
    attempt: 1,
    losses: 0,
    strikes: 0,
    cancelRequested: false,
    progress: null,
    ending,
  };
}

/** The record of the service's API; null what only a service has. */
export function jsonReport(run: FinishedRun): string {
  const { file, source, history, checkpoint } = run;
  const record = {
    ...representRun(recordOf(run)),
    id: null,
    objective_function_id: null,
    function: { file, name: source.entry },
    history: history.map((point) => ({
      evaluations: point.evaluations,
      best_fitness: point.bestFitness,
      elapsed_seconds: point.elapsedSeconds,
    })),
    checkpoint,
  };
  return `${terminalJson(record)}\n`;
}

export function csvReport({ history, ending: { front }, task }: FinishedRun): string {
  if ((task.objectives ?? 1) > 1) return frontCsv(front?.points ?? [], task);
  const rows = history.map((point) => `${point.evaluations},${point.bestFitness},${point.elapsedSeconds}\n`);
  return `evaluations,best_fitness,elapsed_seconds\n${rows.join('')}`;
}

function frontCsv(points: Front['points'], { objectives = 1, bounds }: RunTask): string {
  const names = [...Array.from({ length: objectives }, (_, i) => `f${i + 1}`), ...bounds.map((_, i) => `x${i + 1}`)];
  return [names, ...points.map(({ values, solution }) => [...values, ...solution])]
    .map((row) => `${row.join(',')}\n`)
    .join('');
}

export function textReport(run: FinishedRun, settings: TextSettings): string {
  const columns = Math.min(settings.columns, MAX_COLUMNS);
  const parts = [
    settings.withCurve ? drawing(run, { ...settings, columns }) : [],
    result(run),
    front(run.ending),
    where(run),
    failures(run),
    explanation(run, columns),
  ];
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${printableLines(texts.join('\n\n'))}\n`;
}

/** Draws the front of two objectives, else the curve. */
function drawing(run: FinishedRun, settings: TextSettings): string[] {
  const { front: found } = run.ending;
  const values = run.task.objectives === 2 ? (found?.points ?? []).map((point) => point.values) : [];
  const picture = drawFront(values, { ...settings, rows: CURVE_ROWS });
  return picture.length > 0 ? picture : curve(run, settings);
}

function curve({ history, ending, task }: FinishedRun, { columns, unicode }: TextSettings): string[] {
  const last = history.at(-1);
  if (last === undefined) return [];
  const { evaluations } = ending;
  // What was not searched is not drawn, but where an interrupted run has the rest before it.
  const isCancelled = ending.terminationReason === 'cancelled';
  const maxEvaluations = isCancelled ? axisEnd(evaluations, task.maxEvaluations) : evaluations;
  return drawCurve([...history, { ...last, evaluations }], {
    columns,
    rows: CURVE_ROWS,
    maxEvaluations,
    what: curveTitle(task),
    unicode,
  });
}

function result({ ending, history, task }: FinishedRun): string[] {
  const { objectives = 1 } = task;
  const { bestFitness, bestSolution, evaluations, durationSeconds, terminationReason, optimality } = ending;
  const bound = optimality?.bound === undefined ? [] : [`Bound        ${optimality.bound} (${optimality.status})`];
  return [
    objectives === 1 ? `Best value   ${bestFitness ?? 'none'}` : frontText(ending, history),
    ...(bestSolution === null ? [] : [`at x         ${solutionText(bestSolution)}`]),
    ...bound,
    `Evaluations  ${evaluations} of ${task.maxEvaluations} in ${durationSeconds.toFixed(2)} s; ${ENDS[terminationReason]}`,
    `Seed         ${task.seed}`,
  ];
}

function frontText({ front: found, bestSolution }: RunEnding, history: readonly HistoryPoint[]): string {
  if (bestSolution === null) return 'Front        none';
  const hypervolume = found?.hypervolume ?? history.at(-1)?.bestFitness;
  const size = found === undefined ? '' : `${found.points.length} points, `;
  return `Front        ${size}hypervolume ${hypervolume}; its knee is`;
}

/** The values of the points, evenly chosen where there are many; JSON and CSV have all, with their solutions. */
function front({ front: found }: RunEnding): string[] {
  if (found === undefined) return [];
  const { points } = found;
  const rows = Math.min(points.length, SHOWN_POINTS);
  const shown = Array.from(
    { length: rows },
    (_, i) => points[rows === 1 ? 0 : Math.round((i * (points.length - 1)) / (rows - 1))],
  );
  const head = shown[0]?.values.map((_, i) => `f${i + 1}`.padStart(COLUMN)).join('') ?? '';
  const more = points.length - rows;
  return [
    head,
    ...shown.map(
      (point) =>
        point.values.map((value) => shortNumber(value).padStart(COLUMN)).join('') +
        (point === points[found.knee] ? '  knee' : ''),
    ),
    ...(more > 0 ? [`(${more} more: --csv, --json)`] : []),
  ];
}

function solutionText(solution: readonly number[]): string {
  const shown = solution.slice(0, SHOWN_COORDINATES).join(', ');
  const more = solution.length - SHOWN_COORDINATES;
  return more > 0 ? `[${shown}, ...] (${more} more: --json)` : `[${shown}]`;
}

/** Nothing where CPython itself gave all values. */
function confirmed(verified: Verified | undefined): string[] {
  if (verified === undefined || verified.reason === 'interpreted') return [];
  const { points, reason, message } = verified;
  // What is undecided about the argument says it all.
  const words = [reason === 'undecided' && message !== undefined ? undefined : reason && UNCONFIRMED[reason], message];
  const why = words.filter((each) => each !== undefined).join(': ');
  const gap = why === '' ? '' : ` (${why})`;
  return [`Confirmed    ${points === 0 ? 'no value' : `${points} values`} by CPython${gap}`];
}

/** Below this, several processes would be felt. */
const SLOW_PER_SECOND = 100;

function where({ ending: { backend, verified }, file, source }: FinishedRun): string[] {
  if (backend === null) return [];
  const { name, device, reason, evaluationsPerSecond, sharing, notCompiled = [] } = backend;
  const { stateless } = sharing ?? {};
  const isAlone =
    stateless?.value === false && source.stateless === undefined && evaluationsPerSecond < SLOW_PER_SECOND;
  const pace =
    evaluationsPerSecond > 0 ? `, ${Math.round(evaluationsPerSecond).toLocaleString('en-US')} evaluations/s` : '';
  const shown = notCompiled.slice(0, SHOWN_REASONS).map((finding) => placed(file, source.code, finding));
  const more = notCompiled.length - shown.length;
  return [
    `Ran on       ${name} (${device}${pace})`,
    ...(shown.length === 0 ? [`             ${reason}`] : ['Not compiled, so Python itself was called:', ...shown]),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...(isAlone
      ? [`By one process: ${stateless.reason}. If it keeps nothing, --stateless lets several value at once.`]
      : []),
    ...confirmed(verified),
  ];
}

function failures({
  ending: { failedEvaluations, failures: first, evaluations },
  file,
  source,
}: FinishedRun): string[] {
  if (failedEvaluations === 0) return [];
  return [
    `${failedEvaluations} of ${evaluations} evaluations gave no number; the first:`,
    ...new Set(first.map((failure) => failureLines(file, source.code, failure).join('\n'))),
  ];
}

/** Python tells the line of an error, not its column. */
function failureLines(file: string, code: string, { type, message, line }: EvaluationFailure): string[] {
  const text = code.split(/\r\n|\r|\n/)[line - 1] ?? '';
  const column = text.length - text.trimStart().length + 1;
  const place = line > 0 ? `${file}:${line}: ` : '';
  return [printable(`${place}${type}: ${message}`), ...excerpt(code, line, column)];
}

function explanation(run: FinishedRun, columns: number): string[] {
  const record = recordOf(run);
  // What an interrupted run would say of itself is not yet known.
  if (!hasEnded(record) || run.ending.terminationReason === 'cancelled' || run.task.explanationLevel === 0) return [];
  const { statements, notes } = ownExplanation(record);
  const texts = [...statements.map(({ text }) => text), ...notes];
  return texts.flatMap((text) => wrap(text, columns - 2).map((line, i) => `${i === 0 ? '- ' : '  '}${line}`));
}

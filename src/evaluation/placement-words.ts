/**
 * The words for where candidates are valued, and why there: in records of runs, answers, events and refusals. They
 * stand here and nowhere else. This file names no backend but the one that runs Python itself, and loads none.
 */
import type { CompilationReason } from '../model/function-record.js';
import type { EvaluationUse } from '../model/run-task.js';
import type { Misreading } from '../model/verification.js';

/** The backend that runs the source itself: its values are the objective's by definition. */
export const PYTHON_BACKEND = 'cpython';

/** A function of the caller's own: there is nothing to choose. */
export const CALLED_AS_IT_IS = 'called as it is';

/**
 * Why `name` runs a program. `passedOver`: the backends before it, each with its reason. `isBeside`: a device may value
 * candidates, too.
 */
export function compiledReason(name: string, passedOver: readonly string[], isBeside = false): string {
  const others = passedOver.length === 0 ? '' : `; passed over ${passedOver.join('; ')}`;
  const place = isBeside ? ' of the processor' : '';
  return `the source compiles, and ${name} is the fastest backend${place} that takes it${others}`;
}

export const noBackendTakesIt = (passedOver: readonly string[]): string =>
  `No backend takes this objective (${passedOver.join('; ')}).`;

/** Why CPython runs a source, by the first of the reasons why it was not compiled. */
export function interpretedReason([first]: readonly CompilationReason[]): string {
  if (first?.kind === 'misread') return first.message;
  return `the source ${first?.kind === 'objective' ? 'goes to' : 'needs'} CPython${placeOf(first)}`;
}

/** `reason`: why CPython is needed; `absence`: why there is none, where that is known. */
export const notInterpretable = (reason: string, absence: string | null): string =>
  `${reason}, which is not available${absence === null ? '' : `: ${absence}`}.`;

/** Refuses a function that only CPython can run. `absence`: why there is none. */
export function notRunnable(first: CompilationReason | undefined, absence: string): string {
  const missing = `is not available: ${absence}.`;
  return first?.kind === 'objective'
    ? `This function was not compiled${placeOf(first)}. CPython, which would show the exception, ${missing}`
    : `This function needs CPython${placeOf(first)}, which ${missing}`;
}

export const misreadNotRunnable = (misreading: Misreading, absence: string): string =>
  `This function needs CPython: ${describeMisreading(misreading)}. It is not available: ${absence}.`;

const placeOf = (reason: CompilationReason | undefined): string =>
  reason === undefined ? '' : ` (line ${reason.line}: ${reason.message})`;

// --- the processor and a device

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function duration(seconds: number): string {
  const [value, unit] = seconds < 1e-3 ? [seconds * 1e6, 'µs'] : seconds < 1 ? [seconds * 1e3, 'ms'] : [seconds, 's'];
  return `${value >= 99.5 ? whole.format(value) : Number(value.toPrecision(2))} ${unit}`;
}

/** What `count` candidates take in both places. */
interface Costs {
  readonly count: number;
  readonly processor: number;
  readonly device: number;
}

/** `of`: evaluations altogether. */
export function comparedReason(device: string, processor: string, costs: Costs, onDevice: number, of: number): string {
  const share = onDevice === 0 ? 'none' : onDevice >= of ? 'all' : whole.format(onDevice);
  const [there, here] = [duration(costs.device), duration(costs.processor)];
  return (
    `${share} of ${whole.format(of)} evaluations went to ${device}: ` +
    `for ${whole.format(costs.count)} candidates it takes ${there}, ${processor} ${here}`
  );
}

/** Of a strategy that lived there. */
export const generationsStayed = (generations: number): string =>
  generations === 0 ? '' : `; ${whole.format(generations)} generations stayed there`;

export const deviceNotReady = (device: string): string => `the run was over before ${device} was ready`;

export const deviceNotOpened = (device: string): string =>
  `${device} was not opened, because that takes longer than the evaluations, or would not make them faster`;

export const deviceNotTried = (device: string, { count, processor, device: there }: Costs): string =>
  `${device} was not tried, because it would take about ${duration(there)} for ${whole.format(count)} candidates ` +
  `instead of ${duration(processor)}`;

/** `onDevice`: evaluations there until then. */
export const deviceLeft = (device: string, why: string, onDevice: number): string =>
  onDevice === 0
    ? `${device} is not used: ${why}`
    : `${device} was left after ${whole.format(onDevice)} evaluations: ${why}`;

// --- single precision

/** Why a request for single precision gets values in double precision. */
export const doubleInstead = (reasons: readonly string[]): string =>
  `values are in double precision instead of single, because ${[...new Set(reasons)].join(', and ')}`;

export const GPU_NOT_WANTED = 'GPU acceleration is switched off';

export const SEVERAL_OBJECTIVES = 'several objectives have no best candidate';

export const NO_DEVICE = 'this host has no GPU';

/** `single` of `of` evaluations have values of single precision. */
export const singleReason = (device: string, single: number, of: number): string =>
  `single precision was asked for: ${device} valued ${whole.format(single)} of ${whole.format(of)} evaluations; ` +
  'the best ones, failures and small batches are of double precision';

export const singleLeft = (device: string, why: string, single: number): string =>
  `${deviceLeft(device, why, single)}; from there on values are in double precision`;

// --- moves during a run

export const movedFromLost = (from: string, to: string, why: string): string =>
  `${from} was lost, so the run moved to ${to}: ${why}`;

/** `share`: of `evaluations` candidates, those that `from` left to `to`. */
export const movedFromFlagged = (from: string, to: string, share: number, evaluations: number): string =>
  `${Math.round(share * 100)} % of ${evaluations} candidates on ${from} needed ${to}, so the run moved there`;

export const MOVED_TO_NOWHERE = 'The run had moved to CPython, which is not there any more.';

/**
 * Why a run was where it ended. `choice`: of the kernel between its places, empty where it had none; `move`: why it
 * went there from where it began, null where it stayed.
 */
export const reasonAtEnd = (reason: string, choice: string, move: string | null): string =>
  [reason, choice, move ?? ''].filter((words) => words !== '').join('; ');

// --- misreadings

/** Coordinates that are shown of a point; the record of the function has all. */
const SHOWN = 8;

/** In the place of a program: why there is none. */
export function misreadReason(misreading: Misreading): {
  readonly ir: null;
  readonly reasons: readonly CompilationReason[];
} {
  return { ir: null, reasons: [{ kind: 'misread', message: describeMisreading(misreading), line: 1, column: 1 }] };
}

export function describeMisreading({ point, compiled, cpython, bound }: Misreading): string {
  const at = `[${point.slice(0, SHOWN).join(', ')}${point.length > SHOWN ? ', ...' : ''}]`;
  const gave = 'type' in cpython ? `CPython raises ${cpython.type}` : `CPython gives ${cpython.join(', ')}`;
  const proof = bound === undefined ? '' : `, beyond the bound ${bound} that was certified`;
  return `compiled code misreads the source, so CPython evaluates it: at ${at} compiled code gave ${compiled.join(', ')}, ${gave}${proof}`;
}

// --- where values came from

/** Whether Python itself gave some of the values: carried out again, it need not give them twice. */
export const usedPython = ({ tiers }: EvaluationUse): boolean => PYTHON_BACKEND in tiers;

/** Whether compiled code gave some of the values. */
export const usedCompiledCode = ({ tiers }: EvaluationUse): boolean =>
  Object.keys(tiers).some((tier) => tier !== PYTHON_BACKEND);

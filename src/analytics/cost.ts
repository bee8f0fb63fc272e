/** Cost of runs, and the part of it that could have been spared. */
import { phrase, type Numbers } from '../common/phrase.js';
import type { CostOpportunity } from '../model/analytics.js';
import type { RunTally } from '../model/run-facts.js';

/** Per unit, in `currency`. */
export interface Rates {
  readonly perCpuSecond: number;
  readonly perGpuSecond: number;
  readonly perEvaluation: number;
  readonly currency: string;
}

const MICROS = 1e6;

interface Used {
  readonly evaluations: number;
  readonly cpuMicros: number;
  readonly gpuMicros: number;
}

export const costOf = (rates: Rates, { evaluations, cpuMicros, gpuMicros }: Used): number =>
  rates.perCpuSecond * (cpuMicros / MICROS) +
  rates.perGpuSecond * (gpuMicros / MICROS) +
  rates.perEvaluation * evaluations;

/**
 * Work that would have been spared, and a message that says so. The message's numbers are those of `spared`, and
 * `more`.
 */
interface Finding {
  readonly runs: number;
  readonly spared: Used;
  readonly message: string;
  readonly more?: Numbers;
}

/**
 * Largest saving first; a finding that concerns no run is left out. GPU seconds are counted only where whole runs would
 * have been spared, because nothing says which of them an evaluation took.
 */
export function opportunitiesOf(rates: Rates, tally: RunTally, optimizationId: string | null): CostOpportunity[] {
  const findings = [idle(tally), interpreted(tally), faulty(tally), experiments(tally), failed(tally)];
  return findings
    .filter((finding) => finding !== null && finding.runs > 0)
    .map((finding) => {
      const { runs, spared, message, more = {} } = finding!;
      const { evaluations, cpuMicros } = spared;
      const cpu = Number((cpuMicros / MICROS).toPrecision(3));
      return {
        optimizationId,
        message: phrase(message, { runs, evaluations, cpu, ...more }),
        estimatedSaving: costOf(rates, spared),
      };
    })
    .sort((a, b) => b.estimatedSaving - a.estimatedSaving);
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10);

function idle({ idleRuns, idleEvaluations, idleCpuMicros, evaluations }: RunTally): Finding {
  return {
    runs: idleRuns,
    spared: { evaluations: idleEvaluations, cpuMicros: idleCpuMicros, gpuMicros: 0 },
    message:
      'Runs that went on to the end of their budget long after their last improvement: {runs}. A `stagnation_evaluations` ' +
      'as long as their longest wait for an improvement would have given the same results with {evaluations} evaluations ' +
      '({share} % of all) and {cpu} s of processor time less.',
    more: { share: percent(idleEvaluations, evaluations) },
  };
}

/** Compared with what an evaluation of the other runs takes; where there are none, nothing is known. */
function interpreted(tally: RunTally): Finding | null {
  const { interpretedRuns, interpretedEvaluations, interpretedCpuMicros, evaluations, cpuMicros } = tally;
  const compiledEvaluations = evaluations - interpretedEvaluations;
  if (compiledEvaluations === 0 || interpretedEvaluations === 0) return null;
  const each = interpretedCpuMicros / interpretedEvaluations;
  const compiled = (cpuMicros - interpretedCpuMicros) / compiledEvaluations;
  if (each <= compiled) return null;
  return {
    runs: interpretedRuns,
    spared: { evaluations: 0, cpuMicros: interpretedCpuMicros - compiled * interpretedEvaluations, gpuMicros: 0 },
    message:
      'Runs whose objective was not compiled: {runs}. An evaluation took them {each} microseconds of processor time, the ' +
      'other runs {compiled}. `compilation.reasons` of a function says what to change; {cpu} s would be spared.',
    more: { each: Number(each.toPrecision(3)), compiled: Number(compiled.toPrecision(3)) },
  };
}

function faulty({ faultyRuns, faultyEvaluations, faultyCpuMicros, evaluations }: RunTally): Finding {
  return {
    runs: faultyRuns,
    spared: { evaluations: faultyEvaluations, cpuMicros: faultyCpuMicros, gpuMicros: 0 },
    message:
      'Evaluations that raised or gave no number: {evaluations} ({share} % of all) in {runs} runs, {cpu} s of processor ' +
      'time. Narrower bounds, or an objective that gives a number everywhere, would spare them.',
    more: { share: percent(faultyEvaluations, evaluations) },
  };
}

function experiments({ experimentRuns, experimentEvaluations, experimentCpuMicros }: RunTally): Finding {
  return {
    runs: experimentRuns,
    spared: { evaluations: experimentEvaluations, cpuMicros: experimentCpuMicros, gpuMicros: 0 },
    message:
      'Evaluations for explanations of level 4 and 5: {evaluations} in {runs} runs, {cpu} s of processor time. Level 3 needs none.',
  };
}

function failed(tally: RunTally): Finding {
  const { failed: runs, failedEvaluations, failedCpuMicros, failedGpuMicros } = tally;
  return {
    runs: failedEvaluations > 0 ? runs : 0,
    spared: { evaluations: failedEvaluations, cpuMicros: failedCpuMicros, gpuMicros: failedGpuMicros },
    message:
      'Runs that failed or were cancelled: {runs}, after {evaluations} evaluations and {cpu} s of processor time in all. ' +
      '`POST /v1/functions/.../evaluate` shows most errors before a run; `timeout_seconds` ends one in time, with its result.',
  };
}

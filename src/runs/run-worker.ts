/**
 * The functions that the pools call by name in a worker thread (`WorkerFunction` in worker-protocol.ts). A thread gives
 * way to the main thread, and may run programs that a test has altered (`ThreadFaults`).
 */
import { Piscina } from 'piscina';
import { giveWay } from '../common/priority.js';
import { alterPrograms, compile } from '../evaluation/compile-cache.js';
import { stopClockOfChecks } from '../evaluation/kernels.js';
import type { IrFunction } from '../ir/types.js';
import { analyze as analyzeUpload } from './analyze-upload.js';
import type { ThreadFaults } from './worker-pools.js';
import type {
  AnalysisJob,
  AnalysisResult,
  CompilesJob,
  PictureJob,
  ProblemJob,
  SolveResult,
} from './worker-protocol.js';

giveWay();
const { programs, argument, checksWait = false } = (Piscina.workerData ?? {}) as ThreadFaults;
if (programs !== undefined) {
  alterPrograms(((await import(programs)) as { default: (ir: IrFunction) => IrFunction }).default);
}
if (checksWait) stopClockOfChecks();

export { rasterize } from '../common/rasterize.js';
export { probe } from '../evaluation/placement.js';
export { carryOut } from './carry-out.js';
export { evaluate } from './evaluate-points.js';

export async function analyze(job: AnalysisJob): Promise<AnalysisResult> {
  const result = await analyzeUpload(job);
  if (argument === undefined || result.kind === 'failed' || result.analysis.source === null) return result;
  return { ...result, analysis: { ...result.analysis, source: { ...result.analysis.source, argument } } };
}

export const compiles = ({ source, ...options }: CompilesJob): boolean => compile(source, options).ir !== null;

/** Problem types and their solvers are loaded by the first problem. */
export const solve = async (job: ProblemJob): Promise<SolveResult> => (await import('./problem-run.js')).solve(job);
export const draw = async (job: PictureJob): Promise<string | null> => (await import('./problem-run.js')).draw(job);

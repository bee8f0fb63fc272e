/**
 * Linear, mixed-integer and convex quadratic programmes, solved by HiGHS (WebAssembly) in a thread of its own: a call
 * of HiGHS blocks, and a thread can be ended. The thread starts with the first programme and is used again for later
 * ones. After a failure of HiGHS it is ended too, since what its memory holds then is anybody's guess.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { distEntry } from '../../../common/dist-entry.js';
import { errorFrom } from '../../../common/thread-call.js';
import { workerExecArgv } from '../../../common/worker-threads.js';
import { Unsolved } from '../../problem-type.js';
import type { LinearOptions, LinearProgram, LinearSolution } from '../linear-program.js';
import {
  flatten,
  valueOf,
  type FlatJob,
  type FlatProgram,
  type FlatReport,
  type FlatSolution,
} from './flat-program.js';

const LOOK_MS = 50;

/** The package's release and the library in it. */
export const HIGHS = 'HiGHS 1.15.1 (highs 1.15.3)';

/** The part of the WebAssembly interface that we use; the compiled module goes to the threads as it is. */
interface Host {
  compile(bytes: Uint8Array): Promise<object>;
}

const { WebAssembly: host } = globalThis as unknown as { readonly WebAssembly: Host };
const require = createRequire(import.meta.url);
let compiled: Promise<object> | null = null;

/**
 * Compiled once. Threads share the machine code as long as the module is held; without that each thread compiles it
 * anew, and begins with the slow code of the first pass.
 */
const library = (): Promise<object> =>
  (compiled ??= readFile(require.resolve('highs/runtime')).then((bytes) => host.compile(bytes)));

export class LinearSolver {
  private worker: Worker | null = null;
  /** Programmes are solved one by one. */
  private last: Promise<unknown> = Promise.resolve();

  /** `isOver`: asked while a programme is being solved; once it says so the thread is ended. */
  constructor(private readonly isOver: () => boolean) {}

  /** @throws {RangeError} for programmes that are none; {Unsolved} where HiGHS fails, with its error as the cause */
  solve(program: LinearProgram, options: LinearOptions = {}): Promise<LinearSolution> {
    const solution = this.last.then(() => this.solveNow(program, options));
    this.last = solution.catch(() => undefined);
    return solution;
  }

  async close(): Promise<void> {
    const worker = this.worker;
    this.worker = null;
    await worker?.terminate();
  }

  private async solveNow(program: LinearProgram, options: LinearOptions): Promise<LinearSolution> {
    if (program.columns.length === 0) return ofNoColumns(program);
    const flat = flatten(program);
    const solution = await this.inThread({ program: flat, options }, await library());
    return named(program, flat, solution);
  }

  private inThread(job: FlatJob, wasmModule: object): Promise<FlatSolution | InterruptedSolution> {
    if (this.isOver()) return Promise.resolve({ status: 'interrupted', values: null, bound: null });
    this.worker ??= new Worker(distEntry('domains/solvers/highs/highs-worker'), {
      execArgv: workerExecArgv(),
      workerData: wasmModule,
    });
    const worker = this.worker;
    let values: Float64Array | null = null;
    let bound: number | null = null;
    return new Promise<FlatSolution | InterruptedSolution>((resolve, reject) => {
      const look = setInterval(() => {
        if (this.isOver()) end(() => resolve({ status: 'interrupted', values, bound }));
      }, LOOK_MS);
      const leave = (): void => {
        clearInterval(look);
        worker.off('message', onReport).off('error', onError).off('exit', onExit);
      };
      /** Ends the solve together with the thread. */
      const end = (settle: () => void): void => {
        leave();
        // What a thread says while it ends is nobody's business any more.
        worker.on('error', () => undefined);
        if (this.worker === worker) this.worker = null;
        void worker.terminate().then(settle, reject);
      };
      const onError = (error: Error): void => end(() => reject(error));
      const onExit = (): void => end(() => reject(new Error('the thread of HiGHS ended before its answer')));
      const onReport = (report: FlatReport): void => {
        if (report.kind === 'incumbent') {
          values = report.values ?? values;
          bound = Number.isFinite(report.bound) ? report.bound : bound;
        } else if (report.kind === 'failed') {
          const cause = errorFrom(report.error);
          end(() => reject(new Unsolved(cause.message, { cause })));
        } else {
          leave();
          resolve(report.solution);
        }
      };
      worker.on('message', onReport).on('error', onError).on('exit', onExit);
      worker.postMessage(job);
    });
  }
}

interface InterruptedSolution {
  readonly status: 'interrupted';
  /** The best so far. */
  readonly values: Float64Array | null;
  readonly bound: number | null;
}

/** Solution in the programme's own sense and names. */
function named(program: LinearProgram, flat: FlatProgram, found: FlatSolution | InterruptedSolution): LinearSolution {
  const { sense, columns, rows, constant = 0 } = program;
  const sign = sense === 'minimize' ? 1 : -1;
  const turned = (duals: Float64Array | null): Float64Array | null =>
    duals === null || sign === 1 ? duals : duals.map((value) => 0 - value);
  const { status, values } = found;
  const objective = values === null ? null : sign * valueOf(flat, values) + constant;
  const bound = found.bound === null ? null : sign * found.bound + constant;
  if (found.status === 'interrupted') {
    const rest = { rowDuals: null, reducedCosts: null, nodes: 0, iterations: 0, conflict: [] };
    return { status, objective, values, bound, ...rest };
  }
  const { nodes, iterations, conflict } = found;
  return {
    status,
    objective,
    values,
    rowDuals: turned(found.rowDuals),
    reducedCosts: turned(found.reducedCosts),
    bound: status === 'optimal' ? (bound ?? objective) : null,
    nodes,
    iterations,
    conflict: [
      ...conflict.rows.map((i) => rows[i]?.name ?? ''),
      ...conflict.columns.map((j) => columns[j]?.name ?? ''),
    ],
  };
}

function ofNoColumns({ rows, constant = 0 }: LinearProgram): LinearSolution {
  const broken = rows.filter(({ lower = -Infinity, upper = Infinity }) => lower > 0 || upper < 0);
  const isFeasible = broken.length === 0;
  return {
    status: isFeasible ? 'optimal' : 'infeasible',
    objective: isFeasible ? constant : null,
    values: isFeasible ? new Float64Array() : null,
    rowDuals: isFeasible ? new Float64Array(rows.length) : null,
    reducedCosts: isFeasible ? new Float64Array() : null,
    bound: isFeasible ? constant : null,
    nodes: 0,
    iterations: 0,
    conflict: broken.slice(0, 1).map(({ name }) => name),
  };
}

/**
 * The kernels of one objective: compiled where that is possible, CPython beside or instead of it, the checker that
 * confirms values, and the program as far as it is read. `withKernels` opens all that and closes it again.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Kernel } from '../backends/backend.js';
import { connectKernel } from '../backends/remote-kernel.js';
import { ExtremumError } from '../common/errors.js';
import { watched } from '../common/watch.js';
import type { IrFunction } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import type { CompilationReason } from '../model/function-record.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import { resultsIn, type ObjectiveSource } from '../model/objective.js';
import type { Finding } from '../model/program-structure.js';
import type { Direction } from '../model/objective.js';
import type { Misreading, VerificationGap } from '../model/verification.js';
import { Checker } from '../verification/checker.js';
import { compile, judgedForm, outcomesOf } from './compile-cache.js';
import { openProgram } from './derived-programs.js';
import { place, type Placement, type PlacementRequest } from './placement.js';
import { interpretedReason, misreadReason, notInterpretable } from './placement-words.js';
import type { OpenProgram } from './program-reader.js';
import { UNLIMITED, type ReadingAllowance } from './reading-allowance.js';
import { WorkInterrupted } from './work-interrupted.js';

/** Milliseconds, monotonic: what checks may take. */
let clockOfChecks = (): number => performance.now();

/** For tests on busy machines: from now on, checks of this thread never run out of time. */
export function stopClockOfChecks(): void {
  const stopped = performance.now();
  clockOfChecks = () => stopped;
}

/** A port to a CPython kernel for the objective (`connectKernel`), or why there is none. */
export type PythonAccess =
  | {
      readonly port: MessagePort;
      /** Candidates that it values side by side, and that are therefore to be asked for at once. Absent: 1. */
      readonly sideBySide?: number;
    }
  | { readonly port: null; readonly reason: string };

export interface Kernels {
  readonly primary: Kernel;
  readonly fallback: Kernel | null;
  readonly backendReason: string;
  /** Null where the source was not compiled, or is not read. */
  readonly program: OpenProgram | null;
  /** Findings in the program, or why it is not read; null: it must not be. */
  readonly reading: { readonly findings: readonly Finding[]; readonly isLate: boolean } | null;
  /** Absent: none is needed. */
  readonly readingAllowance?: ReadingAllowance;
  /** Why the source was not compiled; empty where it was. */
  readonly notCompiled: readonly CompilationReason[];
  /** Null: nobody confirms values, for the reason `unchecked`. */
  readonly checker: Checker | null;
  readonly unchecked: VerificationGap;
  /** Candidates that `primary` values side by side; absent: it does not matter to it. */
  readonly sideBySide?: number;
}

interface KernelRequest extends PlacementRequest {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  /** Where every candidate will lie; absent: anywhere. */
  readonly bounds?: Bounds;
  readonly pythonMinor: number;
  readonly interpreter: InterpreterFacts | null;
  readonly python: PythonAccess;
  /** Why nobody checks values; null: the port of `python` does, too. */
  readonly unchecked: VerificationGap | null;
  /** Null: nobody has found that compiled code misreads the source. */
  readonly misread: Misreading | null;
  /** Decides which values are checked. */
  readonly seed: number;
  /** Absent: `minimize`. */
  readonly direction?: Direction;
  /** The program is only called; absent: true. */
  readonly blackBox?: boolean;
  /** Allowance for reading a program; absent: all. */
  readonly allowance?: (ir: IrFunction) => ReadingAllowance;
  /** Ends compilation and reading by throwing. */
  readonly look?: () => void;
}

/** The time was up while the program was read. */
export const LATE: readonly Finding[] = [
  { topic: 'limits', text: 'The time of the run was up before its program had been read.', lines: [] },
];

/** Compiles, opens what evaluates the objective best on this host, and closes it again when `use` is done. */
export async function withKernels<T>(request: KernelRequest, use: (kernels: Kernels) => Promise<T>): Promise<T> {
  const { source, dimension, python } = request;
  const remote = python.port === null ? null : connectKernel(python.port);
  let placement: Placement | null = null;
  let checking: Checking | null = null;
  try {
    const { look = () => undefined, pythonMinor, interpreter, bounds } = request;
    const { ir, reasons } =
      request.misread === null
        ? watched(look, () => compile(source, { dimension, pythonMinor, interpreter, bounds }))
        : misreadReason(request.misread);
    let backendReason: string;
    let read: Pick<Kernels, 'program' | 'reading' | 'readingAllowance'> = { program: null, reading: null };
    if (ir === null) {
      backendReason = interpretedReason(reasons);
    } else {
      placement = await place({ source, dimension, ir }, request);
      backendReason = placement.reason;
      read = readProgram(ir, request, placement);
      if (remote !== null && request.unchecked === null) {
        checking = await openChecker(ir, request, placement, remote.checks);
      }
    }
    const primary = placement?.kernel ?? remote;
    if (primary === null) {
      const absence = python.port === null ? python.reason : null;
      throw new ExtremumError('backend_unavailable', notInterpretable(backendReason, absence));
    }
    const fallback = placement === null ? null : remote;
    const { checker = null } = checking ?? {};
    const unchecked = ir === null ? 'interpreted' : (request.unchecked ?? 'no_interpreter');
    const sideBySide = ir === null && python.port !== null ? python.sideBySide : undefined;
    const rest = { notCompiled: reasons, checker, unchecked, sideBySide };
    return await use({ primary, fallback, backendReason, ...read, ...rest });
  } finally {
    await checking?.close();
    await placement?.close();
    // The main thread ends the kernel at the other end; nothing is to be waited for.
    python.port?.close();
  }
}

interface Checking {
  readonly checker: Checker;
  close(): Promise<void>;
}

async function openChecker(
  ir: IrFunction,
  request: KernelRequest,
  opened: Placement,
  python: Kernel,
): Promise<Checking> {
  const {
    source,
    math,
    precision,
    seed,
    direction = 'minimize',
    dimension,
    pythonMinor,
    interpreter,
    bounds,
  } = request;
  const program = outcomesOf(ir);
  const outcomes = program === null ? null : await opened.openOther(program);
  // Values of fast mathematics and of single precision have no bits that CPython could confirm: the program's own
  // values are compared.
  const exact = math === 'fast' || precision === 'f32' ? await opened.openOther(ir) : undefined;
  const checker = new Checker({
    ir,
    judged: () => judgedForm(ir, source, { dimension, pythonMinor, interpreter, bounds }),
    width: resultsIn(source),
    seed,
    direction,
    // Its calls are none of the run's evaluations, which the other kernel counts.
    primary: opened.processor,
    outcomes,
    python,
    exact,
    now: clockOfChecks,
  });
  const close = async (): Promise<void> => {
    await Promise.all([outcomes?.close(), exact?.close()]);
  };
  return { checker, close };
}

/** The program as far as it may be read, with what is found in it. */
function readProgram(
  ir: IrFunction,
  { source, bounds, blackBox, direction = 'minimize', allowance, look = () => undefined }: KernelRequest,
  { openOther }: Placement,
): Pick<Kernels, 'program' | 'reading' | 'readingAllowance'> {
  if (blackBox !== false || bounds === undefined || resultsIn(source) !== 1) return { program: null, reading: null };
  const allowed = allowance?.(ir) ?? UNLIMITED;
  const isLimited = allowed.analysis < Infinity;
  try {
    const { isRead, ...program } = watched(look, () => openProgram(ir, direction, bounds, openOther, allowed, look));
    return {
      program: isRead ? program : null,
      reading: { findings: program.structure?.findings ?? [], isLate: false },
      readingAllowance: isLimited ? allowed : undefined,
    };
  } catch (error) {
    if (!(error instanceof WorkInterrupted) || error.why !== 'timeout') throw error;
    return { program: null, reading: { findings: LATE, isLate: true } };
  }
}

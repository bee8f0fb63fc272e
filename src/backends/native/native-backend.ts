/**
 * The virtual machine of `native/` as a backend: whole blocks of candidates per instruction, in SIMD, on several
 * threads.
 *
 * Evaluation is synchronous in a worker thread (where the engine lives) and goes through libuv's pool on the main
 * thread, so the service's event loop is never held up. Kernels of all threads share one process-wide pool of helper
 * threads.
 */
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { ExtremumError } from '../../common/errors.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import type { CandidateEvaluator } from '../ir-kernel.js';
import { IrKernel, requireIr } from '../ir-kernel.js';
import type { NativeAddon, ProgramHandle } from './addon.js';
import { loadAddon, OUTCOME } from './addon.js';
import type { EncodedProgram } from './encode.js';
import { encodeProgram } from './encode.js';
import type { Tier } from './native-code.js';
import { NativeCodeTier } from './native-code.js';
import { orderNodes } from './order.js';
import { dropZeroAdditions } from './zero-additions.js';
import { settleZeroArguments } from './zero-arguments.js';

interface NativeOptions {
  /** Threads per evaluation, the calling one included; default: all cores. */
  readonly threads?: number;
  /** Instruction set; default: the best that the CPU has, or the environment's EXTREMUM_SIMD. For tests. */
  readonly target?: string;
  /** When programs become native code; default: `auto`. */
  readonly tier?: Tier;
  /** Evaluations that a kernel is opened for, where known: native code at once if that many pay for compiling it. */
  readonly plannedEvaluations?: number;
  /** Vectors per step of native code, 1, 2 or 4; default: as many as suit the program. For tests. */
  readonly vectors?: number;
  /**
   * `fast`: native code fuses products with sums, which is faster and changes the last bits; what the virtual machine
   * evaluates stays exact, so results depend on the host and on when native code takes over. Default: `exact`.
   */
  readonly math?: 'exact' | 'fast';
  /** Whether to evaluate off the calling thread; default: on the main thread only. */
  readonly offload?: boolean;
  /**
   * One element on a SharedArrayBuffer. Another thread sets it non-zero to end a running evaluation, which then rejects
   * with `cancelled`: a worker thread cannot be terminated while it is in native code.
   */
  readonly cancelFlag?: Int32Array;
}

export class NativeBackend implements Backend {
  readonly name = 'native';
  readonly capabilities: BackendCapabilities;
  private readonly threads: number;
  private readonly offload: boolean;

  constructor(private readonly options: NativeOptions = {}) {
    this.capabilities = {
      input: 'ir',
      precision: 'f64',
      arithmetic: options.math === 'fast' ? 'fast' : 'exact',
    };
    this.threads = Math.max(1, options.threads ?? availableParallelism());
    this.offload = options.offload ?? isMainThread;
  }

  async probe(): Promise<Availability> {
    const result = loadAddon();
    if (result.addon === null) return { available: false, reason: result.reason };
    const { target } = this.options;
    if (target !== undefined && !result.addon.targets().includes(target)) {
      return { available: false, reason: `this CPU cannot run ${target}` };
    }
    return { available: true, device: this.device(result.addon) };
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    const { addon, ...rest } = loadAddon();
    if (addon === null) throw new ExtremumError('backend_unavailable', 'reason' in rest ? rest.reason : '');
    const { target, plannedEvaluations, vectors, math } = this.options;
    // With fused operations, fewer additions would be other bits.
    const settled = settleZeroArguments(ir);
    const program = encodeProgram(math === 'fast' ? settled : orderNodes(dropZeroAdditions(settled)));
    const handle = load(addon, program, target);
    const tier = new NativeCodeTier(
      addon,
      handle,
      program,
      target ?? addon.defaultTarget(),
      this.options.tier ?? 'auto',
      plannedEvaluations,
      vectors,
      math,
    );
    const device = () => this.device(addon, tier.describe());
    return new IrKernel(this.name, device, ir, this.candidateEvaluator(addon, handle, tier), undefined, tier);
  }

  async close(): Promise<void> {}

  private device(addon: NativeAddon, runs?: string): string {
    const architecture = process.arch === 'x64' ? 'x86-64' : process.arch;
    const threads = this.threads === 1 ? '1 thread' : `${this.threads} threads`;
    return `${architecture} ${this.options.target ?? addon.defaultTarget()}, ${threads}${runs === undefined ? '' : `, ${runs}`}`;
  }

  private candidateEvaluator(addon: NativeAddon, handle: ProgramHandle, tier: NativeCodeTier): CandidateEvaluator {
    const { threads, offload } = this;
    const cancel = this.options.cancelFlag ?? null;
    if (offload) {
      return async (candidates, count, values, status, lines, isTiled) => {
        tier.consider(count);
        settle(await addon.evaluateAsync(handle, candidates, count, values, status, lines, isTiled, threads, cancel));
      };
    }
    return (candidates, count, values, status, lines, isTiled) => {
      tier.consider(count);
      settle(addon.evaluate(handle, candidates, count, values, status, lines, isTiled, threads, cancel));
    };
  }
}

function load(addon: NativeAddon, program: EncodedProgram, target: string | undefined): ProgramHandle {
  try {
    return addon.load(program.words, program.constants, target);
  } catch (cause) {
    // Too many registers or too deep nesting; anything else is a defect that the message names.
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ExtremumError('backend_unavailable', `the native backend does not take this objective: ${message}`, {
      cause,
    });
  }
}

function settle(outcome: number): void {
  if (outcome === OUTCOME.cancelled) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
  if (outcome === OUTCOME.outOfMemory) {
    throw new ExtremumError('backend_unavailable', 'not enough memory to evaluate this objective natively', {
      retryable: true,
    });
  }
}

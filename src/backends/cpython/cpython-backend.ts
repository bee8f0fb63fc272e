/**
 * Runs an objective as it is, in CPython, inside the sandbox of native/sandbox. For every source outside the compiled
 * subset. Works only where the sandbox works: nothing here runs uploaded code unconfined (docs/adr/0004-sandbox.md).
 * What the user of a machine runs from a file of their own has more rights (`CodeAccess`).
 * Start reading at worker-process.ts (one process) and python/worker.py (the other side of the pipe).
 */
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../common/dist-entry.js';
import { ExtremumError } from '../../common/errors.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import { lackedPackage, type InterpreterFacts } from '../../model/interpreter-facts.js';
import type { EvaluationFailure, ObjectiveSource, Statelessness } from '../../model/objective.js';
import { CPythonKernel } from './cpython-kernel.js';
import { installing, probePython, type Interpreter } from './interpreter.js';
import { ModuleFactsOfInterpreter } from './module-facts.js';
import type { ProcessMeter } from './process-meter.js';
import { statelessness } from './statelessness.js';
import { WorkerPool, type PoolCounts, type PoolObserver } from './pool.js';
import type { ArgumentChoice, Hello } from './protocol.js';
import type { CodeAccess, WorkerLimits } from './worker-spec.js';

const CPYTHON = 'cpython';
const JUDGE_WITHIN_MS = 10_000;
const STRANGER: CodeAccess = { kind: 'stranger' };

export interface CPythonOptions {
  /** Interpreter: a path or a name on PATH; `off` switches the backend off. */
  readonly python: string;
  /** Address space of one process, default 1 GiB. NumPy and SciPy take about 200 MiB of it. */
  readonly memoryBytes?: number;
  /** The most that an objective may ask for (`ObjectiveSource.evaluationLimits`), default: `memoryBytes`. */
  readonly mostMemoryBytes?: number;
  /** Wall-clock time of one evaluation, default 10 s. */
  readonly evaluationTimeoutMs?: number;
  /** The most that an objective may ask for, default: `evaluationTimeoutMs`. */
  readonly mostEvaluationMs?: number;
  /** Wall-clock time for the imports and the module level of a source, default 60 s. */
  readonly loadTimeoutMs?: number;
  /** Processor time of one process over its life, default 3,600 s. A backstop: the parent's clock ends evaluations. */
  readonly cpuSeconds?: number;
  /** Texts (error messages) in one answer of a process, default 2 MiB; more ends the process. */
  readonly outputBytes?: number;
  /** Warm processes kept ready, default 2. Each takes about 30 MiB and saves a run about 0.1 s. */
  readonly spares?: number;
  /** Processes that one run may use at once, where its objective keeps no state; default: one per core. */
  readonly processesPerRun?: number;
  readonly observer?: PoolObserver;
  /** Lost processes without a success in between after which the rest of a batch fails, default 3. */
  readonly maxLossesInRow?: number;
  /** Whose code it runs; default: a stranger's. Only the command line, which has no strangers, gives another. */
  readonly access?: CodeAccess;
  /** The launcher's file; default: where `scripts/build-launcher.mjs` puts it. */
  readonly launcher?: string;
}

export const launcherFile = (): string => path.join(packageRoot(), 'build/Release/extremum-launcher');

interface CPythonOpening {
  /** Time for loading this objective, if less than the backend's limit. */
  readonly loadWithinMs?: number;
  /** Learns what its processes use. */
  readonly meter?: ProcessMeter;
  /** One process, and a batch is given up at its first loss. */
  readonly isAlone?: boolean;
  /** Absent: `given`. */
  readonly argument?: ArgumentChoice;
}

interface CPythonLimits extends WorkerLimits {
  readonly processesPerRun: number;
  readonly spares: number;
}

interface Opened {
  readonly interpreter: Interpreter;
  readonly pool: WorkerPool;
  readonly device: string;
  readonly limits: CPythonLimits;
}

export function createCPythonBackend(options: CPythonOptions): CPythonBackend {
  return new CPythonBackend(options);
}

export class CPythonBackend implements Backend {
  readonly name = CPYTHON;
  readonly capabilities: BackendCapabilities = {
    input: 'python',
    precision: 'f64',
    arithmetic: 'python',
  };
  private readonly options: CPythonOptions;
  private opened: Promise<Opened> | null = null;
  private pool: WorkerPool | null = null;
  private isClosed = false;
  private readonly moduleFacts = new ModuleFactsOfInterpreter(async (wanted, withinMs) =>
    (await this.start()).pool.ask(wanted, withinMs),
  );

  constructor(options: CPythonOptions) {
    this.options = options;
  }

  async probe(): Promise<Availability> {
    try {
      const { device } = await this.start();
      return { available: true, device };
    } catch (error) {
      return { available: false, reason: (error as Error).message };
    }
  }

  async open(
    objective: Objective,
    { loadWithinMs = Infinity, meter, isAlone = false, argument = 'given' }: CPythonOpening = {},
  ): Promise<Kernel> {
    const { interpreter, pool, device, limits } = await this.start();
    const maxLossesInRow = isAlone ? 1 : (this.options.maxLossesInRow ?? 3);
    const processes = isAlone ? 1 : limits.processesPerRun;
    return CPythonKernel.open(objective, pool, {
      backend: this.name,
      device,
      maxLossesInRow,
      processes,
      loadWithinMs,
      argument,
      meter,
    }).catch((error: unknown) => {
      throw withAdvice(error, interpreter);
    });
  }

  /** Facts about the modules that a source names, in this interpreter; to be called where the backend works. */
  facts(code: string): Promise<InterpreterFacts> {
    return this.moduleFacts.of(code);
  }

  /**
   * Whether calls are free of each other, by the uploader's word or by the text, of which nothing is run; null where
   * nobody can tell. Never rejects.
   */
  async judge(source: ObjectiveSource): Promise<Statelessness> {
    if (source.stateless !== undefined) return statelessness(source, null);
    try {
      const { pool } = await this.start();
      return statelessness(source, await pool.judge(source, JUDGE_WITHIN_MS));
    } catch (error) {
      return { value: null, reason: `nobody has looked at the text: ${(error as Error).message}` };
    }
  }

  /** The limits in force, after what the host allows; null where the backend does not work. */
  async limits(): Promise<CPythonLimits | null> {
    return this.start().then(
      ({ limits }) => limits,
      () => null,
    );
  }

  /** Processes at this moment. */
  counts(): PoolCounts {
    return this.pool?.counts() ?? { busy: 0, spare: 0 };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const opened = await this.opened?.catch(() => null);
    await opened?.pool.close();
  }

  /** A failure is not remembered: the operator may install what is missing while the service runs. */
  private start(): Promise<Opened> {
    if (this.isClosed) return Promise.reject(new ExtremumError('backend_lost', 'the Python backend is closed'));
    this.opened ??= this.startOnce().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  private async startOnce(): Promise<Opened> {
    const { python, launcher = launcherFile(), access = STRANGER } = this.options;
    if (python !== 'off' && process.platform !== 'linux')
      throw unavailable(`the sandbox for Python code needs Linux, this is ${process.platform}`);
    const interpreter = await probePython(python);
    if (!interpreter.available) throw unavailable(interpreter.reason);
    if (!fs.existsSync(launcher))
      throw unavailable(
        `the sandbox launcher is not built (${launcher}); install a C compiler and run 'npm run build' ('npm rebuild extremum' where it is a dependency)`,
      );
    const { memoryBytes = 1024 ** 3, evaluationTimeoutMs = 10_000 } = this.options;
    const limits = {
      memoryBytes,
      mostMemoryBytes: this.options.mostMemoryBytes ?? memoryBytes,
      cpuSeconds: this.options.cpuSeconds ?? 3_600,
      evaluationTimeoutMs,
      mostEvaluationMs: this.options.mostEvaluationMs ?? evaluationTimeoutMs,
      loadTimeoutMs: this.options.loadTimeoutMs ?? 60_000,
      outputBytes: this.options.outputBytes ?? 2 * 1024 ** 2,
    };
    const cores = availableParallelism();
    const { spares = 2, processesPerRun = cores, observer = {} } = this.options;
    const pool = new WorkerPool(
      { launcher, interpreter, limits, access },
      spares,
      Math.max(cores, processesPerRun) - 1,
      observer,
    );
    try {
      const hello = await pool.warmUp();
      this.pool = pool;
      const inForce = {
        ...limits,
        memoryBytes: Math.min(limits.memoryBytes, hello.memoryBytes ?? Infinity),
        mostMemoryBytes: Math.min(limits.mostMemoryBytes, hello.memoryBytes ?? Infinity),
        cpuSeconds: Math.min(limits.cpuSeconds, hello.cpuSeconds ?? Infinity),
      };
      return {
        interpreter,
        pool,
        device: describeDevice(interpreter, hello),
        limits: { ...inForce, spares, processesPerRun },
      };
    } catch (error) {
      await pool.close();
      throw error;
    }
  }
}

const unavailable = (reason: string): ExtremumError => new ExtremumError('backend_unavailable', reason);

/** A source that cannot be loaded for want of a package: says how it comes in. */
function withAdvice(error: unknown, interpreter: Interpreter): unknown {
  if (!(error instanceof ExtremumError) || error.code !== 'objective_rejected') return error;
  const { type = '', message = '' } = error.facts as Partial<EvaluationFailure>;
  const lacked = lackedPackage({ type, message });
  if (lacked === null || interpreter[lacked] !== null) return error;
  const advice = `; to install it: ${installing(interpreter, lacked)}`;
  return new ExtremumError(error.code, error.message + advice, {
    facts: { ...error.facts, message: message + advice },
  });
}

function describeDevice(interpreter: Interpreter, hello: Hello): string {
  const versions = [`CPython ${hello.python}`];
  if (hello.numpy !== null) versions.push(`NumPy ${hello.numpy}`);
  if (interpreter.scipy !== null) versions.push(`SciPy ${interpreter.scipy}`);
  return `${versions.join(', ')}; sandbox ${hello.sandbox}`;
}

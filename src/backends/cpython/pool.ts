/**
 * Warm spares: processes that were forked from a template and have seen no uploaded code. One is handed out per run and
 * never comes back, so no state can pass from one run, or one account, to another. Once a source that imports SciPy was
 * seen, there is a template and a spare that have SciPy imported as well.
 *
 * The template of each kind is replaced when its seats come to an end, in time for the next one to do its imports.
 */
import { ExtremumError } from '../../common/errors.js';
import type { ObjectiveSource } from '../../model/objective.js';
import type { Hello, ModuleAnswer, ModuleQuestions } from './protocol.js';
import type { ProcessMeter } from './process-meter.js';
import { Template } from './template.js';
import { WorkerProcess, type ProcessEnd } from './worker-process.js';
import { type WarmUp, type WorkerSpec } from './worker-spec.js';

/** A refill waits this long, so that it does not take the processor from the run that emptied the pool. */
const REFILL_DELAY_MS = 20;
/** The next template is started with so few seats left: enough for the runs that begin while it imports. */
const FEW_SEATS = 8;

/** Templates in a row that may die under a process that is waited for. */
export const TEMPLATE_LOSSES = 3;

const isOfSciPy = (source: ObjectiveSource): boolean => /^\s*(import|from)\s[^#\n]*\bscipy\b/m.test(source.code);

export interface PoolCounts {
  readonly busy: number;
  readonly spare: number;
}

export interface PoolObserver {
  /** A process was handed out; `warm` when it had been waiting. */
  taken?(warm: boolean): void;
  ended?(why: ProcessEnd): void;
}

/** Processes of one kind. */
interface Stock {
  readonly spares: WorkerProcess[];
  /** The one in use, then the one that follows it. */
  templates: Template[];
}

export class WorkerPool {
  private readonly spec: WorkerSpec;
  private readonly size: number;
  private readonly observer: PoolObserver;
  private readonly mostHelpers: number;
  private readonly stock: Record<WarmUp, Stock> = {
    numpy: { spares: [], templates: [] },
    scipy: { spares: [], templates: [] },
  };
  private readonly all = new Set<WorkerProcess>();
  private readonly helpers = new Set<WorkerProcess>();
  private wantsSciPy = false;
  private refillTimer: NodeJS.Timeout | null = null;
  private isClosed = false;

  /** `mostHelpers`: processes beyond the first one of each run, for all runs together. */
  constructor(spec: WorkerSpec, size: number, mostHelpers: number, observer: PoolObserver = {}) {
    this.spec = spec;
    this.size = size;
    this.mostHelpers = mostHelpers;
    this.observer = observer;
  }

  /**
   * A process that nobody has used, held (it keeps the event loop alive) and ready. The caller kills it in the end;
   * `meter` then knows what it has used.
   * @throws {ExtremumError} `backend_unavailable` when none can be started.
   */
  async take(source: ObjectiveSource, meter?: ProcessMeter): Promise<WorkerProcess> {
    for (let attempt = 1; ; attempt++) {
      if (this.isClosed) throw new ExtremumError('backend_lost', 'the Python backend is closed');
      const { spare, worker } = this.next(source);
      void worker.gone.then(() => meter?.add(worker.use));
      this.observer.taken?.(spare !== undefined);
      worker.hold();
      try {
        await worker.ready;
        this.refillSoon();
        return worker;
      } catch (error) {
        await worker.kill('failed_start');
        if (!worker.wentWithTemplate || attempt === TEMPLATE_LOSSES) throw error;
      }
    }
  }

  /** As `take`, for a run that has a process already; null where the host has enough of them. */
  async takeHelper(source: ObjectiveSource, meter?: ProcessMeter): Promise<WorkerProcess | null> {
    if (this.isClosed || this.helpers.size >= this.mostHelpers) return null;
    let worker: WorkerProcess | null = null;
    try {
      worker = this.next(source).worker;
      this.helpers.add(worker);
      void worker.gone.then(() => {
        meter?.add(worker!.use);
        this.helpers.delete(worker!);
      });
      this.observer.taken?.(false);
      worker.hold();
      await worker.ready;
      return worker;
    } catch {
      await worker?.kill('failed_start');
      return null;
    }
  }

  /** Asks which modules are there, in a process of its own that does nothing else. */
  ask(wanted: ModuleQuestions, withinMs: number): Promise<ReadonlyMap<string, ModuleAnswer>> {
    return this.apart((worker) => worker.ask(wanted, withinMs));
  }

  /** Words on what a source may keep between calls (`WorkerProcess.judge`), by a process of its own. */
  judge(source: ObjectiveSource, withinMs: number): Promise<string | null> {
    return this.apart((worker) => worker.judge(source, withinMs));
  }

  private async apart<T>(use: (worker: WorkerProcess) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new ExtremumError('backend_lost', 'the Python backend is closed');
    const worker = this.start('numpy');
    worker.hold();
    try {
      await worker.ready;
      return await use(worker);
    } finally {
      await worker.kill();
    }
  }

  /** Starts spares now instead of after the first run. Resolves when the first is ready. */
  async warmUp(): Promise<Hello> {
    const { spares } = this.stock.numpy;
    const worker = spares[0] ?? this.start('numpy');
    if (!spares.includes(worker)) spares.unshift(worker);
    worker.hold();
    const hello = await worker.ready;
    worker.release();
    this.refillSoon();
    return hello;
  }

  counts(): PoolCounts {
    const spare = this.stock.numpy.spares.length + this.stock.scipy.spares.length;
    return { busy: this.all.size - spare, spare };
  }

  /** Kills every process that was ever handed out or is waiting. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.refillTimer !== null) clearTimeout(this.refillTimer);
    const killed = [...this.all].map((worker) => worker.kill('shutdown'));
    const templates = Object.values(this.stock).flatMap((stock) => stock.templates);
    for (const template of templates) template.end();
    await Promise.all([...killed, ...templates.map((template) => template.gone)]);
  }

  /** A spare, or a new process where none is there. */
  private next(source: ObjectiveSource): { readonly spare: WorkerProcess | undefined; readonly worker: WorkerProcess } {
    let kind: WarmUp = 'numpy';
    if (isOfSciPy(source) && this.spec.interpreter.scipy !== null) {
      this.wantsSciPy = true;
      const { spares, templates } = this.stock.scipy;
      // Else the process imports SciPy itself, which takes no longer than the first template that does.
      const canFork = templates.some((template) => template.isReady && template.seatsLeft > 0);
      if (spares.length > 0 || canFork) kind = 'scipy';
    }
    const { spares } = this.stock[kind];
    const ready = spares.findIndex((spare) => spare.isReady);
    const [spare] = spares.splice(Math.max(ready, 0), 1);
    return { spare, worker: spare ?? this.start(kind) };
  }

  private start(kind: WarmUp): WorkerProcess {
    const worker = new WorkerProcess(this.spec.limits, this.templateFor(kind));
    this.all.add(worker);
    void worker.gone.then(() => {
      this.all.delete(worker);
      for (const { spares } of Object.values(this.stock)) {
        if (spares.includes(worker)) spares.splice(spares.indexOf(worker), 1);
      }
      this.observer.ended?.(worker.end ?? 'killed');
    });
    return worker;
  }

  private templateFor(kind: WarmUp): Template {
    const stock = this.stock[kind];
    stock.templates = stock.templates.filter((template) => template.seatsLeft > 0);
    if (stock.templates.length === 0) stock.templates.push(new Template(this.spec, kind));
    return stock.templates[0];
  }

  private refillSoon(): void {
    if (this.isClosed || this.refillTimer !== null) return;
    this.refillTimer = setTimeout(() => {
      this.refillTimer = null;
      try {
        this.refill('numpy', this.size);
        if (this.wantsSciPy) this.refill('scipy', Math.min(this.size, 1));
      } catch {
        // The host is short of something. The next run tries again, and tells.
      }
    }, REFILL_DELAY_MS).unref();
  }

  private refill(kind: WarmUp, wanted: number): void {
    const stock = this.stock[kind];
    while (stock.spares.length < wanted) stock.spares.push(this.start(kind));
    const seats = stock.templates.reduce((sum, template) => sum + template.seatsLeft, 0);
    if (wanted > 0 && seats < FEW_SEATS) stock.templates.push(new Template(this.spec, kind));
  }
}

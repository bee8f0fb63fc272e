/** Tells the main thread of a run: progress about once a second, with a checkpoint as often as its size allows. */
import type { MessagePort } from 'node:worker_threads';
import { movable } from '../common/movable.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import { difference } from '../evaluation/measures.js';
import type { EvaluationUse, RunOutcome, RunProgress, StrategyChange } from '../model/run-task.js';
import { encodeStart } from './extension.js';
import type { RunBeginning } from './run-events.js';
import type { ThreadMeter } from './thread-meter.js';
import type { RunReport } from './worker-protocol.js';

export const REPORT_INTERVAL_MS = 1_000;
/** Before the first of the reports that are to come soon; doubled for each. */
const SOON_MS = 50;
/** A checkpoint of so many bytes is written every second at most, a larger one that much less often. */
const CHECKPOINT_BYTES_PER_SECOND = 1_000_000;

export class RunReports {
  private readonly port: MessagePort;
  private readonly begun: RunBeginning;
  private readonly meter: ThreadMeter;
  private unreported: RunProgress | null = null;
  private lastSnapshot: RunSnapshot | null = null;
  private counted: EvaluationUse | undefined;
  private reportIntervalMs: number;
  private checkpointEveryMs: number;
  private newChanges: StrategyChange[] = [];

  /** `counted`: evaluations that were reported before. `isSoon`: the first reports come soon after each other. */
  constructor(
    port: MessagePort,
    begun: RunBeginning,
    meter: ThreadMeter,
    { counted, isSoon }: { readonly counted: EvaluationUse | undefined; readonly isSoon: boolean },
  ) {
    this.port = port;
    this.begun = begun;
    this.meter = meter;
    this.counted = counted;
    this.reportIntervalMs = isSoon ? SOON_MS : REPORT_INTERVAL_MS;
    this.checkpointEveryMs = this.reportIntervalMs;
  }

  get intervalMs(): number {
    return this.reportIntervalMs;
  }

  get checkpointIntervalMs(): number {
    return this.checkpointEveryMs;
  }

  /** The latest snapshot; null: there was none. */
  get last(): RunSnapshot | null {
    return this.lastSnapshot;
  }

  /** Since the last report. */
  get changes(): readonly StrategyChange[] {
    return this.newChanges;
  }

  progress(progress: RunProgress): void {
    this.unreported = progress;
    // Else it goes with the checkpoint.
    if (this.checkpointEveryMs !== this.reportIntervalMs) this.send(progress);
  }

  changed(change: StrategyChange): void {
    this.newChanges.push(change);
  }

  checkpoint(snapshot: RunSnapshot): void {
    this.lastSnapshot = snapshot;
    // The engine's call at the end comes without progress: its outcome follows.
    if (this.unreported === null) return;
    const checkpoint = encodeStart(snapshot);
    const report: RunReport = {
      progress: this.unreported,
      history: snapshot.history,
      checkpoint,
      use: this.uncounted(snapshot.evaluator.use),
      begun: this.begun,
      usage: this.meter.usage(),
      changes: this.newChanges,
    };
    this.counted = snapshot.evaluator.use;
    this.unreported = null;
    this.newChanges = [];
    const seconds = checkpoint.byteLength / CHECKPOINT_BYTES_PER_SECOND;
    this.port.postMessage(report, movable(checkpoint));
    this.reportIntervalMs = Math.min(REPORT_INTERVAL_MS, 2 * this.reportIntervalMs);
    this.checkpointEveryMs = Math.max(this.reportIntervalMs, seconds * 1_000);
  }

  /** Without a checkpoint. */
  send(progress: RunProgress): void {
    const report: RunReport = { progress, begun: this.begun, usage: this.meter.usage(), changes: [] };
    this.port.postMessage(report);
  }

  /** The part of `use` that no report has told. */
  uncounted(use: EvaluationUse | undefined): EvaluationUse {
    return difference(use, this.counted);
  }

  /** For a run that is suspended at `outcome`; null: nothing was done yet. */
  atEnd(outcome: RunOutcome): RunReport | null {
    if (this.lastSnapshot === null) return null;
    const { evaluations, bestFitness, bestSolution, durationSeconds: elapsedSeconds, history } = outcome;
    return {
      progress: { evaluations, bestFitness, bestSolution, elapsedSeconds },
      history,
      checkpoint: encodeStart(this.lastSnapshot),
      begun: this.begun,
      usage: this.meter.usage(),
      changes: this.newChanges,
    };
  }
}

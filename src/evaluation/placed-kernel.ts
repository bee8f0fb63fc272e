/**
 * A kernel over two places that give equal bits: the processor, and a device that is opened beside the processor's
 * work. Batches go where they cost least, by what was measured; nobody can tell from the values where they came from.
 *
 * A device is tried beside the processor, too: it gets candidates of the batch that the processor would come to last,
 * and whoever is first has valued them. So a slow device holds nobody up. What was measured long ago is measured again,
 * in a hundredth of the time since. A device that fails is left, and its candidates go to the processor.
 */
import { operationsOf } from '../analysis/operations.js';
import { createOutputWithLines, type EvaluationOutput, type GpuUse, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import type { IrFunction } from '../ir/types.js';
import { partOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { PopulationProgram, ResidentPopulation } from '../model/resident-population.js';
import { TILE_LANES } from '../model/tiles.js';
import { REAL_CLOCK, type Clock } from './clock.js';
import { DeviceCosts, EXTRAPOLATION, HostCosts, STATUS_BYTES, type DeviceProfile } from './place-costs.js';
import { PlacedPopulation } from './placed-population.js';
import {
  comparedReason,
  deviceLeft,
  deviceNotOpened,
  deviceNotReady,
  deviceNotTried,
  generationsStayed,
} from './placement-words.js';

/** A device that may be opened. */
export interface DeviceAccess {
  /** Name of its backend. */
  readonly name: string;
  /** Null: nobody has measured it yet. */
  profile(): DeviceProfile | null;
  /**
   * Null: there is none here.
   * @throws {ExtremumError} `backend_unavailable`: it does not take the program.
   */
  open(): Promise<{ readonly kernel: Kernel; readonly profile: DeviceProfile } | null>;
}

export interface PlacedProgram {
  /** Of one evaluation. */
  readonly operations: number;
  /** Numbers of a candidate. */
  readonly dimension: number;
  /** Numbers that it gives. */
  readonly results: number;
  readonly plannedEvaluations: number;
}

/** Guess for the processor, on one thread: measured on native code (bench/results/large-programs.json). */
const SECONDS_PER_OPERATION = 1e-9;
/** The processor takes at least that for an operation of a strategy in JavaScript. */
const LEAST_OPERATION_SECONDS = 0.3e-9;
/** Opening a device of which nobody knows yet how long that takes. */
const FIRST_OPENING = 0.5;
/** Guesses are wrong by about this factor. */
const DOUBT = 3;
/** Backends of the processor may be slower than native code by about this factor. */
const SLOWEST = 100;
/** Share of the time that may go into measuring again. */
const MEASURING = 0.01;
/** While something is awaited, the processor looks up after this share of the time so far, within these limits. */
const LOOK_SHARE = 0.02;
const LOOK_LEAST = 100e-6;
const LOOK_MOST = 10e-3;
/** In a trial also after this share of what it is expected to take. */
const TRIAL_LOOKS = 0.05;
/** A batch that takes the processor longer goes to the device wholly only after a trial. */
const TRIED_LEAST = 1e-3;
/** A slice has no fewer candidates, so that vectors are full. */
const SLICE_LEAST = 32;
/** Batches shorter than this are timed only now and then. */
const SHORT = 50e-6;
const TIMED_IN = 16;

/** Whether a run may come to open a device: for all others the processor's kernel is enough. */
export const mayOpenDevice = ({ operations, plannedEvaluations }: PlacedProgram): boolean =>
  plannedEvaluations * operations * SECONDS_PER_OPERATION * SLOWEST >= FIRST_OPENING / DOUBT;

/** Candidates that the device evaluates while the processor works. */
interface Trial {
  readonly first: number;
  readonly count: number;
  readonly expectedSeconds: number;
  state: 'running' | 'done' | 'failed';
}

/** What a batch takes in both places, in seconds. */
export interface Comparison {
  readonly count: number;
  readonly processor: number;
  readonly device: number;
}

export class PlacedKernel implements Kernel {
  private readonly host: HostCosts;
  private costs: DeviceCosts | null = null;
  private opened: Kernel | null = null;
  private deviceName = '';
  private width = 0;
  private isAsked = false;
  private isOpening = false;
  private isClosed = false;
  /** There is no device: nothing is measured any more. */
  private isAlone = false;
  /** Why the device is not used; null: it is, or nothing is known. */
  private refusal: string | null = null;
  private defect: Error | null = null;
  private trial: Trial | null = null;
  private trialCandidates = new Float64Array(0);
  private trialOutput: EvaluationOutput;
  private compared: Comparison | null = null;
  private isComparedByMeasuring = false;
  private readonly beganAt: number;
  private lookedAt: number;
  /** The device is left alone until then. */
  private restsUntil = 0;
  private untimed = 0;
  private done = 0;
  private doneOnDevice = 0;
  private generationsOnDevice = 0;
  /** Populations do not stay on the device: it does not take them, or was slower with one. */
  private isWithoutPopulations = false;
  private deviceSeconds = 0;

  constructor(
    private readonly processor: Kernel,
    private readonly access: DeviceAccess,
    private readonly program: PlacedProgram,
    private readonly clock: Clock = REAL_CLOCK,
  ) {
    this.host = new HostCosts(program.operations * SECONDS_PER_OPERATION);
    this.trialOutput = createOutputWithLines(0, program.results);
    this.beganAt = this.lookedAt = clock.now();
  }

  /** Where most of the candidates were valued. */
  get backend(): string {
    return this.isMostlyOnDevice ? this.access.name : this.processor.backend;
  }

  get device(): string {
    return this.isMostlyOnDevice ? this.deviceName : this.processor.device;
  }

  get tier(): string | undefined {
    return this.processor.tier;
  }

  get nativeCode(): Kernel['nativeCode'] {
    return this.processor.nativeCode;
  }

  get gpu(): GpuUse {
    return { backend: this.access.name, evaluations: this.doneOnDevice, seconds: this.deviceSeconds };
  }

  /** Why candidates were valued where they were; empty where no device was in question. */
  get reason(): string {
    const { name } = this.access;
    const { backend: processor } = this.processor;
    if (this.refusal !== null) return deviceLeft(name, this.refusal, this.doneOnDevice);
    if (this.compared !== null && this.costs?.isMeasured === true) {
      const reason = comparedReason(name, processor, this.compared, this.doneOnDevice, this.done);
      return reason + generationsStayed(this.generationsOnDevice);
    }
    if (this.opened !== null)
      return this.compared === null ? deviceNotReady(name) : deviceNotTried(name, this.compared);
    if (this.isOpening) return deviceNotReady(name);
    return !this.isAsked && this.access.profile() !== null ? deviceNotOpened(name) : '';
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    if (this.defect !== null) throw this.defect;
    if (this.isAlone) return this.processor.evaluate(batch, output, signal);
    if (!this.isAsked && batch.count > 0 && this.isWorthOpening(batch.count)) this.open();
    if (this.opened === null && !this.isOpening) await this.evaluateHere(batch, output, 0, batch.count, signal);
    else await this.evaluateInBoth(batch, output, signal);
    this.done += batch.count;
  }

  /**
   * Where whole batches of this size would go to the device, which has been measured with such. Gradients take the
   * processor so many times longer as they have operations.
   */
  async populationOnDevice(
    program: PopulationProgram,
    gradient: IrFunction | null,
  ): Promise<ResidentPopulation | null> {
    const { opened, costs, host, trial } = this;
    const { size } = program;
    if (this.isWithoutPopulations || opened?.populationOnDevice === undefined || costs === null) return null;
    if (trial !== null || this.clock.now() < this.restsUntil || !costs.isMeasured || size > host.reach) return null;
    if (costs.seconds(size) >= host.seconds(size)) return null;
    try {
      const there = await opened.populationOnDevice(program, gradient);
      this.isWithoutPopulations = there === null;
      if (there === null) return null;
      const share = gradient === null ? 0 : operationsOf(gradient) / this.program.operations;
      const here = (1 + share) * host.seconds(size) + program.operations * LEAST_OPERATION_SECONDS;
      return new PlacedPopulation(there, here, this.clock, {
        done: (seconds) => this.noteGeneration(size, seconds),
        failed: (error) => this.notePopulation(error, size),
        slower: () => (this.isWithoutPopulations = true),
      });
    } catch (error) {
      this.notePopulation(error, size);
      if (this.defect !== null) throw this.defect;
      return null;
    }
  }

  /** Does not wait for a device that is at work: it is closed when it is done. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.trial === null) await this.leaveDevice();
    await this.processor.close();
  }

  private get isMostlyOnDevice(): boolean {
    return this.doneOnDevice * 2 > this.done;
  }

  // --- opening

  private isWorthOpening(count: number): boolean {
    const profile = this.access.profile();
    const ahead = (this.host.seconds(count) / count) * (this.program.plannedEvaluations - this.done);
    if (ahead < (profile?.openSeconds ?? FIRST_OPENING) / DOUBT) return false;
    if (profile === null) return true;
    // Later batches may be larger, up to where the device is best.
    const large = Math.max(count, profile.width);
    const here = this.host.seconds(large) * (this.host.reach === 0 ? DOUBT : 1);
    return this.costsOn(profile).seconds(large, 1 / DOUBT) < here;
  }

  private costsOn(profile: DeviceProfile): DeviceCosts {
    const { operations, dimension, results } = this.program;
    return new DeviceCosts(profile, operations, 8 * (dimension + results) + STATUS_BYTES);
  }

  private open(): void {
    this.isAsked = this.isOpening = true;
    const opened = async (): Promise<void> => {
      try {
        const device = await this.access.open();
        if (device === null) {
          this.isAlone = true;
          return;
        }
        if (this.isClosed) return await device.kernel.close();
        this.costs = this.costsOn(device.profile);
        this.width = device.profile.width;
        this.opened = device.kernel;
        this.deviceName = device.kernel.device;
      } catch (error) {
        this.note(error);
      } finally {
        this.isOpening = false;
      }
    };
    void opened();
  }

  // --- the choice

  /** Where the next `count` candidates of a batch go. `trial`: to both. */
  private choose(count: number): 'processor' | 'device' | 'trial' {
    const { costs, host, clock } = this;
    const now = clock.now();
    if (costs === null || this.opened === null || this.trial !== null || now < this.restsUntil) return 'processor';
    if (count > host.reach) return 'processor';
    const here = host.seconds(count);
    const isDue = (seconds: number, measuredAt = this.beganAt): boolean => seconds < MEASURING * (now - measuredAt);
    if (!costs.isMeasured) {
      this.compare(count, here, costs.seconds(count));
      return costs.seconds(count, 1 / DOUBT) < here ? 'trial' : 'processor';
    }
    const there = costs.seconds(count);
    this.compare(count, here, there);
    if (there < here) {
      if (here > TRIED_LEAST && costs.most(count) > here) return 'trial';
      return isDue(here, host.measuredAt(count)) ? 'processor' : 'device';
    }
    if (!costs.isMeasuredNear(count) && there < EXTRAPOLATION * here) return 'trial';
    return isDue(there, costs.measuredAt(count)) ? 'trial' : 'processor';
  }

  /** Keeps the comparison of the largest batch, once there are measurements of them alone. */
  private compare(count: number, processor: number, device: number): void {
    const { isMeasured } = this.costs!;
    if (this.compared !== null && this.isComparedByMeasuring === isMeasured && count < this.compared.count) return;
    this.compared = { count, processor, device };
    this.isComparedByMeasuring = isMeasured;
  }

  private async evaluateInBoth(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    output.failures.length = 0;
    let trial: Trial | null = null;
    let end = batch.count;
    for (let first = 0; first < end;) {
      const choice = this.choose(end - first);
      if (choice === 'device') {
        if (await this.evaluateThere(batch, output, first, end, signal)) return;
        continue;
      }
      if (choice === 'trial') trial = this.begin(batch, first, end);
      const next = first + this.sliceOf(end - first);
      const until = next < end ? endOfTiles(batch, first, next) : end;
      await this.evaluateHere(batch, output, first, until, signal);
      first = until;
      await this.look();
      if (this.defect !== null) throw this.defect;
      if (trial?.state === 'done') {
        end = this.take(trial, output, first);
        trial = null;
      }
    }
  }

  /** Candidates for the processor until it looks up. */
  private sliceOf(count: number): number {
    const { host } = this;
    const known = Math.max(SLICE_LEAST, host.reach);
    const isAwaiting = this.isOpening || this.trial !== null;
    if (!isAwaiting && host.reach > 0) return known;
    const elapsed = this.clock.now() - this.beganAt;
    const awaited = TRIAL_LOOKS * (this.trial?.expectedSeconds ?? Infinity);
    const seconds = Math.max(LOOK_LEAST, Math.min(LOOK_MOST, LOOK_SHARE * elapsed, awaited));
    const rows = Math.floor((seconds * count) / host.seconds(count));
    return host.reach === 0 ? Math.max(SLICE_LEAST, rows) : Math.min(known, Math.max(SLICE_LEAST, rows));
  }

  private async look(): Promise<void> {
    if (!this.isOpening && this.trial === null) return;
    if (this.clock.now() - this.lookedAt < LOOK_LEAST) return;
    await this.clock.turn();
    this.lookedAt = this.clock.now();
  }

  // --- the processor

  private async evaluateHere(
    batch: CandidateBatch,
    output: EvaluationOutput,
    first: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const { host } = this;
    const count = end - first;
    // What it took does not say whether it counts: of short batches, those that were disturbed are long.
    const isTimed =
      host.measuredAt(count) === undefined || host.seconds(count) >= SHORT || this.untimed++ % TIMED_IN === 0;
    const began = this.clock.now();
    if (count === batch.count) await this.processor.evaluate(batch, output, signal);
    else await this.processor.evaluate(partOf(batch, first, end), this.outputOf(output, first, end), signal);
    const now = this.clock.now();
    if (count > 0 && isTimed) host.note(count, now - began, now);
  }

  // --- the device

  /** False: it failed, and the candidates are to be evaluated elsewhere. */
  private async evaluateThere(
    batch: CandidateBatch,
    output: EvaluationOutput,
    first: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const count = end - first;
    const began = this.clock.now();
    try {
      await this.opened!.evaluate(partOf(batch, first, end), this.outputOf(output, first, end), signal);
    } catch (error) {
      this.countSeconds(this.clock.now() - began);
      this.note(error, count);
      if (this.defect !== null) throw this.defect;
      return false;
    }
    const now = this.clock.now();
    this.costs!.note(count, now - began, now);
    this.doneOnDevice += count;
    this.countSeconds(now - began);
    return true;
  }

  /**
   * Gives the device the last candidates of the batch, in a copy of their own: so many that both places end together,
   * and no fewer than it evaluates at once; or all, where it is measured again. Where there is only a guess of the
   * device, it may be faster than that: what it has too much, the processor comes to if it is not.
   */
  private begin(batch: CandidateBatch, from: number, end: number): Trial {
    const { costs, host, width } = this;
    const rows = end - from;
    const [here, there] = [host.seconds(rows), costs!.seconds(rows, 1 / DOUBT)];
    const together = Math.round((rows * here) / (here + there));
    const wanted = costs!.isMeasuredNear(rows) ? rows : Math.min(rows, Math.max(width, together));
    const first = endOfTiles(batch, from, end - wanted);
    const count = end - first;
    const part = partOf(batch, first, end);
    const { length } = part.candidates;
    if (this.trialCandidates.length < length) this.trialCandidates = new Float64Array(length);
    if (this.trialOutput.status.length < count) this.trialOutput = createOutputWithLines(count, this.program.results);
    this.trialCandidates.set(part.candidates);
    const trial: Trial = { first, count, expectedSeconds: costs!.seconds(count), state: 'running' };
    this.trial = trial;
    void this.watch(trial, { ...part, candidates: this.trialCandidates.subarray(0, length) });
    return trial;
  }

  private async watch(trial: Trial, batch: CandidateBatch): Promise<void> {
    const { count } = batch;
    const began = this.clock.now();
    try {
      await this.opened!.evaluate(batch, this.trialOutput);
      const now = this.clock.now();
      // It has ended at some time after the last look.
      const least = Math.max(this.lookedAt - began, this.costs!.overhead(count));
      this.costs!.noteBetween(count, Math.min(least, now - began), now - began, now);
      this.countSeconds(now - began);
      trial.state = 'done';
    } catch (error) {
      trial.state = 'failed';
      this.countSeconds(this.clock.now() - began);
      this.note(error, count);
    } finally {
      this.trial = null;
      if (this.isClosed) await this.leaveDevice();
    }
  }

  /** Takes what the processor has not come to. Returns where the rest of the batch ends. */
  private take({ first, count }: Trial, output: EvaluationOutput, done: number): number {
    const from = Math.max(first, done);
    const start = from - first;
    if (start < count) {
      const { values, status, lines } = this.trialOutput;
      const { results } = this.program;
      output.values.set(values.subarray(start * results, count * results), from * results);
      output.status.set(status.subarray(start, count), from);
      output.lines?.set(lines!.subarray(start, count), from);
      this.doneOnDevice += count - start;
    }
    return from;
  }

  /** The device's own clock counts where it has one. */
  private countSeconds(seconds: number): void {
    const measured = this.opened?.gpu?.seconds;
    this.deviceSeconds = measured ?? this.deviceSeconds + seconds;
  }

  private noteGeneration(size: number, seconds: number): void {
    this.doneOnDevice += size;
    this.done += size;
    this.generationsOnDevice++;
    this.countSeconds(seconds);
  }

  /** A device that does not take a population may still evaluate batches. */
  private notePopulation(error: unknown, size: number): void {
    if (error instanceof ExtremumError && error.code === 'backend_unavailable' && !error.retryable) {
      this.isWithoutPopulations = true;
    } else if (!(error instanceof ExtremumError && error.code === 'cancelled')) this.note(error, size);
  }

  /** What an error means for the device. Too little memory passes; an error that no device gives is a defect. */
  private note(error: unknown, count = 0): void {
    const code = error instanceof ExtremumError ? error.code : null;
    const mayRecover = code === 'backend_unavailable' && (error as ExtremumError).retryable && this.opened !== null;
    if (mayRecover) this.restsUntil = this.clock.now() + this.host.seconds(count) / MEASURING;
    else if (code === 'backend_lost' || code === 'backend_unavailable') {
      this.refusal = (error as ExtremumError).message;
      void this.leaveDevice();
    } else this.defect = error instanceof Error ? error : new Error(String(error));
  }

  private async leaveDevice(): Promise<void> {
    const { opened } = this;
    this.opened = null;
    await opened?.close();
  }

  private outputOf({ values, status, lines }: EvaluationOutput, first: number, end: number): EvaluationOutput {
    const { results } = this.program;
    return {
      values: values.subarray(first * results, end * results),
      status: status.subarray(first, end),
      lines: lines?.subarray(first, end),
      failures: [],
    };
  }
}

/**
 * Of a batch in tiles the last end of a tile from `first` to `end`, so that what follows need not be copied; else
 * `end`.
 */
function endOfTiles({ layout }: CandidateBatch, first: number, end: number): number {
  const whole = end - (end % TILE_LANES);
  return layout === 'tiles' && whole > first ? whole : end;
}

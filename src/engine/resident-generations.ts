/**
 * Generations of a run that stay on a device (docs/adr/0050-generation-programs.md): where the primary kernel offers
 * it, the strategy's population lives there, and only what a run has to know of each generation comes back. Values,
 * counts and bits are those of a run on the processor.
 *
 * The state is here again after `sync` and `leave`. Where the device loses it, the generations since are carried out
 * again on the processor; they were counted before.
 */
import type { Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { BatchEvaluator } from '../evaluation/batch-evaluator.js';
import { ProgramReader } from '../evaluation/program-reader.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { EvaluationFailure } from '../model/objective.js';
import type {
  EndOfGeneration,
  GenerationPlace,
  PopulationProgram,
  ResidentPopulation,
} from '../model/resident-population.js';
import type { DeviceGenerations, Strategy, StrategySnapshot } from '../strategies/strategy.js';
import type { Evaluations } from './evaluations.js';
import type { RunPorts } from './ports.js';
import type { RunTally } from './run-tally.js';
import type { RunSnapshot } from './snapshot.js';

/** The run when its state was last here. */
interface Base {
  readonly place: GenerationPlace;
  /** Without the state of the population. */
  readonly snapshot: RunSnapshot;
}

interface Parts {
  readonly strategy: Strategy;
  readonly ports: RunPorts;
  readonly tally: RunTally;
  readonly evaluations: Evaluations;
  readonly signal: AbortSignal;
  /** The run's snapshot with this one of its strategy. */
  snapshotWith(state: StrategySnapshot): Promise<RunSnapshot>;
}

/** The device, or its backend, has failed. */
class DeviceFailed extends Error {}

const DEVICE_FAILURES: ReadonlySet<string> = new Set(['backend_lost', 'backend_unavailable']);

function onDevice<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asFailed(error);
  }
}

const asFailed = (error: unknown): unknown =>
  error instanceof ExtremumError && DEVICE_FAILURES.has(error.code)
    ? new DeviceFailed(error.message, { cause: error })
    : error;

/** Candidates that the device has flagged, or found no number for. */
interface Odd {
  readonly rows: Uint32Array;
  readonly batch: CandidateBatch;
  readonly values: Float64Array;
  readonly status: Uint8Array;
  /** Of the whole generation; empty where none is odd. */
  readonly all: { readonly values: Float64Array; readonly status: Uint8Array };
}

/** What is told to the checks. */
interface Seen {
  readonly batch: CandidateBatch;
  readonly numbers: readonly number[];
  readonly values: Float64Array;
  readonly isCompiled: readonly boolean[];
}

const emptyCopy = ({ length }: Float64Array): Float64Array => new Float64Array(length);

/** By rows of the generation, in order. */
type Failures = readonly (readonly [row: number, failure: EvaluationFailure])[];

export class ResidentGenerations {
  /**
   * What is to be stored of the run while its generations are carried out again, and after that was interrupted: the
   * run as its state was last here. Null: the strategy has its state, or the device.
   */
  kept: RunSnapshot | null = null;
  private readonly program: PopulationProgram;
  private population: ResidentPopulation | null = null;
  private base: Base | null = null;
  /** The individuals have moved, and nobody has taken in their fitness. */
  private isOpen = false;

  private constructor(
    private readonly parts: Parts,
    private readonly search: DeviceGenerations,
    private readonly openPopulation: NonNullable<Kernel['populationOnDevice']>,
  ) {
    this.program = search.program;
  }

  /** Null: the strategy or the kernel is not made for it, or somebody wants to hear of every evaluation. */
  static of(parts: Parts): ResidentGenerations | null {
    const { strategy, ports } = parts;
    const { primary, log } = ports;
    if (strategy.generations === undefined || primary.populationOnDevice === undefined || log !== undefined)
      return null;
    return new ResidentGenerations(parts, strategy.generations, primary.populationOnDevice.bind(primary));
  }

  /** Of a generation. */
  private get evaluations(): number {
    return (this.program.readsGradients ? 2 : 1) * this.program.size;
  }

  /** Carries out the next generation on the device, where there is room for it. False: it is to be asked for. */
  async generation(room: number): Promise<boolean> {
    const { search, parts } = this;
    const { evaluator } = parts.evaluations;
    const isPossible = this.evaluations <= room && evaluator.kernel === parts.ports.primary;
    const place = isPossible && this.population?.isSlower !== true ? search.begin() : null;
    if (place === null) {
      await this.leave();
      return this.kept !== null;
    }
    const population = this.population ?? (await this.enter());
    if (population === null) return false;
    const before = evaluator.state();
    let seen: Seen;
    try {
      seen = await this.carryOut(population, place);
    } catch (error) {
      if (error instanceof DeviceFailed) {
        evaluator.restore(before);
        await this.lose();
        return this.kept !== null;
      }
      if (!parts.signal.aborted) throw error;
      this.isOpen = true;
      return true;
    }
    await parts.ports.checks?.noteSome(seen.batch, seen.numbers, seen.values, (row) => seen.isCompiled[row]);
    return true;
  }

  /** The state comes here, too. */
  async sync(): Promise<void> {
    const { population } = this;
    if (population === null) return;
    const { vectors, scalars, shared } = this.search.state;
    // Half of a state would be none.
    const arrived = {
      vectors: vectors.map(emptyCopy),
      scalars: scalars.map(emptyCopy),
      shared: emptyCopy(shared),
    };
    try {
      onDevice(() => population.store(arrived));
    } catch (error) {
      if (!(error instanceof DeviceFailed)) throw error;
      return this.lose();
    }
    vectors.forEach((vector, j) => vector.set(arrived.vectors[j]));
    scalars.forEach((scalar, j) => scalar.set(arrived.scalars[j]));
    shared.set(arrived.shared);
    await this.mark();
  }

  /** The state comes here, and the device is left. */
  async leave(): Promise<void> {
    await this.sync();
    this.close();
    if (this.isOpen) this.search.open();
    this.isOpen = false;
  }

  close(): void {
    this.population?.close();
    this.population = null;
  }

  private async enter(): Promise<ResidentPopulation | null> {
    let population: ResidentPopulation | null = null;
    try {
      const gradient = this.program.readsGradients ? (this.parts.ports.program?.derived('gradient') ?? null) : null;
      population = await this.openPopulation(this.program, gradient);
      population?.load(this.search.state);
    } catch (error) {
      population?.close();
      if (asFailed(error) instanceof DeviceFailed) return null;
      throw error;
    }
    if (population === null) return null;
    this.population = population;
    await this.mark();
    return population;
  }

  private async mark(): Promise<void> {
    const { search } = this;
    this.base = { place: search.place, snapshot: await this.parts.snapshotWith(search.outline()) };
  }

  private async carryOut(population: ResidentPopulation, place: GenerationPlace): Promise<Seen> {
    const { tally, evaluations, ports, signal } = this.parts;
    const { evaluator } = evaluations;
    const { size, n } = this.program;
    const began = ports.now();
    const first = tally.evaluations + 1;
    const count = await population.evaluate(place, signal).catch((error: unknown) => {
      throw asFailed(error);
    });
    const odd = this.odd(population, count);
    const values = await evaluator.evaluateOdd(odd.batch, odd.values, odd.status, size, signal);
    const failures = this.correct(population, odd, values);
    const looked = Uint32Array.from(ports.checks?.looksAt(first, size) ?? []);
    const seen = onDevice(() => population.rows(looked));
    const below = Math.max(tally.best.fitness, this.parts.strategy.incumbent()?.fitness ?? Infinity);
    const end = onDevice(() => population.accept(tally.sign, below));
    // Nothing can fail any more.
    this.count(end, failures, first);
    evaluations.evaluatingMs += ports.now() - began;
    const flagged = new Set(odd.rows.filter((_, k) => odd.status[k] !== 0));
    return {
      batch: { candidates: seen.candidates, count: looked.length, dimension: n },
      numbers: Array.from(looked, (row) => first + row),
      values: seen.values,
      isCompiled: Array.from(looked, (row) => !flagged.has(row)),
    };
  }

  private count(end: EndOfGeneration, failures: Failures, first: number): void {
    const { tally, evaluations } = this.parts;
    const { size, n } = this.program;
    evaluations.evaluator.countGeneration(size);
    tally.countGeneration(size, failures);
    const { statistics, candidate } = end;
    if (candidate !== null) {
      tally.offer({ candidates: candidate, dimension: n }, 0, statistics.best, first + statistics.index);
    }
    if (this.program.readsGradients) {
      evaluations.reader.count('gradient', size);
      tally.evaluations += size;
    }
    this.search.end(end);
  }

  private odd(population: ResidentPopulation, count: number): Odd {
    const { size, n } = this.program;
    const all = { values: new Float64Array(count === 0 ? 0 : size), status: new Uint8Array(count === 0 ? 0 : size) };
    const rows = new Uint32Array(count);
    if (count > 0) onDevice(() => population.results(all.values, all.status));
    for (let row = 0, k = 0; row < all.values.length; row++) {
      if (all.status[row] !== 0 || Number.isNaN(all.values[row])) rows[k++] = row;
    }
    const candidates = count === 0 ? all.values : onDevice(() => population.rows(rows)).candidates;
    return {
      rows,
      batch: { candidates, count, dimension: n },
      values: Float64Array.from(rows, (row) => all.values[row]),
      status: Uint8Array.from(rows, (row) => all.status[row]),
      all,
    };
  }

  /** Tells the device what odd candidates have got in the end, `values`; failures by rows. */
  private correct(population: ResidentPopulation, { rows, all }: Odd, values: Float64Array): Failures {
    const { evaluator } = this.parts.evaluations;
    const failures: [number, EvaluationFailure][] = [];
    rows.forEach((row, k) => {
      const failure = evaluator.failure(k);
      if (failure !== null) failures.push([row, failure]);
      all.values[row] = failure === null ? values[k] : NaN;
      all.status[row] = 0;
    });
    if (failures.length < rows.length) onDevice(() => population.correct(all.values, all.status));
    return failures;
  }

  /** The device has lost the state: it is made again from what was last here. */
  private async lose(): Promise<void> {
    const { search, base } = this;
    this.close();
    if (base === null) throw new Error('a population on a device has a base');
    const state = search.completed(base.snapshot.strategy.state);
    this.kept = { ...base.snapshot, strategy: { ...base.snapshot.strategy, state } };
    const reader = this.program.readsGradients ? new ProgramReader(this.parts.ports.program ?? null) : null;
    try {
      if (await this.carryOutAgain(base, reader)) this.kept = null;
    } finally {
      await reader?.close();
    }
  }

  /** The generations since the base, which were counted. False: interrupted. */
  private async carryOutAgain(base: Base, reader: ProgramReader | null): Promise<boolean> {
    const { search } = this;
    const { run, generation } = search.place;
    for (let g = base.place.run === run ? base.place.generation : 0; g < generation; g++) {
      search.place = { run, generation: g };
      const results = await this.resultsAgain(search.move(), reader);
      if (results !== null) search.accept(results.fitness, results.gradients);
      search.place = { run, generation };
      if (results === null) return false;
    }
    if (this.isOpen) search.move();
    return true;
  }

  /** Of a generation that was counted; null: interrupted. */
  private async resultsAgain(
    batch: CandidateBatch,
    reader: ProgramReader | null,
  ): Promise<{ readonly fitness: Float64Array; readonly gradients: Float64Array | null } | null> {
    const { ports, signal, tally } = this.parts;
    const evaluator = new BatchEvaluator(ports.primary, ports.fallback);
    try {
      const values = await evaluator.evaluate(batch, signal);
      const fitness = Float64Array.from({ length: batch.count }, (_, row) => {
        const own = tally.sign * values[row];
        return evaluator.failure(row) === null && own > -Infinity ? own : Infinity;
      });
      const gradients = reader === null ? null : await reader.read(batch, 'gradient', signal);
      return { fitness, gradients };
    } catch (error) {
      if (!signal.aborted) throw error;
      return null;
    }
  }
}

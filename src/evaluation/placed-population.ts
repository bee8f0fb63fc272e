/**
 * A population on a device, whose time is compared with the processor's, and whose failures concern the placement, too.
 */
import type {
  EndOfGeneration,
  GenerationPlace,
  PopulationState,
  ResidentPopulation,
} from '../model/resident-population.js';
import type { Clock } from './clock.js';

/** Generations whose middle one decides whether the device is slower. */
const JUDGED = 5;

interface Listener {
  /** A generation was carried out in so many seconds. */
  done(seconds: number): void;
  failed(error: unknown): void;
  slower(): void;
}

export class PlacedPopulation implements ResidentPopulation {
  isSlower = false;
  /** Seconds of the latest generations. */
  private readonly latest: number[] = [];
  private spent = 0;

  constructor(
    private readonly there: ResidentPopulation,
    /** Seconds that the processor takes for a generation, at least. */
    private readonly here: number,
    private readonly clock: Clock,
    private readonly listener: Listener,
  ) {}

  load(state: PopulationState): void {
    this.heard(() => this.there.load(state));
  }

  store(state: PopulationState): void {
    this.heard(() => this.there.store(state));
  }

  async evaluate(place: GenerationPlace, signal: AbortSignal): Promise<number> {
    const began = this.clock.now();
    try {
      return await this.there.evaluate(place, signal);
    } catch (error) {
      this.listener.failed(error);
      throw error;
    } finally {
      this.spent = this.clock.now() - began;
    }
  }

  results(values: Float64Array, status: Uint8Array): void {
    this.heard(() => this.there.results(values, status));
  }

  correct(values: Float64Array, status: Uint8Array): void {
    this.heard(() => this.there.correct(values, status));
  }

  rows(rows: Uint32Array): { readonly candidates: Float64Array; readonly values: Float64Array } {
    return this.heard(() => this.there.rows(rows));
  }

  accept(sign: 1 | -1, below: number): EndOfGeneration {
    const began = this.clock.now();
    const end = this.heard(() => this.there.accept(sign, below));
    const seconds = this.spent + this.clock.now() - began;
    this.judge(seconds);
    this.listener.done(seconds);
    return end;
  }

  close(): void {
    this.there.close();
  }

  private heard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.listener.failed(error);
      throw error;
    }
  }

  private judge(seconds: number): void {
    const { latest } = this;
    latest.push(seconds);
    if (latest.length > JUDGED) latest.shift();
    if (latest.length < JUDGED || latest.toSorted((a, b) => a - b)[JUDGED >> 1] <= this.here) return;
    this.isSlower = true;
    this.listener.slower();
  }
}

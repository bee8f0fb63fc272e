/**
 * A strategy as a generation program: two rules for one individual, `move` and `accept`, which every thread of a device
 * can follow by itself (docs/adr/0050-generation-programs.md). The rules here run on the processor; those in
 * `native/cuda/strategies/` say the same for a GPU, operation by operation, and a test holds both to equal bits.
 *
 * What a rule reads of others, the same rule must not write. Random numbers come from `draw` alone. Rules add,
 * subtract, multiply, divide and compare, in an order that the text fixes. Over the population there are minima and
 * counts, and no sums, unless the program has rules for the whole of it, too (`WholeRules`).
 */
import type { GenerationPlace, Launch } from '../../model/resident-population.js';
import { tiledLength } from '../../model/tiles.js';
import { philox } from './philox.js';

/** What a block of random words is for: the last word of its counter. */
export const PURPOSE = { start: 0, indices: 1, coordinates: 2, parameters: 3 } as const;
const PURPOSES = 4;

export class Population {
  /** Tiles of [size, n] each (`model/tiles.ts`), in the unit box where they are points. */
  readonly vectors: readonly Float64Array[];
  /** [size] each, in whole tiles; the first is the fitness of what each individual keeps. */
  readonly scalars: readonly Float64Array[];
  /** What the individuals share, where there are `WholeRules`. */
  readonly shared: Float64Array;
  readonly work: Float64Array;
  readonly constants: Float64Array;
  /**
   * Of what the individuals have asked for, in units of the unit box: tiles of [size, n], NaN where there is none. Only
   * where the program reads gradients.
   */
  readonly gradients: Float64Array;
  readonly words = new Uint32Array(4);
  /** Generations that are over in this run. */
  generation = 0;
  /** Restarts so far. */
  run = 0;
  /** Where the run is to begin, in the unit box: only in a generation 0, and never on a device. */
  start: Float64Array | null = null;
  private readonly keyLow: number;
  private readonly keyHigh: number;

  constructor(
    readonly n: number,
    readonly size: number,
    seed: number,
    program: GenerationProgram,
  ) {
    this.vectors = Array.from({ length: program.vectors }, () => new Float64Array(tiledLength(size, n)));
    this.scalars = Array.from({ length: program.scalars }, () => new Float64Array(tiledLength(size, 1)));
    const { whole } = program;
    this.shared = new Float64Array(whole?.shared(n, size) ?? 0);
    this.work = new Float64Array(whole?.work(n, size) ?? 0);
    this.constants = whole?.constants(n, size) ?? new Float64Array(0);
    this.gradients = new Float64Array(program.readsGradients === true ? tiledLength(size, n) : 0);
    this.keyLow = seed >>> 0;
    this.keyHigh = Math.floor(seed / 2 ** 32) >>> 0;
  }

  /** Four random words for individual `k` in this generation, into `words`. */
  draw(k: number, block: number, purpose: number): void {
    philox(k, this.generation, block, purpose + PURPOSES * this.run, this.keyLow, this.keyHigh, this.words);
  }
}

export interface GenerationProgram {
  /** Also of its text for devices: `native/cuda/strategies/<name>.h`, with underscores. */
  readonly name: string;
  /** Of the snapshots. */
  readonly version: number;
  readonly vectors: number;
  readonly scalars: number;
  /** Which of `vectors` is to be evaluated. */
  readonly asked: number;
  /** Of each candidate the gradient is read, too, as an evaluation of its own. Absent: it is not. */
  readonly readsGradients?: true;
  /** Generations that the budget is meant for; absent: 400. */
  readonly generations?: number;
  /**
   * Writes what individual `k` asks for. In generation 0 that is a random point of the box, and all of its state is
   * written.
   */
  move(population: Population, k: number): void;
  /** Takes in the fitness of what individual `k` asked for, and its gradient. */
  accept(population: Population, k: number, value: number): void;
  /** Absent: individuals keep what they need. */
  readonly whole?: WholeRules;
}

/**
 * Rules for all individuals at once. With them individuals keep nothing from one generation to the next: all that a run
 * knows is in `Population.shared`, and whoever moves again moves alike. The rules are sequential; a device carries out
 * `launches` in their place, one after the other, each of them the same operations in the same order for one number, or
 * for a few.
 */
export interface WholeRules {
  /** Numbers of `Population.shared`. */
  shared(n: number, size: number): number;
  /** Numbers of `Population.work`: nobody reads there what another generation has left. */
  work(n: number, size: number): number;
  constants(n: number, size: number): Float64Array;
  /** Before the individuals move; in generation 0 writes all of `shared`. */
  before(population: Population): void;
  /** When all have accepted their fitness. */
  after(population: Population): void;
  /** The same for a device. */
  launches(population: Population, place: GenerationPlace): { readonly before: Launch[]; readonly after: Launch[] };
  /** Multiplications with an addition that a generation takes on the processor, at least. */
  operations(population: Population): number;
  /** Generations without a new best value after which a run is over. */
  patience(n: number, size: number): number;
}

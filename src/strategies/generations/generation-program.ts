/**
 * A strategy as a generation program: two rules for one individual, `move` and `accept`, which every thread of a device
 * can follow by itself (docs/adr/0050-generation-programs.md). The rules here run on the processor; those in
 * `native/cuda/strategies/` say the same for a GPU, operation by operation, and a test holds both to equal bits.
 *
 * What a rule reads of others, the same rule must not write. Random numbers come from `draw` alone. Rules add,
 * subtract, multiply and compare, in an order that the text fixes. Over the population there are minima and counts, and
 * no sums.
 */
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
  readonly words = new Uint32Array(4);
  /** Generations that are over in this run. */
  generation = 0;
  /** Restarts so far. */
  run = 0;
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
  /**
   * Writes what individual `k` asks for. In generation 0 that is a random point of the box, and all of its state is
   * written.
   */
  move(population: Population, k: number): void;
  /** Takes in the fitness of what individual `k` asked for. */
  accept(population: Population, k: number, value: number): void;
}

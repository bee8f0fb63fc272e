/**
 * What strategies, backends and the engine say to each other about populations that stay on a device
 * (docs/adr/0050-generation-programs.md).
 */

/** The population of a generation program. */
export interface PopulationProgram {
  /** Of the program. */
  readonly name: string;
  readonly n: number;
  readonly size: number;
  /** Parts of the state. */
  readonly vectors: number;
  readonly scalars: number;
  /** Numbers that the individuals share; 0: there is nothing to do for all of them. */
  readonly shared: number;
  /** Numbers that the steps write and read within a generation. */
  readonly work: number;
  readonly seed: number;
  /** Lower bounds, upper bounds, widths: [n] each. */
  readonly box: Float64Array;
  /** Of the program, behind the box. */
  readonly constants: Float64Array;
  /** Steps before the individuals move, and after they have accepted their fitness. */
  launches(place: GenerationPlace): { readonly before: readonly Launch[]; readonly after: readonly Launch[] };
  /** Multiplications with an addition that a generation takes on the processor besides evaluations, at least. */
  readonly operations: number;
  /** Of each candidate the gradient is evaluated, too. */
  readonly readsGradients: boolean;
}

/** A step of the program for so many threads. Each launch sees what those before it have written. */
export interface Launch {
  readonly step: number;
  readonly threads: number;
  /** Which time it is; for steps that are repeated. */
  readonly turn: number;
}

/**
 * State of a population: vectors in tiles (`tiles.ts`) of n numbers, scalars in whole tiles, and what individuals
 * share. None of the first two where the individuals keep nothing.
 */
export interface PopulationState {
  readonly vectors: readonly Float64Array[];
  readonly scalars: readonly Float64Array[];
  readonly shared: Float64Array;
}

/** A generation of a run: restarts before it, and generations since the last one. */
export interface GenerationPlace {
  readonly run: number;
  readonly generation: number;
}

/** What a generation leaves behind, besides the state of the individuals. All are fitness. */
export interface GenerationStatistics {
  /** Of this generation's values; +Infinity: none is finite. */
  readonly best: number;
  /** The first individual that has it. */
  readonly index: number;
  /** Of the fitness that individuals keep. */
  readonly lowest: number;
  readonly highest: number;
  /** Individuals that became better. */
  readonly successes: number;
}

export interface EndOfGeneration {
  readonly statistics: GenerationStatistics;
  /** The best one [n]; null: it was not asked for. */
  readonly candidate: Float64Array | null;
}

/**
 * A population on a device. Order of calls: `load`, then for each generation `evaluate` -> where candidates are odd
 * `results` and `correct` -> `accept`; `rows` after `evaluate`, `store` at any time. All of them may throw
 * `backend_lost` or `backend_unavailable`, after which it can only be closed.
 */
export interface ResidentPopulation {
  /** The device's part of the work has turned out to take longer than the processor's. */
  readonly isSlower: boolean;
  load(state: PopulationState): void;
  store(state: PopulationState): void;
  /**
   * Moves all individuals, and evaluates what they ask for, and its gradients where they read them. Resolves to the
   * number of candidates that are odd: flagged, or without a number for a value. Rejects with `cancelled` once `signal`
   * is aborted; the individuals have moved then.
   */
  evaluate(place: GenerationPlace, signal: AbortSignal): Promise<number>;
  /** Values and status of all candidates, [size] each. */
  results(values: Float64Array, status: Uint8Array): void;
  /** Puts others in their place. */
  correct(values: Float64Array, status: Uint8Array): void;
  /** Candidates [rows, n] and values of some individuals. */
  rows(rows: Uint32Array): { readonly candidates: Float64Array; readonly values: Float64Array };
  /**
   * Takes the values in. `sign`: turns them into fitness. The best candidate comes along where it is better than
   * `below`.
   */
  accept(sign: 1 | -1, below: number): EndOfGeneration;
  close(): void;
}

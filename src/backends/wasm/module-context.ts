/**
 * What the functions of one WebAssembly module share: where values, arrays and flags lie.
 */
import { TILE_LANES } from '../../model/tiles.js';
import type { LibraryName } from '../../ir/math/index.js';
import type { Instruction, Region, ValueId } from '../../ir/types.js';
import type { FunctionCode } from './encoder.js';
import type { Step } from '../split.js';

/** Context that all functions of a module share. */
export interface ModuleContext {
  /** The operation that defines a value; undefined for results and params of control flow. */
  readonly producers: readonly (Instruction | undefined)[];
  /** Addresses of values, and of indices, that functions hand to each other. */
  readonly slots: ReadonlyMap<ValueId, number>;
  /** The steps that take the place of a region's body. */
  readonly steps: (region: Region) => readonly Step[];
  /** Where the array of a `load` or `store` lies. */
  readonly array: (index: number) => ArrayPlace;
  /** Index of the function of a library operation. */
  readonly mathFunction: (name: LibraryName) => number;
}

/** `candidate`: where the candidates are; `table`: one number per element, `local`: one per lane, from `address` on. */
export type ArrayPlace =
  { readonly kind: 'candidate' } | { readonly kind: 'table' | 'local'; readonly address: number };

/** Bytes from a coordinate of a candidate to its next, and from a candidate to the next one. */
export interface Strides {
  readonly column: number;
  readonly lane: number;
}

export const stridesOf = (isTiled: boolean, dimension: number): Strides =>
  isTiled ? { column: 8 * TILE_LANES, lane: 8 } : { column: 8, lane: 8 * dimension };

/** How a function finds the candidates. */
export interface CoordinateSource {
  /** Pushes coordinate `index` of both lanes. */
  readonly push: (index: number) => void;
  /** Pushes the address of the two lanes' first coordinates, for the functions that it calls. */
  readonly pushAddress: () => void;
  readonly columnBytes: number;
  /** Pushes both lanes of the coordinate that is `offset` bytes behind the address on the stack. */
  readonly load: (offset: number) => void;
}

/** Address of the flags of the two lanes in work: status in the low, line in the high half of each. */
export const FLAGS = 0;

const bitsView = new DataView(new ArrayBuffer(8));
export function bitsOf(value: number): bigint {
  bitsView.setFloat64(0, value);
  return bitsView.getBigUint64(0);
}

/** Vector locals of one function; those given back are used again, which keeps frames small. */
export class Locals {
  private readonly free: number[] = [];

  constructor(private readonly code: FunctionCode) {}

  take(): number {
    return this.free.pop() ?? this.code.local('v128');
  }

  give(local: number): void {
    this.free.push(local);
  }
}

/**
 * Loads the addon and types its functions (`native/addon/addon.cpp`). Everything that reaches it is checked here first,
 * by types and by `native-backend.ts`; the addon checks lengths once more.
 */
import { nativeAddon } from '../../common/native-addon.js';
import { OPCODES } from './opcodes.js';

/** A loaded program. Opaque. */
export type ProgramHandle = { readonly __program: unique symbol };

/** Results of `evaluate`. */
export const OUTCOME = { done: 0, cancelled: 1, outOfMemory: 2 } as const;

type Evaluate<R> = (
  program: ProgramHandle,
  candidates: Float64Array,
  count: number,
  values: Float64Array,
  status: Uint8Array,
  lines: Int32Array | null,
  isTiled: boolean,
  threads: number,
  cancel: Int32Array | null,
) => R;

export interface NativeAddon {
  /** Instruction sets that this CPU has and the addon was built for, best first. */
  targets(): string[];
  defaultTarget(): string;
  /** Names of the instructions that it was built for, in order of number. */
  opcodes(): string[];
  load(words: Int32Array, constants: Float64Array, target?: string): ProgramHandle;
  evaluate: Evaluate<number>;
  evaluateAsync: Evaluate<Promise<number>>;
  /**
   * Gives a program native code, used from the next evaluation on. `library`: expansions of the mathematics library by
   * opcode; `vectors` per step (1, 2, 4), 0: as many as suit; `fast`: fused operations; `rows` of a batch, 0: not
   * known. Returns why there is none, or null.
   */
  compile(
    program: ProgramHandle,
    library: readonly (ProgramHandle | undefined)[],
    target: string,
    vectors: number,
    fast: boolean,
    rows: number,
  ): string | null;
  nativeCode(program: ProgramHandle): NativeCodeFacts | null;
}

export interface NativeCodeFacts {
  readonly target: string;
  readonly vectors: number;
  readonly bytes: number;
  /** `trusted` once it has given the virtual machine's bits; `rejected` when it did not, and is not used. */
  readonly trust: 'unchecked' | 'trusted' | 'rejected';
}

type AddonResult = { readonly addon: NativeAddon } | { readonly addon: null; readonly reason: string };

let checked: AddonResult | undefined;

/** The addon, or why it is not there: it may be later (`common/native-addon.ts`). Never throws. */
export function loadAddon(): AddonResult {
  if (checked !== undefined) return checked;
  const loaded = nativeAddon();
  if (loaded.exports === null) return { addon: null, reason: loaded.reason };
  checked = check(loaded.exports as NativeAddon);
  return checked;
}

const check = (addon: NativeAddon): AddonResult =>
  addon.opcodes().join() === OPCODES.map(({ name }) => name).join()
    ? { addon }
    : { addon: null, reason: 'the native addon was built from other sources (node scripts/build-native.mjs)' };

/**
 * The native-code tier: when a program is compiled to machine code, and with which library. The code itself is made by
 * `native/jit/`; until then, and for programs that it does not take, the virtual machine does the work.
 */
import type { NativeCodeVerdict } from '../../model/run-task.js';
import { FAST_MATH_LIBRARY, MATH_LIBRARY, type LibraryName } from '../../ir/math/index.js';
import type { NativeAddon, NativeCodeFacts, ProgramHandle } from './addon.js';
import { encodeProgram, type EncodedProgram } from './encode.js';
import { OPCODE_OF } from './opcodes.js';

/**
 * `vm`: never native code; `native-code`: from the first evaluation; `auto`: when the evaluations so far, or those that
 * are planned, make up for compiling.
 */
export type Tier = 'vm' | 'native-code' | 'auto';

/**
 * Evaluations after which native code has made up for its compilation. Both grow with the length of the program, so one
 * number does for all: bench/micro/native-code.mjs, `break_even`. Where counted loops make an evaluation longer than
 * the program is, it takes as many times fewer.
 */
export const BREAK_EVEN_EVALUATIONS = 20_000;

/** A call gains at least as much as that of so many rows does: bench/micro/gradients.mjs, with one row. */
const LEAST_ROWS = 32;

type Mathematics = 'exact' | 'fast';

/**
 * Programs of the mathematics library by opcode; what was called so far. Kept per thread: making all takes 30 ms at
 * first.
 */
const libraries: Readonly<Record<Mathematics, (ProgramHandle | undefined)[]>> = { exact: [], fast: [] };

/** The library with at least these functions. */
function mathLibrary(addon: NativeAddon, math: Mathematics, functions: ReadonlySet<LibraryName>) {
  const library = libraries[math];
  for (const name of functions) {
    const opcode = OPCODE_OF.get(name)!;
    if (library[opcode] !== undefined) continue;
    const fn = (math === 'fast' ? FAST_MATH_LIBRARY : MATH_LIBRARY)[name];
    const { words, constants } = encodeProgram(fn, 'unshared');
    library[opcode] = addon.load(words, constants);
  }
  return library;
}

/** One program's way from the virtual machine to native code. */
export class NativeCodeTier {
  /** Sums over all calls so far: evaluations that they count for, rows, and calls. */
  private evaluations = 0;
  private rows = 0;
  private calls = 0;
  private settled = false;
  /** The tier that will run the program to the end of the kernel; null: not known yet. */
  private lasting: 'native_vm' | 'native_code' | null = null;
  private refusal: string | null = null;

  /**
   * @param planned evaluations that are to come, where known
   */
  constructor(
    private readonly addon: NativeAddon,
    private readonly program: ProgramHandle,
    private readonly encoded: Pick<EncodedProgram, 'functions' | 'turns'>,
    private readonly target: string,
    private readonly tier: Tier,
    private readonly planned = 0,
    private readonly vectors = 0,
    private readonly math: Mathematics = 'exact',
  ) {
    this.settled = tier === 'vm';
    if (tier === 'native-code' || planned * encoded.turns >= BREAK_EVEN_EVALUATIONS) this.consider(0);
  }

  /** Called before `count` evaluations, on the thread that waits for them. Compiles when it pays. */
  consider(count: number): void {
    if (this.settled) return;
    const { addon, math, encoded } = this;
    const known = Math.max(this.planned, this.evaluations) * encoded.turns;
    // Where nobody knows what is to come, it will be as it was.
    const rows = this.calls > 0 && this.planned === 0 ? Math.ceil(this.rows / this.calls) : 0;
    this.evaluations += Math.max(count, LEAST_ROWS);
    this.rows += count;
    this.calls++;
    if (this.tier === 'auto' && known < BREAK_EVEN_EVALUATIONS) return;
    this.settled = true;
    const library = mathLibrary(addon, math, encoded.functions);
    this.refusal = addon.compile(this.program, library, this.target, this.vectors, math === 'fast', rows);
  }

  facts(): NativeCodeFacts | null {
    return this.addon.nativeCode(this.program);
  }

  /** Name of the tier that runs the program. */
  current(): 'native_vm' | 'native_code' {
    if (this.lasting !== null) return this.lasting;
    const facts = this.facts();
    const tier = facts === null || facts.trust === 'rejected' ? 'native_vm' : 'native_code';
    if (this.settled && facts?.trust !== 'unchecked') this.lasting = tier;
    return tier;
  }

  nativeCode(): NativeCodeVerdict {
    const facts = this.facts();
    const isFast = this.math === 'fast';
    switch (facts?.trust) {
      case 'trusted': {
        const agreement = isFast ? 'within 1e-9 of the largest' : 'bit for bit';
        return { status: 'accepted', reason: `its first results were the virtual machine's, ${agreement}` };
      }
      case 'rejected': {
        const others = isFast ? 'values too far from those of' : 'other bits than';
        return { status: 'rejected', reason: `it gave ${others} the virtual machine, which goes on` };
      }
      case 'unchecked':
        return { status: 'unchecked', reason: 'it was compiled, but not yet compared with the virtual machine' };
      case undefined:
        if (this.refusal !== null) return { status: 'refused', reason: this.refusal };
        return { status: 'not_tried', reason: 'too few evaluations for compiling to pay' };
    }
  }

  /** Text for the device's description: the tier that runs the program. */
  describe(): string {
    const facts = this.facts();
    if (facts?.trust === 'rejected') {
      return `virtual machine (native code gave other ${this.math === 'fast' ? 'values' : 'bits'})`;
    }
    if (facts) return this.math === 'fast' ? 'native code with fused operations' : 'native code';
    return this.refusal === null ? 'virtual machine' : `virtual machine (${this.refusal})`;
  }
}

/**
 * The binary format of WebAssembly, as far as `generate.ts` needs it: instructions by name, code of one function, and a
 * module of functions around one memory. Knows nothing of the IR.
 *
 * Source: WebAssembly Core Specification 2.0, section 5 (binary format).
 */

type ValueType = 'i32' | 'i64' | 'v128';

const VALUE_TYPES: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };
const EMPTY_BLOCK = 0x40;
const SIMD = 0xfd;

/** Instructions without immediates. Those from 0x100 on are in the SIMD page. */
const PLAIN = {
  end: 0x0b,
  else: 0x05,
  drop: 0x1a,
  'i32.eqz': 0x45,
  'i32.lt_s': 0x48,
  'i32.add': 0x6a,
  'i32.sub': 0x6b,
  'i32.mul': 0x6c,
  'i32.or': 0x72,
  'i64.ge_u': 0x5a,
  'i64.add': 0x7c,
  'i64.mul': 0x7e,
  'i64.extend_i32_s': 0xac,
  'f64.convert_i64_s': 0xb9,

  'f64x2.splat': 0x114,
  'v128.not': 0x14d,
  'v128.and': 0x14e,
  'v128.andnot': 0x14f,
  'v128.or': 0x150,
  'v128.xor': 0x151,
  'v128.bitselect': 0x152,
  'v128.any_true': 0x153,
  'f64x2.eq': 0x147,
  'f64x2.ne': 0x148,
  'f64x2.lt': 0x149,
  'f64x2.le': 0x14b,
  'f64x2.ceil': 0x174,
  'f64x2.floor': 0x175,
  'f64x2.trunc': 0x17a,
  'f64x2.nearest': 0x194,
  'i64x2.shl': 0x1cb,
  'i64x2.shr_u': 0x1cd,
  'i64x2.eq': 0x1d6,
  'i64x2.lt_s': 0x1d8,
  'f64x2.abs': 0x1ec,
  'f64x2.neg': 0x1ed,
  'f64x2.sqrt': 0x1ef,
  'f64x2.add': 0x1f0,
  'f64x2.sub': 0x1f1,
  'f64x2.mul': 0x1f2,
  'f64x2.div': 0x1f3,
} as const;
export type PlainInstruction = keyof typeof PLAIN;

/** Loads and stores, numbered as above. All but `load64_lane` take the address from the stack. */
const MEMORY = {
  'i32.load': { code: 0x28, align: 2 },
  'i32.store': { code: 0x36, align: 2 },
  'v128.load': { code: 0x100, align: 4 },
  'v128.load64_splat': { code: 0x10a, align: 3 },
  'v128.store': { code: 0x10b, align: 4 },
  'v128.load64_zero': { code: 0x15d, align: 3 },
} as const;
type MemoryInstruction = keyof typeof MEMORY;

/** A growing sequence of bytes. */
class Bytes {
  private data = new Uint8Array(256);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.data.length) this.grow(1);
    this.data[this.length++] = value;
  }

  bytes(values: Uint8Array | readonly number[]): void {
    this.grow(values.length);
    this.data.set(values, this.length);
    this.length += values.length;
  }

  unsigned(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  signed(value: bigint): void {
    let rest = value;
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      const done = rest === ((low & 0x40) === 0 ? 0n : -1n);
      this.byte(done ? low : low | 0x80);
      if (done) return;
    }
  }

  name(text: string): void {
    this.unsigned(text.length);
    this.bytes([...text].map((character) => character.charCodeAt(0)));
  }

  get size(): number {
    return this.length;
  }

  finish(): Uint8Array {
    return this.data.subarray(0, this.length);
  }

  private grow(more: number): void {
    const needed = this.length + more;
    if (needed <= this.data.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.data.length));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }
}

/** The body of one function. Locals are declared as they are asked for; parameters are the first ones. */
export class FunctionCode {
  private readonly code = new Bytes();
  private readonly locals: ValueType[] = [];

  constructor(
    readonly parameters: readonly ValueType[],
    readonly results: readonly ValueType[],
  ) {}

  local(type: ValueType): number {
    this.locals.push(type);
    return this.parameters.length + this.locals.length - 1;
  }

  op(name: PlainInstruction): void {
    const code = PLAIN[name];
    if (code < 0x100) this.code.byte(code);
    else this.simd(code - 0x100);
  }

  get(local: number): void {
    this.code.byte(0x20);
    this.code.unsigned(local);
  }

  set(local: number): void {
    this.code.byte(0x21);
    this.code.unsigned(local);
  }

  i32(value: number): void {
    this.code.byte(0x41);
    this.code.signed(BigInt(value));
  }

  i64(value: bigint): void {
    this.code.byte(0x42);
    this.code.signed(value);
  }

  memory(name: MemoryInstruction, offset: number): void {
    const { code, align } = MEMORY[name];
    if (code < 0x100) this.code.byte(code);
    else this.simd(code - 0x100);
    this.code.unsigned(align);
    this.code.unsigned(offset);
  }

  /** Replaces lane 1 of the vector on top of the stack by the number at the address below it. */
  loadLane1(offset: number): void {
    this.simd(0x57);
    this.code.unsigned(3);
    this.code.unsigned(offset);
    this.code.byte(1);
  }

  /** A vector constant: the same 64 bits in both lanes. */
  splat(bits: bigint): void {
    this.simd(0x0c);
    for (let k = 0; k < 16; k++) this.code.byte(Number((bits >> BigInt(8 * (k % 8))) & 0xffn));
  }

  /** Opens a block without parameters and results; `end` closes it. */
  open(kind: 'block' | 'loop' | 'if'): void {
    this.code.byte({ block: 0x02, loop: 0x03, if: 0x04 }[kind]);
    this.code.byte(EMPTY_BLOCK);
  }

  /** Leaves, or for a loop repeats, the block `depth` levels up. */
  branch(depth: number): void {
    this.code.byte(0x0c);
    this.code.unsigned(depth);
  }

  /** The same if the number on the stack is not 0. */
  branchIf(depth: number): void {
    this.code.byte(0x0d);
    this.code.unsigned(depth);
  }

  call(fn: number): void {
    this.code.byte(0x10);
    this.code.unsigned(fn);
  }

  /** Declarations of locals and instructions, as the code section has them. */
  finish(): Uint8Array {
    const body = new Bytes();
    const groups: { type: ValueType; count: number }[] = [];
    for (const type of this.locals) {
      const last = groups.at(-1);
      if (last?.type === type) last.count++;
      else groups.push({ type, count: 1 });
    }
    body.unsigned(groups.length);
    for (const { type, count } of groups) {
      body.unsigned(count);
      body.byte(VALUE_TYPES[type]);
    }
    body.bytes(this.code.finish());
    body.byte(PLAIN.end);
    return body.finish();
  }

  private simd(code: number): void {
    this.code.byte(SIMD);
    this.code.unsigned(code);
  }
}

/** Contents of memory from the start. */
export interface DataSegment {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/** A module that exports its memory, of a fixed number of pages, as `memory` and the first function as `run`. */
export function encodeModule(
  functions: readonly FunctionCode[],
  pages: number,
  data: readonly DataSegment[] = [],
): Uint8Array {
  const module = new Bytes();
  module.bytes([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const section = (id: number, write: (into: Bytes) => void) => {
    const content = new Bytes();
    write(content);
    module.byte(id);
    module.unsigned(content.size);
    module.bytes(content.finish());
  };
  const types = (into: Bytes, list: readonly ValueType[]) => {
    into.unsigned(list.length);
    for (const type of list) into.byte(VALUE_TYPES[type]);
  };
  section(1, (into) => {
    into.unsigned(functions.length);
    for (const fn of functions) {
      into.byte(0x60);
      types(into, fn.parameters);
      types(into, fn.results);
    }
  });
  section(3, (into) => {
    into.unsigned(functions.length);
    functions.forEach((_, index) => into.unsigned(index));
  });
  section(5, (into) => {
    into.bytes([1, 1]);
    into.unsigned(pages);
    into.unsigned(pages);
  });
  section(7, (into) => {
    into.unsigned(2);
    into.name('memory');
    into.bytes([2, 0]);
    into.name('run');
    into.byte(0);
    into.unsigned(0);
  });
  section(10, (into) => {
    into.unsigned(functions.length);
    for (const fn of functions) {
      const body = fn.finish();
      into.unsigned(body.length);
      into.bytes(body);
    }
  });
  if (data.length > 0) {
    section(11, (into) => {
      into.unsigned(data.length);
      for (const { address, bytes } of data) {
        into.bytes([0, 0x41]);
        into.signed(BigInt(address));
        into.byte(PLAIN.end);
        into.unsigned(bytes.length);
        into.bytes(bytes);
      }
    });
  }
  return module.finish();
}

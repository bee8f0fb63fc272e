/**
 * Verified IR to a WebAssembly module: two lanes per vector, 64 candidates in the module's memory, as a tile or as
 * rows. Nothing of the user's source reaches the module: only operations of the op table, numbers and lines.
 *
 * Control flow is by lanes. `if` runs a side under the mask of the lanes that take it, and jumps over it when there is
 * none; `loop` runs until its last lane leaves. A check writes status and line into the lane's flag (`FLAGS`); a
 * flagged lane computes on, which traps nowhere, but leaves every loop and keeps nothing running.
 *
 * `for` runs for both lanes at once. Local arrays hold two lanes per element, tables lie in the module's data.
 *
 * Only operations of fixed meaning: no relaxed SIMD, no contraction. A function of the mathematics library becomes one
 * of the module: pasted at each use, it runs at a quarter of the speed, for V8 moves independent computations into each
 * other until nothing fits its registers. Constants are immediates, which V8 places where they are used.
 */
import { TILE_LANES } from '../../model/tiles.js';
import { MATH_LIBRARY, type LibraryName } from '../../ir/math/index.js';
import { formRange } from '../../ir/index-form.js';
import type { CountedIndex } from '../../ir/index-form.js';
import { outputArrayOf } from '../../ir/types.js';
import type { Instruction, IrFunction, Region, ValueId } from '../../ir/types.js';
import { contains, regionsOf, walk } from '../../ir/walk.js';
import { Emitter } from './emitter.js';
import {
  bitsOf,
  FLAGS,
  stridesOf,
  type ArrayPlace,
  type CoordinateSource,
  type ModuleContext,
  type Strides,
} from './module-context.js';
import type { DataSegment } from './encoder.js';
import { encodeModule, FunctionCode } from './encoder.js';
import type { Split } from '../split.js';
import { splitProgram } from '../split.js';

/** Where things lie in the module's memory, in bytes. */
interface MemoryLayout {
  /** Candidates per call of `run`, at most; even. */
  readonly runRows: number;
  /** A tile of candidates (`model/tiles.ts`), or as many rows. */
  readonly candidates: number;
  /** Float64 [TILE_LANES]. */
  readonly values: number;
  /** Int32 [TILE_LANES, 2]: status and line. Written only if `run` returns non-zero. */
  readonly flags: number;
  /** Float64 [elements, 2], for a program with an output array, whose runs have two rows. */
  readonly outputs: { readonly address: number; readonly length: number } | null;
  readonly pages: number;
}

export interface GeneratedModule {
  /**
   * Exports `memory` and `run(first: i32, pairs: i32): i32`, which evaluates `2 * pairs` candidates from `first`, an
   * even number, on and says whether any of them may be flagged.
   */
  readonly bytes: Uint8Array;
  readonly layout: MemoryLayout;
}

/** Nodes per function, roughly: V8's optimizing compiler takes its time over larger ones, and they run no faster. */
const FUNCTION_SIZE = 1_000;
const PAGE = 65_536;
/** Nodes that a call of `run` carries out at most, where it can be foreseen: it cannot be interrupted. */
const RUN_WORK = 20_000_000;
/** Rounds of a `for`: its index is an i32. */
const MAX_ROUNDS = 2 ** 31 - 1;

/** After the flags of `emitter.ts`. */
const SLOTS = FLAGS + 16;

/** @throws {RangeError} where the program needs more than `maxBytes` of memory, or as much code. */
export function generateModule(
  fn: IrFunction,
  maxBytes: number,
  isTiled: boolean,
  functionSize = FUNCTION_SIZE,
): GeneratedModule {
  return new ModuleGenerator(fn, splitProgram(fn, functionSize), maxBytes, stridesOf(isTiled, fn.dimension)).run();
}

class ModuleGenerator {
  private readonly context: ModuleContext;
  private readonly layout: MemoryLayout;
  /** Whether a lane can be flagged at all. */
  private readonly canFlag: boolean;
  private readonly functions: FunctionCode[] = [];
  private readonly mathFunctions = new Map<LibraryName, number>();
  private readonly data: DataSegment[] = [];

  constructor(
    private readonly fn: IrFunction,
    private readonly split: Split,
    private readonly maxBytes: number,
    private readonly strides: Strides,
  ) {
    this.canFlag = contains(fn.body, (node) => node.kind === 'loop' || (node.kind === 'op' && node.op === 'check'));
    const producers = producersOf(fn);
    const slots = new Map<ValueId, number>();
    for (const id of split.shared) {
      const op = producers[id]?.op;
      if (op !== 'const' && op !== 'bconst' && op !== 'x') slots.set(id, SLOTS + 16 * slots.size);
    }
    const fitting = Math.min(TILE_LANES, RUN_WORK / workOf(fn.body, []));
    const output = outputArrayOf(fn);
    const runRows = output === null ? 2 * Math.max(1, Math.floor(fitting / 2)) : 2;
    let end = SLOTS + 16 * slots.size;
    const arrays = fn.arrays.map((array): ArrayPlace => {
      const { kind } = array;
      if (kind === 'candidate') return { kind };
      const address = end;
      // Addresses stay even numbers of vectors.
      end += 16 * (kind === 'local' ? array.length : Math.ceil(array.values.length / 2));
      if (kind === 'table' && end <= maxBytes) this.data.push({ address, bytes: bytesOf(array.values) });
      return { kind, address };
    });
    this.context = {
      producers,
      slots,
      steps: split.steps,
      array: (index) => arrays[index],
      mathFunction: (name) => this.mathFunction(name),
    };
    const values = end;
    const flags = values + 8 * TILE_LANES;
    const candidates = flags + 8 * TILE_LANES;
    const pages = Math.ceil((candidates + 8 * TILE_LANES * fn.dimension) / PAGE);
    const place = output === null ? null : arrays[output.array];
    const outputs =
      output === null || place?.kind !== 'local' ? null : { address: place.address, length: output.length };
    this.layout = { runRows, values, flags, candidates, outputs, pages };
  }

  run(): GeneratedModule {
    const { split, functions, layout, maxBytes } = this;
    if (layout.pages * PAGE > maxBytes) throw new RangeError(`it needs ${layout.pages * PAGE} bytes of memory`);
    const run = new FunctionCode(['i32', 'i32'], ['i32']);
    functions.push(run);
    for (const piece of split.pieces) functions[piece.fn] = new FunctionCode(['i32', 'v128'], []);
    this.runFunction(run);
    for (const piece of split.pieces) {
      const code = functions[piece.fn];
      const emitter = new Emitter(this.context, code, coordinatesAt(code, 0, this.strides));
      emitter.useCounts(piece.body);
      emitter.steps(piece.body, 1);
    }
    const bytes = encodeModule(functions, layout.pages, this.data);
    if (bytes.length > maxBytes) throw new RangeError(`its code has ${bytes.length} bytes`);
    return { bytes, layout };
  }

  /** Index of a function of the library, written at its first use. */
  private mathFunction(name: LibraryName): number {
    let index = this.mathFunctions.get(name);
    if (index === undefined) {
      index = this.writeMathFunction(MATH_LIBRARY[name]);
      this.mathFunctions.set(name, index);
    }
    return index;
  }

  /**
   * A function that ends in an `if` for lanes that are rare calls another for them: its locals, which the machine
   * clears before each call, are many.
   */
  private writeMathFunction(fn: IrFunction): number {
    const last = fn.body.body.at(-1);
    const line = fn.body.body.filter((node) => node.kind === 'op');
    if (last?.kind !== 'if') return this.straightLine(fn, line, fn.body.yields[0]);
    const all = [...line, ...last.then.body.filter((node) => node.kind === 'op')];
    const rare = this.straightLine(fn, all, last.then.yields[0]);
    const usual = last.otherwise.yields[0];
    return this.straightLine(fn, line, usual, last.condition, (code, emitter) => {
      const result = code.local('v128');
      emitter.push(usual);
      code.set(result);
      emitter.push(last.condition);
      code.op('v128.any_true');
      code.open('if');
      for (let argument = 0; argument < fn.dimension; argument++) code.get(argument);
      code.call(rare);
      code.get(result);
      emitter.push(last.condition);
      code.op('v128.bitselect');
      code.set(result);
      code.op('end');
      code.get(result);
    });
  }

  /**
   * Index of a function of what `result`, and `condition`, take of `line`; `finish` leaves its result, by default
   * `result`.
   */
  private straightLine(
    fn: IrFunction,
    line: readonly Instruction[],
    result: ValueId,
    condition = result,
    finish = (_code: FunctionCode, emitter: Emitter): void => emitter.push(result),
  ): number {
    const needed = new Set([result, condition]);
    for (const { args, result: made } of [...line].reverse())
      if (needed.has(made)) args.forEach((id) => needed.add(id));
    const steps = line.filter((node) => needed.has(node.result));
    const code = new FunctionCode(new Array<'v128'>(fn.dimension).fill('v128'), ['v128']);
    const index = this.functions.push(code) - 1;
    const context = { ...this.context, producers: producersOf(fn), slots: new Map<ValueId, number>() };
    const emitter = new Emitter(context, code, argumentsOf(code));
    emitter.useCounts(steps, [result, condition]);
    emitter.steps(steps, null);
    finish(code, emitter);
    return index;
  }

  /** The loop over pairs of rows around the program. */
  private runFunction(code: FunctionCode): void {
    const { fn, layout, strides } = this;
    const [first, pairs] = [0, 1];
    const [lanes, out, flagged] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const emitter = new Emitter(this.context, code, coordinatesAt(code, lanes, strides));
    emitter.useCounts(this.split.steps(fn.body), fn.body.yields);
    code.get(first);
    code.i32(8);
    code.op('i32.mul');
    code.set(out);
    code.get(first);
    code.i32(strides.lane);
    code.op('i32.mul');
    code.i32(layout.candidates);
    code.op('i32.add');
    code.set(lanes);
    code.open('loop');
    if (this.canFlag) {
      code.i32(0);
      code.splat(0n);
      code.memory('v128.store', FLAGS);
    }
    emitter.steps(this.split.steps(fn.body), null);
    this.writeResult(code, emitter, fn.body.yields[0], out, flagged);
    advance(code, lanes, 2 * strides.lane);
    advance(code, out, 16);
    advance(code, pairs, -1);
    code.get(pairs);
    code.branchIf(0);
    code.op('end');
    code.get(flagged);
  }

  /** A NaN becomes the canonical one, and so does the value of a flagged lane. */
  private writeResult(code: FunctionCode, emitter: Emitter, result: ValueId, out: number, flagged: number): void {
    code.get(out);
    emitter.push(result);
    code.splat(bitsOf(NaN));
    emitter.push(result);
    emitter.push(result);
    code.op('f64x2.eq');
    if (this.canFlag) {
      emitter.pushUnflagged();
      code.op('v128.and');
    }
    code.op('v128.bitselect');
    code.memory('v128.store', this.layout.values);
    if (!this.canFlag) return;
    code.get(out);
    emitter.pushFlags();
    code.memory('v128.store', this.layout.flags);
    code.get(flagged);
    emitter.pushFlags();
    code.op('v128.any_true');
    code.op('i32.or');
    code.set(flagged);
  }
}

function advance(code: FunctionCode, local: number, by: number): void {
  code.get(local);
  code.i32(by);
  code.op('i32.add');
  code.set(local);
}

/** Coordinates of the two lanes whose first ones are at the address in the local `lanes`. */
function coordinatesAt(code: FunctionCode, lanes: number, { column, lane }: Strides): CoordinateSource {
  let address: number | undefined;
  const load = (offset: number): void => {
    if (lane === 8) return code.memory('v128.load', offset);
    address ??= code.local('i32');
    code.set(address);
    code.get(address);
    code.get(address);
    code.memory('v128.load64_zero', offset);
    code.loadLane1(offset + lane);
  };
  return {
    columnBytes: column,
    pushAddress: () => code.get(lanes),
    load,
    push: (index) => {
      code.get(lanes);
      load(column * index);
    },
  };
}

function bytesOf(values: Float64Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, k) => view.setFloat64(8 * k, value, true));
  return new Uint8Array(view.buffer);
}

/**
 * Nodes that one evaluation carries out, every loop without a count once. @throws {RangeError} where a `for` is too
 * long.
 */
function workOf({ body }: Region, loops: readonly CountedIndex[]): number {
  let work = 0;
  for (const node of body) {
    work++;
    if (node.kind !== 'for') {
      for (const region of regionsOf(node)) work += workOf(region, loops);
      continue;
    }
    const { min, max } = formRange(node.count, loops);
    if (max > MAX_ROUNDS || min < -MAX_ROUNDS) throw new RangeError(`it counts to ${max}`);
    work += Math.max(0, max) * workOf(node.body, [...loops, { index: node.index, count: node.count }]);
  }
  return work;
}

function producersOf(fn: IrFunction): (Instruction | undefined)[] {
  const producers = new Array<Instruction | undefined>(fn.types.length).fill(undefined);
  walk(fn.body, (node) => {
    if (node.kind === 'op' && node.result >= 0) producers[node.result] = node;
  });
  return producers;
}

/** The coordinates of a function of the library are its arguments; none has an array of them. */
const argumentsOf = (code: FunctionCode): CoordinateSource => ({
  push: (argument) => code.get(argument),
  pushAddress: () => {},
  columnBytes: 0,
  load: () => {
    throw new Error('a function of the library reads no candidates');
  },
});

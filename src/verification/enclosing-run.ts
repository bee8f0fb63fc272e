/**
 * Runs a program over enclosures instead of numbers: what its value may be at a point, when results of library
 * functions are known within their error only. Both sides of a branch run where its condition is open, and what they
 * leave is joined.
 */
import { evaluateForm } from '../ir/index-form.js';
import type {
  ForNode,
  IfNode,
  IndexForm,
  Instruction,
  IrFunction,
  IrNode,
  LoopNode,
  Region,
  ValueId,
} from '../ir/types.js';
import { LaneStatus, outputArrayOf } from '../ir/types.js';
import {
  ANYTHING,
  CAN_BE_FALSE,
  CAN_BE_TRUE,
  EITHER,
  compared,
  connected,
  enclosureOf1,
  enclosureOf2,
  enclosureOfCall,
  isPoint,
  joinOf,
  pointOf,
  signOf,
  truthOf,
  within,
  type Enclosure,
} from './enclosure.js';

/** Turns of a loop that may be the last one or not, after which nothing is said. */
const MOST_OPEN_TURNS = 200;
/** Operations on enclosures for one point: some tenths of a second. */
const MOST_STEPS = 500_000;

const ZERO = pointOf(0);

/** Why nothing can be said of the value. */
export class OpenEnclosure extends Error {}

export interface EnclosedResult {
  /** The value, then the elements of the output array. Null: the program has no value there. */
  readonly results: readonly Enclosure[] | null;
  /** A check that may flag the lane, or may not: its line; null: all checks are decided. */
  readonly openCheck: { readonly line: number; readonly status: LaneStatus } | null;
  /** Whether errors decide nothing on the way: no branch, no check, no rounding to a whole number. */
  readonly isSmooth: boolean;
}

/** @throws {OpenEnclosure} */
export function enclose(fn: IrFunction, x: ArrayLike<number>): EnclosedResult {
  return new EnclosingRun(fn, x).run();
}

/**
 * The results where every error is some number within its bound, by `draw` (-1 to 1), instead of all of them; null:
 * there is no value.
 *
 * @throws {OpenEnclosure}
 */
export function sample(fn: IrFunction, x: ArrayLike<number>, draw: () => number): readonly number[] | null {
  return new EnclosingRun(fn, x, draw).run().results?.map(({ lo }) => lo) ?? null;
}

/** Values and arrays that a branch leaves behind. */
interface Left {
  readonly values: readonly (Enclosure | number)[];
  readonly arrays: readonly Enclosure[][];
}

class EnclosingRun {
  /** By value id: an enclosure, what a truth value can be, or the number of an index. */
  private readonly values: (Enclosure | number)[];
  /** By array number; what is not stored yet is anything. */
  private readonly arrays: (Enclosure[] | null)[];
  private openCheck: EnclosedResult['openCheck'] = null;
  private isSmooth = true;
  private steps = 0;
  private readonly indices: number[] = [];

  constructor(
    private readonly fn: IrFunction,
    private readonly x: ArrayLike<number>,
    private readonly draw: (() => number) | null = null,
  ) {
    this.values = new Array<Enclosure | number>(fn.types.length);
    this.arrays = fn.arrays.map((array) =>
      array.kind === 'local' ? new Array<Enclosure>(array.length).fill(ANYTHING) : null,
    );
  }

  run(): EnclosedResult {
    const { fn } = this;
    const isAlive = this.region(fn.body);
    const { openCheck, isSmooth } = this;
    if (!isAlive) return { results: null, openCheck, isSmooth };
    const output = outputArrayOf(fn);
    const outputs = output === null ? [] : this.arrays[output.array]!;
    return { results: [this.number(fn.body.yields[0]), ...outputs], openCheck, isSmooth };
  }

  /** All of it, or one of its points. */
  private taken(a: Enclosure): Enclosure {
    if (this.draw === null || isPoint(a)) return a;
    if (!Number.isFinite(a.hi - a.lo)) return a;
    return pointOf(a.lo + (a.hi - a.lo) * (0.5 + this.draw() / 2));
  }

  private number(id: ValueId): Enclosure {
    return this.values[id] as Enclosure;
  }

  private truth(id: ValueId): number {
    return this.values[id] as number;
  }

  private at(form: IndexForm): number {
    return form.terms.length === 0 ? form.offset : evaluateForm(form, this.indices);
  }

  /** False: no lane gets to its end. */
  private region(region: Region): boolean {
    for (const node of region.body) if (!this.node(node)) return false;
    return true;
  }

  private node(node: IrNode): boolean {
    switch (node.kind) {
      case 'op':
        return this.instruction(node);
      case 'if':
        return this.branches(node);
      case 'for':
        return this.counted(node);
      case 'loop':
        return this.loop(node);
    }
  }

  private instruction(node: Instruction): boolean {
    const { op, args, result, imm } = node;
    if (++this.steps > MOST_STEPS) throw new OpenEnclosure('the program is too long to be enclosed');
    switch (op) {
      case 'const':
        this.values[result] = this.constant(imm);
        return true;
      case 'bconst':
        this.values[result] = truthOf(imm !== 0);
        return true;
      case 'x':
        this.values[result] = pointOf(this.x[imm]);
        return true;
      case 'load':
        this.values[result] = this.element(imm, this.at(node.at!));
        return true;
      case 'store':
        this.arrays[imm]![this.at(node.at!)] = this.number(args[0]);
        return true;
      case 'ordinal':
        this.values[result] = pointOf(this.at(node.at!));
        return true;
      case 'check':
        return this.check(node);
      case 'lt':
      case 'le':
      case 'eq':
      case 'ne':
        this.values[result] = compared(op, this.number(args[0]), this.number(args[1]), args[0] === args[1]);
        return true;
      case 'signbit':
        this.values[result] = signOf(this.number(args[0]));
        return true;
      case 'and':
      case 'or':
      case 'xor':
      case 'not':
        this.values[result] = connected(op, this.truth(args[0]), args.length > 1 ? this.truth(args[1]) : 0);
        return true;
      case 'select': {
        const then = this.number(args[1]);
        const otherwise = this.number(args[2]);
        const condition = this.truth(args[0]);
        if (imm === 1) this.values[result] = this.taken(within(then, otherwise));
        else if (condition === EITHER) {
          this.isSmooth = false;
          this.values[result] = joinOf(then, otherwise);
        } else this.values[result] = condition === CAN_BE_TRUE ? then : otherwise;
        return true;
      }
      case 'bselect': {
        const condition = this.truth(args[0]);
        const [then, otherwise] = [this.truth(args[1]), this.truth(args[2])];
        this.values[result] = condition === EITHER ? then | otherwise : condition === CAN_BE_TRUE ? then : otherwise;
        return true;
      }
      case 'add':
      case 'sub':
      case 'mul':
      case 'div':
      case 'scale':
        this.values[result] = enclosureOf2(op, this.number(args[0]), this.number(args[1]), args[0] === args[1]);
        return true;
      case 'sqrt':
      case 'neg':
      case 'abs':
        this.values[result] = enclosureOf1(op, this.number(args[0]));
        return true;
      case 'floor':
      case 'ceil':
      case 'trunc':
      case 'rint':
      case 'high':
      case 'exponent':
      case 'mantissa': {
        const jumps = enclosureOf1(op, this.number(args[0]));
        if (!isPoint(jumps)) this.isSmooth = false;
        this.values[result] = jumps;
        return true;
      }
      default: {
        const second = args.length > 1 ? this.number(args[1]) : ZERO;
        this.values[result] = this.taken(enclosureOfCall(op, this.number(args[0]), second));
        return true;
      }
    }
  }

  private readonly constants = new Map<number, Enclosure>();

  /** Constants are kept: a loop uses the same ones in each turn. */
  private constant(value: number): Enclosure {
    if (value === 0) return pointOf(value);
    let point = this.constants.get(value);
    if (point === undefined) this.constants.set(value, (point = pointOf(value)));
    return point;
  }

  private element(array: number, at: number): Enclosure {
    const info = this.fn.arrays[array];
    if (info.kind === 'candidate') return pointOf(this.x[at]);
    return info.kind === 'table' ? pointOf(info.values[at]) : this.arrays[array]![at];
  }

  private check({ args, imm, line }: Instruction): boolean {
    const condition = this.truth(args[0]);
    if (condition === CAN_BE_FALSE) return true;
    this.isSmooth = false;
    this.openCheck ??= { line, status: imm as LaneStatus };
    return condition !== CAN_BE_TRUE;
  }

  // --- branches

  private branches(node: IfNode): boolean {
    const condition = this.truth(node.condition);
    if (condition !== EITHER) {
      const side = condition === CAN_BE_TRUE ? node.then : node.otherwise;
      if (!this.region(side)) return false;
      this.define(
        node.results,
        side.yields.map((id) => this.values[id]),
      );
      return true;
    }
    this.isSmooth = false;
    const before = this.save();
    const then = this.region(node.then) ? this.left(node.then.yields) : null;
    this.restore(before);
    const otherwise = this.region(node.otherwise) ? this.left(node.otherwise.yields) : null;
    const joined = then === null ? otherwise : otherwise === null ? then : this.joined(then, otherwise);
    if (joined === null) return false;
    this.restore(joined.arrays);
    this.define(node.results, joined.values);
    return true;
  }

  private define(ids: readonly ValueId[], values: readonly (Enclosure | number)[]): void {
    ids.forEach((id, k) => (this.values[id] = values[k]));
  }

  private save(): Enclosure[][] {
    return this.arrays.map((array) => (array === null ? [] : [...array]));
  }

  private restore(arrays: readonly Enclosure[][]): void {
    arrays.forEach((array, k) => {
      if (this.arrays[k] !== null) this.arrays[k] = [...array];
    });
  }

  private left(yields: readonly ValueId[]): Left {
    return { values: yields.map((id) => this.values[id]), arrays: this.save() };
  }

  private joined(a: Left, b: Left): Left {
    const either = (p: Enclosure | number, q: Enclosure | number): Enclosure | number =>
      typeof p === 'number' || typeof q === 'number' ? (p as number) | (q as number) : joinOf(p, q);
    return {
      values: a.values.map((value, k) => either(value, b.values[k])),
      arrays: a.arrays.map((array, k) => array.map((value, j) => joinOf(value, b.arrays[k][j]))),
    };
  }

  // --- loops

  private counted(node: ForNode): boolean {
    const count = this.at(node.count);
    this.define(
      node.params,
      node.initial.map((id) => this.values[id]),
    );
    for (let index = 0; index < count; index++) {
      this.indices[node.index] = index;
      if (!this.region(node.body)) return false;
      this.define(
        node.params,
        node.body.yields.map((id) => this.values[id]),
      );
    }
    this.define(
      node.results,
      node.params.map((id) => this.values[id]),
    );
    return true;
  }

  private loop(node: LoopNode): boolean {
    this.define(
      node.params,
      node.initial.map((id) => this.values[id]),
    );
    // What lanes leave with that may have left already.
    let gone: Left | null = null;
    let openTurns = 0;
    const end = (left: Left | null): boolean => {
      if (left === null) return false;
      this.restore(left.arrays);
      this.define(node.results, left.values);
      return true;
    };
    for (let done = 1; ; done++) {
      if (!this.region(node.body)) return end(gone);
      const again = this.truth(node.body.yields[0]);
      const next = node.body.yields.slice(1);
      if (again !== CAN_BE_TRUE) {
        const leaving = this.left(next);
        gone = gone === null ? leaving : this.joined(gone, leaving);
        if (again === CAN_BE_FALSE) return end(gone);
        this.isSmooth = false;
        if (++openTurns > MOST_OPEN_TURNS) throw new OpenEnclosure(`the loop in line ${node.line} may go on for long`);
      }
      this.define(
        node.params,
        next.map((id) => this.values[id]),
      );
      if (done >= node.fuel) {
        this.openCheck ??= { line: node.line, status: LaneStatus.FuelExhausted };
        return end(gone);
      }
    }
  }
}

/** Whether an enclosure says anything. */
export const isBounded = (a: Enclosure): boolean => isPoint(a) || (Number.isFinite(a.lo) && Number.isFinite(a.hi));

/** Where every value of a function under construction lies, when each coordinate lies in its bounds. */
import type { ValueFacts } from './builder.js';
import {
  ANY,
  EITHER,
  compareIntervals,
  intervalOf,
  point,
  truth,
  union,
  unionTruth,
  type Interval,
  type Truth,
} from './intervals.js';
import { isNumberOp, type OpName } from './ops.js';
import type { IrArray, ValueId } from './types.js';

/** `lower[i] <= x[i] <= upper[i]`. */
export interface Box {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
}

export class BoxFacts implements ValueFacts {
  /** By value id; absent: nothing is known. */
  private readonly numbers: (Interval | undefined)[] = [];
  private readonly truths: (Truth | undefined)[] = [];

  constructor(private readonly box: Box) {}

  settled(op: OpName, [a, b]: readonly ValueId[]): boolean | undefined {
    const result = this.truthOf(op, a, b);
    return result === undefined || (result.canBeTrue && result.canBeFalse) ? undefined : result.canBeTrue;
  }

  isWithin(value: ValueId, limit: number): boolean {
    const { lo, hi } = this.number(value);
    return lo >= -limit && hi <= limit;
  }

  private truthOf(op: OpName, a: ValueId, b: ValueId): Truth | undefined {
    switch (op) {
      case 'lt':
      case 'le':
      case 'eq':
      case 'ne':
        return compareIntervals(op, this.number(a), this.number(b), a === b);
      case 'and':
        return {
          canBeTrue: this.truth(a).canBeTrue && this.truth(b).canBeTrue,
          canBeFalse: this.truth(a).canBeFalse || this.truth(b).canBeFalse,
        };
      case 'or':
        return {
          canBeTrue: this.truth(a).canBeTrue || this.truth(b).canBeTrue,
          canBeFalse: this.truth(a).canBeFalse && this.truth(b).canBeFalse,
        };
      case 'not':
        return { canBeTrue: this.truth(a).canBeFalse, canBeFalse: this.truth(a).canBeTrue };
      default:
        return undefined;
    }
  }

  learn(op: OpName, args: readonly ValueId[], imm: number, result: ValueId): void {
    const [a, b, c] = args;
    switch (op) {
      case 'const':
        this.numbers[result] = point(imm);
        return;
      case 'bconst':
        this.truths[result] = truth(imm !== 0);
        return;
      case 'x':
        this.numbers[result] = { lo: this.box.lower[imm], hi: this.box.upper[imm], nan: false };
        return;
      case 'select':
      case 'bselect':
        this.join(result, b, c);
        return;
      default:
        if (isNumberOp(op)) {
          this.numbers[result] = intervalOf(
            op,
            args.map((arg) => this.number(arg)),
            a === b,
          );
        } else this.truths[result] = this.truthOf(op, a, b);
    }
  }

  learnElement(array: IrArray, min: number, max: number, result: ValueId): void {
    if (array.kind === 'local') return;
    let hull: Interval | undefined;
    for (let k = min; k <= max; k++) {
      const element =
        array.kind === 'table' ? point(array.values[k]) : { lo: this.box.lower[k], hi: this.box.upper[k], nan: false };
      hull = hull === undefined ? element : union(hull, element);
    }
    this.numbers[result] = hull;
  }

  learnRange(min: number, max: number, result: ValueId): void {
    this.numbers[result] = { lo: min, hi: max, nan: false };
  }

  join(result: ValueId, a: ValueId, b: ValueId): void {
    this.numbers[result] = union(this.number(a), this.number(b));
    this.truths[result] = unionTruth(this.truth(a), this.truth(b));
  }

  private number(value: ValueId): Interval {
    return this.numbers[value] ?? ANY;
  }

  private truth(value: ValueId): Truth {
    return this.truths[value] ?? EITHER;
  }
}

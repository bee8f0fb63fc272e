/**
 * Multiples of values: what an adjoint is while it passes through operations that only scale it. A factor that is known
 * is multiplied when the program is built, and a sign or a 2 costs nothing until the number itself is asked for.
 *
 * The sums and products are those of real numbers: they may round otherwise than the operations that they stand for.
 */
import type { IrBuilder } from '../../ir/builder.js';
import type { ValueId } from '../../ir/types.js';

/** `factor` times the value. */
export interface Multiple {
  readonly factor: number;
  /** Null: the number 1. */
  readonly value: ValueId | null;
}

export class Multiples {
  constructor(private readonly b: IrBuilder) {}

  of(value: ValueId): Multiple {
    const number = this.b.constantOf(value);
    return number === undefined ? { factor: 1, value } : { factor: number, value: null };
  }

  number({ factor, value }: Multiple): ValueId {
    const { b } = this;
    if (value === null) return b.const(factor);
    if (factor === 1) return value;
    return factor === -1 ? b.op('neg', value) : b.op('mul', b.const(factor), value);
  }

  scaled(multiple: Multiple, by: number): Multiple {
    const factor = multiple.factor * by;
    const isLost = !Number.isFinite(factor) || (factor === 0 && by !== 0 && multiple.factor !== 0);
    return isLost ? { factor: by, value: this.number(multiple) } : { factor, value: multiple.value };
  }

  negated(multiple: Multiple): Multiple {
    return this.scaled(multiple, -1);
  }

  product(multiple: Multiple, by: ValueId): Multiple {
    const number = this.b.constantOf(by);
    if (number !== undefined) return this.scaled(multiple, number);
    const { factor, value } = multiple;
    return { factor, value: value === null ? by : this.b.op('mul', value, by) };
  }

  sum(p: Multiple, q: Multiple): Multiple {
    const { b } = this;
    if (isZero(p)) return q;
    if (isZero(q)) return p;
    if (p.value === q.value) return { factor: p.factor + q.factor, value: p.value };
    if (p.value !== null && q.value !== null) {
      if (p.factor === q.factor) return { factor: p.factor, value: b.op('add', p.value, q.value) };
      if (p.factor === -q.factor) return { factor: p.factor, value: b.op('sub', p.value, q.value) };
    }
    if (q.factor === -1 && q.value !== null) return this.of(b.op('sub', this.number(p), q.value));
    if (p.factor === -1 && p.value !== null) return this.of(b.op('sub', this.number(q), p.value));
    return this.of(b.op('add', this.number(p), this.number(q)));
  }
}

const isZero = ({ factor, value }: Multiple): boolean => factor === 0 && value === null;

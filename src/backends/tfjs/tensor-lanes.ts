/** Lanes as float32 tensors of rank 1, in the current tfjs backend. */
import type * as tfjs from '@tensorflow/tfjs-core';
import type { BinaryName, Lanes, Num, UnaryName } from '../single-precision/lanes.js';

export type Tfjs = typeof tfjs;
type Tensor = tfjs.Tensor1D;

/** Coordinate `k` of the candidates is tensor `k`. */
export interface Coordinates {
  readonly values: readonly Tensor[];
  /** How far each number lies from the candidate's. */
  readonly errors: readonly Tensor[];
}

/** To be used inside `tf.tidy`. */
export class TensorLanes implements Lanes<Tensor> {
  constructor(
    private readonly tf: Tfjs,
    private readonly count: number,
    private readonly coordinates: Coordinates,
    /** Functions that this tfjs backend has not, or computes too coarsely. */
    private readonly missing: ReadonlySet<string>,
  ) {}

  unary(op: UnaryName, a: Tensor): Tensor {
    if (this.missing.has(op)) throw new RangeError(`this tfjs backend has no \`${op}\` that is near enough`);
    return this.tf[op](a);
  }

  binary(op: BinaryName, a: Num<Tensor>, b: Num<Tensor>): Tensor {
    return this.tf[op](a, b);
  }

  compare(op: 'gt' | 'ge', a: Num<Tensor>, b: Num<Tensor>): Tensor {
    return this.tf[op === 'gt' ? 'greater' : 'greaterEqual'](a, b);
  }

  and(a: Tensor, b: Tensor): Tensor {
    return this.tf.logicalAnd(a, b);
  }

  not(a: Tensor): Tensor {
    return this.tf.logicalNot(a);
  }

  isAnywhere(a: Tensor): boolean {
    return a.dataSync().some((each) => each !== 0);
  }

  select(condition: Tensor, a: Num<Tensor>, b: Num<Tensor>): Tensor {
    return this.tf.where(condition, this.spread(a), this.spread(b));
  }

  coordinate(index: number): { value: Tensor; error: Tensor } {
    return { value: this.coordinates.values[index], error: this.coordinates.errors[index] };
  }

  scope<T extends object>(body: () => T): T {
    // tfjs finds the tensors in any plain objects and arrays; its type says so for fewer.
    return this.tf.tidy(body as unknown as () => tfjs.TensorContainer) as unknown as T;
  }

  /** As a tensor, also what is the same on all lanes. */
  spread(a: Num<Tensor>): Tensor {
    return typeof a === 'number' ? this.tf.fill([this.count], a, 'float32') : a;
  }
}

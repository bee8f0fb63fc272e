/**
 * Arithmetic of one place in single precision, over all lanes at once. `V` is a number of every lane, or a truth value
 * of every lane: a tensor, or the name of a variable in a generated kernel. What is the same on all lanes stays a
 * JavaScript number or boolean. `V` itself is neither.
 */
export type Num<V> = V | number;
export type Flag<V> = V | boolean;

/** Functions that a place may lack, or compute too coarsely: see `self-test.ts`. */
export const LANE_FUNCTIONS = ['exp', 'log', 'sin', 'cos', 'tanh', 'asin', 'acos', 'atan', 'erf'] as const;
export type LaneFunction = (typeof LANE_FUNCTIONS)[number];
export type UnaryName = 'neg' | 'abs' | 'sqrt' | 'floor' | LaneFunction;
export type BinaryName = 'add' | 'sub' | 'mul' | 'div';

/** At least one operand of an operation is a `V`. Operations of numbers are rounded once to single precision. */
export interface Lanes<V> {
  /** @throws {RangeError} for a function that this place has not. */
  unary(op: UnaryName, a: V): V;
  binary(op: BinaryName, a: Num<V>, b: Num<V>): V;
  /** `a > b` or `a >= b`; false with NaN. */
  compare(op: 'gt' | 'ge', a: Num<V>, b: Num<V>): V;
  and(a: V, b: V): V;
  not(a: V): V;
  /** Whether it holds on any lane. */
  isAnywhere(a: V): boolean;
  /** `a` where `condition` holds, else `b`, whatever the other one is. */
  select(condition: V, a: Num<V>, b: Num<V>): V;
  /** Coordinate `index` of the candidates, and how far rounding to single precision moved it at most. */
  coordinate(index: number): { readonly value: V; readonly error: V };
  /** What `body` makes and does not return may be freed after it. `T`: plain objects and arrays around `V`. */
  scope<T extends object>(body: () => T): T;
}

/**
 * Signs and neighbours of floats.
 */
import type { ArrayMachine } from './array-machine.js';
import { int, known, type Call, type Scalar } from '../values/values.js';

/** Magnitude of `x`, sign of `y`. */
/** A number whose sign is asked for: that of NaN is the processor's. */
export function signed(ev: ArrayMachine, s: Scalar): Scalar {
  ev.ops.leave(ev.ops.isNaN(s));
  return s;
}

export function copySign(ev: ArrayMachine, x: Scalar, y: Scalar): Scalar {
  const { ops } = ev;
  const magnitude = ops.abs(x);
  return ops.select(ops.signBit(y), ops.negate(magnitude), magnitude);
}

/** The next number towards another, by what the exponent says of the distance to it. */
export const nextAfter: Elementwise = (ev, { position }, from, to) => {
  const { ops } = ev;
  const [a, b] = [ops.retag(from, 'npfloat'), ops.retag(to, 'npfloat')];
  const exponent = ops.npExtremum('max', ops.primitive('exponent', 'npfloat', a), npfloat(-1022));
  const unit = ops.primitive('scale', 'npfloat', npfloat(1), ops.binary('-', exponent, npfloat(52), position));
  const isAway = ops.or(
    ops.and(ops.compare('>', a, int(0)), ops.compare('>', b, a)),
    ops.and(ops.compare('<', a, int(0)), ops.compare('<', b, a)),
  );
  // Below a power of two the numbers lie twice as dense.
  const isPower = ops.and(
    ops.compare('==', ops.primitive('mantissa', 'npfloat', a), int(1)),
    ops.compare('>', exponent, npfloat(-1022)),
  );
  const halved = ops.binary('*', unit, npfloat(0.5), position);
  const step = ops.select(ops.and(isPower, ops.not(isAway)), halved, unit);
  const up = ops.binary('+', a, step, position);
  const down = ops.binary('-', a, step, position);
  const next = ops.select(ops.compare('>', b, a), up, down);
  // The zero next to a negative number is a negative one.
  const moved = ops.select(ops.isZero(next), copySign(ev, npfloat(0), a), next);
  const tiny = ops.select(ops.compare('>', b, int(0)), npfloat(5e-324), npfloat(-5e-324));
  const huge = ops.select(ops.compare('>', a, int(0)), npfloat(Number.MAX_VALUE), npfloat(-Number.MAX_VALUE));
  const ordinary = ops.select(ops.isZero(a), tiny, ops.select(ops.isInf(a), huge, moved));
  const result = ops.select(ops.compare('==', a, b), b, ordinary);
  const isNaN = ops.or(ops.isNaN(a), ops.isNaN(b));
  return ops.retag(ops.select(isNaN, npfloat(NaN), result), 'npfloat');
};

export const npfloat = (value: number): Scalar => known('npfloat', value);

// ---- element-wise

export type Elementwise = (ev: ArrayMachine, call: Call, ...s: Scalar[]) => Scalar;

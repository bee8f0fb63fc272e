/**
 * The mathematics library: every `math` operation as an IrFunction of dimension = arity, whose coordinates are its
 * arguments. Straight-line, primitives only, no check. All backends run exactly these steps, so accuracy is decided
 * here; `docs/numerics.md` has the measured errors and operation counts.
 */
import type { MathOpName } from '../ops.js';
import { OPS } from '../ops.js';
import type { IrFunction } from '../types.js';
import { cosh, exp, exp2, expm1, sinh, tanh } from './exp.js';
import { acos, asin, atan, atan2 } from './inverse-trig.js';
import { acosh, asinh, atanh, log, log10, log1p, log2 } from './log.js';
import type { Value } from './math-builder.js';
import { MathBuilder } from './math-builder.js';
import { cbrt, hypot, pow } from './power.js';
import { fmod } from './remainder.js';
import { erf, erfc, gamma, lgamma } from './special.js';
import { cos, fastWave, sin, tan } from './trig.js';

type Expansion = (m: MathBuilder, ...args: Value[]) => Value;

const EXPANSIONS = {
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  pow,
  cbrt,
  hypot,
  fmod,
  erf,
  erfc,
  gamma,
  lgamma,
} as const satisfies Record<MathOpName, unknown>;

function expand(name: MathOpName, expansion: Expansion = EXPANSIONS[name]): IrFunction {
  const arity = OPS[name].args.length;
  const m = new MathBuilder(name, arity);
  const args = Array.from({ length: arity }, (_, index) => m.argument(index));
  return m.finish(expansion(m, ...args));
}

export const MATH_LIBRARY: Readonly<Record<MathOpName, IrFunction>> = Object.fromEntries(
  (Object.keys(EXPANSIONS) as MathOpName[]).map((name) => [name, expand(name)]),
) as Record<MathOpName, IrFunction>;

/** For `fast` mathematics: expansions with fewer steps, within 4 units in the last place; the others as above. */
export const FAST_MATH_LIBRARY: Readonly<Record<MathOpName, IrFunction>> = {
  ...MATH_LIBRARY,
  sin: expand('sin', (m, x) => fastWave(m, x, 0)),
  cos: expand('cos', (m, x) => fastWave(m, x, 1)),
};

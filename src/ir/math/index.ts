/**
 * The mathematics library: every `math` operation as an IrFunction of dimension = arity, whose coordinates are its
 * arguments. Straight-line, primitives only, no check; one `if` at the end (`MathBuilder.rarely`) is what may follow.
 * All backends run exactly these steps, so accuracy is decided here; `docs/numerics.md` has the measured errors and
 * operation counts.
 */
import type { AngleOpName, MathOpName } from '../ops.js';
import { isAngleOp, isMathOp, OP_NAMES, OPS } from '../ops.js';
import type { Instruction, IrFunction } from '../types.js';
import { cosh, exp, exp2, expm1, sinh, tanh } from './exp.js';
import { acos, asin, atan, atan2 } from './inverse-trig.js';
import { acosh, asinh, atanh, log, log10, log1p, log2 } from './log.js';
import type { Value } from './math-builder.js';
import { MathBuilder } from './math-builder.js';
import { cbrt, hypot, pow } from './power.js';
import { fmod } from './remainder.js';
import { erf, erfc, gamma, lgamma } from './special.js';
import { cos, fastQuickWave, fastWave, quickCos, quickSin, quickTan, sin, tan } from './trig.js';

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

/** Expansions for angles that are known to be quick to reduce: the same bits, without the code for other angles. */
const QUICK_EXPANSIONS = { sin_quick: quickSin, cos_quick: quickCos, tan_quick: quickTan } as const;

/** Functions that backends have code for: one for each operation, and those of quick angles. */
export type LibraryName = MathOpName | `${AngleOpName}_quick`;

/** All of them, operations in the order of the op table first. */
export const LIBRARY_NAMES: readonly LibraryName[] = [
  ...OP_NAMES.filter(isMathOp),
  ...(Object.keys(QUICK_EXPANSIONS) as (keyof typeof QUICK_EXPANSIONS)[]),
];

/** The function that carries out `node`, an operation of the library. */
export function libraryName({ op, imm }: Pick<Instruction, 'imm'> & { readonly op: MathOpName }): LibraryName {
  return isAngleOp(op) && imm === 1 ? `${op}_quick` : op;
}

/** How many arguments a function has. */
export const arityOf = (name: LibraryName): number =>
  Object.hasOwn(QUICK_EXPANSIONS, name) ? 1 : OPS[name as MathOpName].args.length;

function expand(name: LibraryName, expansion: Expansion): IrFunction {
  const arity = arityOf(name);
  const m = new MathBuilder(name, arity);
  const args = Array.from({ length: arity }, (_, index) => m.argument(index));
  return m.finish(expansion(m, ...args));
}

export const MATH_LIBRARY: Readonly<Record<LibraryName, IrFunction>> = Object.fromEntries(
  Object.entries<Expansion>({ ...EXPANSIONS, ...QUICK_EXPANSIONS }).map(([name, expansion]) => [
    name,
    expand(name as LibraryName, expansion),
  ]),
) as Record<LibraryName, IrFunction>;

/** For `fast` mathematics: expansions with fewer steps, within 4 units in the last place; the others as above. */
export const FAST_MATH_LIBRARY: Readonly<Record<LibraryName, IrFunction>> = {
  ...MATH_LIBRARY,
  sin: expand('sin', (m, x) => fastWave(m, x, 0)),
  cos: expand('cos', (m, x) => fastWave(m, x, 1)),
  sin_quick: expand('sin_quick', (m, x) => fastQuickWave(m, x, 0)),
  cos_quick: expand('cos_quick', (m, x) => fastQuickWave(m, x, 1)),
};

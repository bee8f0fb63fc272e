/**
 * What gpu.js translates, for text of single precision. Truth values are the numbers 0 and 1, because gpu.js's
 * languages do not agree on others.
 */
import type { BinaryName, LaneFunction, UnaryName } from '../single-precision/lanes.js';
import type { Dialect } from '../single-precision/text-lanes.js';

/** The name of an infinite number, which no language of gpu.js has a literal for. Every function is given it. */
export const INFINITY = 'infinity';

/** Functions of a mode: those that it lacks, also ours, and those of which ours are taken. */
export interface ModeFunctions {
  readonly missing: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
}

export const ALL_THERE: ModeFunctions = { missing: new Set(), own: new Set(['erf']) };

export const ownName = (name: LaneFunction): string => `own_${name}`;

const BINARY: Readonly<Record<BinaryName, string>> = { add: '+', sub: '-', mul: '*', div: '/' };

export class GpujsDialect implements Dialect {
  readonly constant = 'const';

  constructor(private readonly functions: ModeFunctions) {}

  literal(number: number): string {
    return literal(number);
  }

  /** No sign before it, which some languages join with the operator. */
  isOperand(number: number): boolean {
    return number > 0 || Object.is(number, 0);
  }

  unary(op: UnaryName, a: string): string {
    const { missing, own } = this.functions;
    if (missing.has(op)) throw new RangeError(`this mode of gpu.js has no \`${op}\` that is near enough`);
    if (op === 'neg') return `-${a}`;
    return own.has(op) ? `${ownName(op as LaneFunction)}(${a}, ${INFINITY})` : `Math.${op}(${a})`;
  }

  binary(op: BinaryName, a: string, b: string): string {
    return `${a} ${BINARY[op]} ${b}`;
  }

  compare(op: 'gt' | 'ge', a: string, b: string): string {
    return `(${a} ${op === 'gt' ? '>' : '>='} ${b} ? 1 : 0)`;
  }

  and(a: string, b: string): string {
    return `${a} * ${b}`;
  }

  not(a: string): string {
    return `1 - ${a}`;
  }

  select(condition: string, a: string, b: string): string {
    return `(${condition} > 0.5 ? ${a} : ${b})`;
  }
}

/** A number as the whole of an expression. */
export function literal(number: number): string {
  if (Number.isNaN(number)) return `${INFINITY} - ${INFINITY}`;
  if (Math.abs(number) === Infinity) return number > 0 ? INFINITY : `-${INFINITY}`;
  return Object.is(number, -0) ? '-0' : String(number);
}

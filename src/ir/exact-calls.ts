/** Calls of library functions that have the same result in every library. */
import type { MathOpName } from './ops.js';

/** Whether `value`, the result of a call, is that of every library; `b` is 0 for functions of one argument. */
export function isExactCall(op: MathOpName, a: number, b: number, value: number): boolean {
  if (value !== value) return true;
  // Angles are rounded, also those of infinities.
  if (op === 'atan' || op === 'atan2') return value === 0 || a !== a || b !== b;
  if (!Number.isFinite(a)) return true;
  switch (op) {
    case 'fmod':
      return true;
    case 'log':
    case 'log2':
    case 'log10':
    case 'acosh':
      return a === 1 || a === 0;
    case 'acos':
      return a === 1;
    case 'gamma':
    case 'lgamma':
      return a === 0 || a === 1 || a === 2;
    case 'pow':
      if (b === 0 || b === 1 || a === 1 || a === 0 || !Number.isFinite(b)) return true;
      // A whole number that needs no rounding.
      return Number.isInteger(a) && Number.isInteger(b) && b > 0 && Math.abs(value) <= 2 ** 53;
    case 'hypot':
      return a === 0 || b === 0 || !Number.isFinite(b);
    default:
      return a === 0;
  }
}

/** Words for a source that compiled code misreads. */
import type { CompilationReason } from '../model/function-record.js';
import type { Misreading } from '../model/verification.js';

/** Coordinates that are shown of a point; the record of the function has all. */
const SHOWN = 8;

/** In the place of a program: why there is none. */
export function misreadReason(misreading: Misreading): {
  readonly ir: null;
  readonly reasons: readonly CompilationReason[];
} {
  return { ir: null, reasons: [{ kind: 'misread', message: describeMisreading(misreading), line: 1, column: 1 }] };
}

export function describeMisreading({ point, compiled, cpython, bound }: Misreading): string {
  const at = `[${point.slice(0, SHOWN).join(', ')}${point.length > SHOWN ? ', ...' : ''}]`;
  const gave = 'type' in cpython ? `CPython raises ${cpython.type}` : `CPython gives ${cpython.join(', ')}`;
  const proof = bound === undefined ? '' : `, beyond the bound ${bound} that was certified`;
  return `compiled code misreads the source, so CPython evaluates it: at ${at} compiled code gave ${compiled.join(', ')}, ${gave}${proof}`;
}

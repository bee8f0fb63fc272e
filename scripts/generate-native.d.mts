import type * as opcodes from '../src/backends/native/opcodes.js';
import type * as math from '../src/ir/math/index.js';

export function opcodesFile(source: Pick<typeof opcodes, 'OPCODES'>): string;
export function mathFile(
  source: Pick<typeof opcodes, 'MATH_OPCODES'>,
  library: Pick<typeof math, 'MATH_LIBRARY'>,
): string;

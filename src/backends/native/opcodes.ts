/**
 * The instruction set of the native virtual machine: the one source of opcode numbers and operand shapes, for the
 * encoder here and, through `scripts/generate-native.mjs`, for the C++ loader and verifier
 * (`native/include/extremum/opcodes.generated.inc`).
 *
 * A program is a flat Int32Array: HEADER_WORDS words of header, then instructions of INSTRUCTION_WORDS words each,
 * `[opcode, w0, w1, w2, w3]`, then elements. A signature has one letter per operand word, in that order:
 *   `f` written: f64 register, or     `F` f64 operand in memory: register, coordinate or element of these spaces
 *       `~element` of a local array   `V` f64 operand: the same, constant, or any element
 *   `m` mask register                 `c` number of an element of the space NUMBER
 *   `i` plain integer                 `-` unused, 0
 * At least one `V` of an instruction that has several must be in memory. Structure words (`if` ... `endloop`) nest;
 * there are no jump targets in the encoding, so none can be wrong.
 *
 * An element is `[space, terms, offset, (level, scale)...]`, each offset and scale two words, low one first: what lies
 * at `offset + sum of scale * index` of a space, where the index is that of the enclosing `for` number `level`, 0 being
 * the outermost. Levels ascend. Elements are numbered in their order.
 *
 * Meaning follows `ir/ops.ts`. Fused forms `inner_outer` compute `t = a inner b`, then `t outer c` (`rsub`: `c - t`,
 * `sq`: `t * t`), each rounded by itself: no contraction. `sq_outer` computes `t = a * a`, then `t outer b`.
 */
import { arityOf, LIBRARY_NAMES, type LibraryName } from '../../ir/math/index.js';

export const PROGRAM_MAGIC = 0x58545245;
export const PROGRAM_VERSION = 3;
/**
 * magic, version, dimension, f64 registers, mask registers, instructions, constants, words of elements, locals,
 * outputs: the first so many locals
 */
export const HEADER_WORDS = 10;
export const INSTRUCTION_WORDS = 5;

/** Low two bits of an f64 operand word; the rest is the index. */
export const OPERAND_REGISTER = 0;
export const OPERAND_COORDINATE = 1;
export const OPERAND_CONSTANT = 2;
export const OPERAND_ELEMENT = 3;

/**
 * Spaces that elements are taken from: blocks of local arrays (number in the header), coordinates, constants, or the
 * number itself, the same on all lanes.
 */
export const SPACE = { local: 0, coordinate: 1, constant: 2, number: 3 } as const;
export type Space = keyof typeof SPACE;

const STRUCTURE = {
  if: 'm---', // runs what follows where the mask holds, up to `else`
  else: '----', // the other lanes, up to `endif`
  endif: '----',
  loop: '----',
  endloop: 'mii-', // again, fuel, line: back to `loop` for lanes that hold
  for: 'c---', // count: what follows is run so often, up to `endfor`, by all lanes together
  endfor: '----',
  blend: 'fV--', // out = a on running lanes
  bblend: 'mm--',
  check: 'mii-', // mask, status, line
  return: 'V---',
} as const;

const PLAIN = {
  move: 'fV--',
  bmove: 'mm--',
  bfill: 'mi--',
  and: 'mmm-',
  or: 'mmm-',
  xor: 'mmm-',
  not: 'mm--',
  bselect: 'mmmm',
  select: 'fmVV',
  lt: 'mVV-',
  le: 'mVV-',
  eq: 'mVV-',
  ne: 'mVV-',
  signbit: 'mF--',
  sqrt: 'fF--',
  neg: 'fF--',
  abs: 'fF--',
  floor: 'fF--',
  ceil: 'fF--',
  trunc: 'fF--',
  rint: 'fF--',
  exponent: 'fF--',
  mantissa: 'fF--',
  high: 'fF--',
  sq: 'fF--',
  add: 'fVV-',
  sub: 'fVV-',
  mul: 'fVV-',
  div: 'fVV-',
  scale: 'fVV-',
  sq_add: 'fFV-',
  sq_sub: 'fFV-',
  sq_rsub: 'fFV-',
  sq_mul: 'fFV-',
  add_sq: 'fVV-',
  sub_sq: 'fVV-',
  mul_sq: 'fVV-',
  add_add: 'fVVV',
  add_sub: 'fVVV',
  add_rsub: 'fVVV',
  add_mul: 'fVVV',
  sub_add: 'fVVV',
  sub_sub: 'fVVV',
  sub_rsub: 'fVVV',
  sub_mul: 'fVVV',
  mul_add: 'fVVV',
  mul_sub: 'fVVV',
  mul_rsub: 'fVVV',
  mul_mul: 'fVVV',
} as const;

/** A comparison whose only use is a check: a, b, status, line. */
const COMPARE_AND_CHECK = {
  check_lt: 'VVii',
  check_le: 'VVii',
  check_eq: 'VVii',
  check_ne: 'VVii',
} as const;

/** Mathematics in the order of its library, one instruction each. */
export const MATH_OPCODES: readonly { readonly name: LibraryName; readonly arity: 1 | 2 }[] = LIBRARY_NAMES.map(
  (name) => ({ name, arity: arityOf(name) === 1 ? 1 : 2 }),
);

type PlainOpcode = keyof typeof PLAIN;
export type Opcode = keyof typeof STRUCTURE | PlainOpcode | keyof typeof COMPARE_AND_CHECK | LibraryName;

interface OpcodeInfo {
  readonly name: Opcode;
  readonly signature: string;
  /** `structure` and `check` are carried out by the evaluator, the others by one kernel each. */
  readonly group: 'structure' | 'plain' | 'check' | 'math';
}

/** All instructions; the opcode is the index. */
export const OPCODES: readonly OpcodeInfo[] = [
  ...table(STRUCTURE, 'structure'),
  ...table(PLAIN, 'plain'),
  ...table(COMPARE_AND_CHECK, 'check'),
  ...MATH_OPCODES.map(
    ({ name, arity }) => ({ name, signature: arity === 1 ? 'fF--' : 'fFF-', group: 'math' }) as const,
  ),
];

export const OPCODE_OF: ReadonlyMap<Opcode, number> = new Map(OPCODES.map((info, index) => [info.name, index]));

function table<N extends Opcode>(signatures: Readonly<Record<N, string>>, group: OpcodeInfo['group']): OpcodeInfo[] {
  return (Object.keys(signatures) as N[]).map((name) => ({ name, signature: signatures[name], group }));
}

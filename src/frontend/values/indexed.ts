/**
 * Numbers that depend on the indices of rolled loops only. They are the same on all lanes and known at compile time,
 * one for each value of the indices: as an index form where they are affine integers, otherwise as a table. Operations
 * on them are carried out here, index by index, exactly as an unrolled loop would.
 */
import type { IrBuilder } from '../../ir/builder.js';
import { evaluateForm, formOf, type CountedIndex } from '../../ir/index-form.js';
import type { IndexForm, ValueId } from '../../ir/types.js';
import { dynamic, isBoolKind, isIntKind, known, type Scalar, type ScalarKind } from './values.js';

/** Numbers by the values of some indices, row-major in the order of `loops`. */
interface IndexTable {
  readonly loops: readonly CountedIndex[];
  readonly sizes: readonly number[];
  readonly values: Float64Array;
}

/** Larger tables are computed by each evaluation instead. */
const MAX_TABLE = 1 << 16;

export class IndexedScalar implements Scalar {
  readonly tag = 'scalar';
  readonly known = undefined;

  constructor(
    private readonly builder: IrBuilder,
    readonly kind: ScalarKind,
    readonly at: IndexForm | undefined,
    readonly table: IndexTable | undefined,
  ) {}

  /** The IR value where it is asked for. */
  get id(): ValueId {
    const number = this.number();
    return isBoolKind(this.kind) ? this.builder.op('ne', number, this.builder.const(0)) : number;
  }

  /** The same as an f64 for every kind. */
  number(): ValueId {
    if (this.table === undefined) return this.builder.ordinal(this.at as IndexForm);
    return this.builder.load(this.builder.table(this.table.values), tableForm(this.table));
  }

  as(kind: ScalarKind): Scalar {
    if (kind === this.kind) return this;
    if (isBoolKind(kind) && !isBoolKind(this.kind)) throw new Error('a truth value is a table of its own');
    const at = isIntKind(kind) ? this.at : undefined;
    if (at !== undefined || this.table !== undefined) return new IndexedScalar(this.builder, kind, at, this.table);
    const table = tableOf(this.builder, this.at as IndexForm);
    // More numbers than a table takes: each evaluation makes them.
    return table === undefined ? dynamic(kind, this.number()) : new IndexedScalar(this.builder, kind, undefined, table);
  }
}

function tableForm({ loops, sizes }: IndexTable): IndexForm {
  let stride = 1;
  const terms = [];
  for (let k = loops.length - 1; k >= 0; k--) {
    terms.unshift({ index: loops[k].index, scale: stride });
    stride *= sizes[k];
  }
  return { offset: 0, terms: terms.sort((a, b) => a.index - b.index) };
}

/** Every combination of indices that occurs, with its position in a table. */
function* combinations(
  loops: readonly CountedIndex[],
  sizes: readonly number[],
  values: number[] = [],
  level = 0,
  position = 0,
): Generator<number> {
  if (level === loops.length) {
    yield position;
    return;
  }
  const { index, count } = loops[level];
  const isKnown = count.terms.every((t) => loops.some((l, k) => k < level && l.index === t.index));
  const limit = isKnown ? Math.min(evaluateForm(count, values), sizes[level]) : sizes[level];
  for (let k = 0; k < limit; k++) {
    values[index] = k;
    yield* combinations(loops, sizes, values, level + 1, position * sizes[level] + k);
  }
}

/** The table of an affine integer; undefined where it is too large. */
function tableOf(builder: IrBuilder, at: IndexForm): IndexTable | undefined {
  const basis = basisOf(builder, new Set(at.terms.map((t) => t.index)));
  if (basis === undefined) return undefined;
  const values = new Float64Array(basis.total);
  const indices: number[] = [];
  for (const position of combinations(basis.loops, basis.sizes, indices)) {
    values[position] = evaluateForm(at, indices);
  }
  return { ...basis, values };
}

function basisOf(
  builder: IrBuilder,
  wanted: ReadonlySet<ValueId>,
): { readonly loops: readonly CountedIndex[]; readonly sizes: readonly number[]; readonly total: number } | undefined {
  const loops = builder.loopsAround((index) => wanted.has(index));
  const sizes = loops.map(({ index }) => builder.rangeOf(formOf(index)).max + 1);
  const total = sizes.reduce((a, b) => a * b, 1);
  return loops.length !== wanted.size || total > MAX_TABLE || total < 1 ? undefined : { loops, sizes, total };
}

/** The numbers of one operand for every combination, in the order of `combinations`. */
function reader(s: Scalar, indices: readonly number[]): () => number {
  if (s.known !== undefined) return () => s.known as number;
  const { at, table } = s as IndexedScalar;
  if (table === undefined) return () => evaluateForm(at as IndexForm, indices);
  const { loops, sizes, values } = table;
  return () => {
    let position = 0;
    for (let k = 0; k < loops.length; k++) position = position * sizes[k] + indices[loops[k].index];
    return values[position];
  };
}

export const isIndexed = (s: Scalar): s is IndexedScalar => s instanceof IndexedScalar;

/**
 * `compute` for every combination of the indices that the arguments depend on; undefined where an argument depends on
 * lanes, where the results are of several types, or where there are too many. `compute` gets known scalars and gives
 * undefined for what it cannot do.
 */
export function tabulate(
  builder: IrBuilder,
  args: readonly Scalar[],
  compute: (...args: Scalar[]) => Scalar | undefined,
): Scalar | undefined {
  const wanted = new Set<ValueId>();
  for (const s of args) {
    if (s.known !== undefined) continue;
    if (!isIndexed(s)) return undefined;
    if (s.table === undefined) for (const t of (s.at as IndexForm).terms) wanted.add(t.index);
    else for (const l of s.table.loops) wanted.add(l.index);
  }
  if (wanted.size === 0) return undefined;
  const basis = basisOf(builder, wanted);
  if (basis === undefined) return undefined;
  const indices: number[] = [];
  const readers = args.map((s) => reader(s, indices));
  const values = new Float64Array(basis.total);
  let kind: ScalarKind | undefined;
  let first: number | undefined;
  let isConstant = true;
  for (const position of combinations(basis.loops, basis.sizes, indices)) {
    const result = compute(...args.map((s, k) => known(s.kind, readers[k]())));
    if (result?.known === undefined || (kind !== undefined && result.kind !== kind)) return undefined;
    kind = result.kind;
    values[position] = result.known;
    first ??= result.known;
    isConstant &&= Object.is(first, result.known);
  }
  if (kind === undefined || first === undefined) return undefined;
  if (isConstant) return known(kind, first);
  const table = { ...basis, values };
  return new IndexedScalar(builder, kind, isIntKind(kind) ? affineOf(table) : undefined, table);
}

/** The distinct numbers that an indexed scalar has. */
export function valuesOf(builder: IrBuilder, s: IndexedScalar): ReadonlySet<number> | undefined {
  const table = s.table ?? tableOf(builder, s.at as IndexForm);
  return table === undefined ? undefined : new Set(table.values);
}

/** A table over one index whose numbers are an arithmetic progression, as a form. */
function affineOf({ loops, values }: IndexTable): IndexForm | undefined {
  if (loops.length !== 1 || values.length < 2) return undefined;
  const scale = values[1] - values[0];
  for (let k = 2; k < values.length; k++) if (values[k] - values[k - 1] !== scale) return undefined;
  return { offset: values[0], terms: [{ index: loops[0].index, scale }] };
}

/** The end at which an iteration has to be taken out of a loop to make a number affine, such as `(i + 1) % n`. */
export function cureOf({
  table,
}: IndexedScalar): { readonly index: ValueId; readonly end: 'first' | 'last' } | undefined {
  if (table?.loops.length !== 1 || table.values.length < 3) return undefined;
  const [{ index }] = table.loops;
  if (affineOf({ ...table, values: table.values.subarray(1) }) !== undefined) return { index, end: 'first' };
  return affineOf({ ...table, values: table.values.subarray(0, -1) }) === undefined
    ? undefined
    : { index, end: 'last' };
}

/**
 * Marks: what kinds a number has on some lanes, where it is not of one kind.
 */
import { isIndexed } from './indexed.js';
import { INT, joinKinds, kindMarks, markedKinds, MIXED, TRUTH, UNCERTAIN, ZERO } from './scalar-kinds.js';
import type { ScalarOps } from './scalars.js';
import { dynamic, isBoolKind, isIntKind, isNumPyKind, toNumPyKind, type Scalar, type ScalarKind } from './values.js';

export function mark(ops: ScalarOps, s: Scalar, marks: number): Scalar {
  if (s.isCertain === true) {
    if ((marks & ~ZERO) === 0) ops.marks.set(s.id, (ops.marks.get(s.id) ?? 0) | marks);
    return (marks & ~ZERO) === 0 ? s : mark(ops, dynamic(s.kind, s.id), marks);
  }
  if (s.known === undefined && marks !== 0 && !isIndexed(s)) ops.marks.set(s.id, (ops.marks.get(s.id) ?? 0) | marks);
  return s;
}

export function joinedMarks(ops: ScalarOps, a: Scalar, b: Scalar): number {
  const kind = joinKinds(a.kind, b.kind);
  const both = ops.marksOf(a) | ops.marksOf(b);
  let marks = both & ZERO;
  if ((both & MIXED) !== 0 || (a.kind === 'npbool') !== (b.kind === 'npbool')) marks |= MIXED;
  if (ops.joinsUncertain(a, b)) marks |= UNCERTAIN;
  if (!isBoolKind(kind) && [a, b].some((s) => ops.maybeTruth(s))) marks |= TRUTH;
  if (!isIntKind(kind) && !isBoolKind(kind) && [a, b].some((s) => ops.maybeInt(s))) marks |= INT;
  const kinds = new Set([...possibleKinds(ops, a), ...possibleKinds(ops, b)]);
  return kinds.size > 1 ? marks | kindMarks(kinds) : marks;
}

export function joined(ops: ScalarOps, a: Scalar, b: Scalar, merged: Scalar): Scalar {
  const kind = joinKinds(a.kind, b.kind);
  const marks = joinedMarks(ops, a, b);
  // The value may be known where its type is not.
  const isOpen = marks !== 0 && merged.known !== undefined;
  const value = isOpen ? dynamic(kind, isBoolKind(kind) ? ops.truth(merged) : ops.f64(merged)) : merged;
  const result = ops.retag(value, kind);
  return (marks & INT) === 0
    ? mark(ops, result, marks)
    : ops.markInt(result, marks, Math.max(ops.intBound(a), ops.intBound(b)));
}

export function possibleKinds(ops: ScalarOps, s: Scalar): readonly ScalarKind[] {
  const marks = ops.marksOf(s);
  if (marks === 0) return [s.kind];
  const kinds = new Set<ScalarKind>([s.kind, ...markedKinds(marks)]);
  if (markedKinds(marks).length === 0) {
    if (ops.has(s, INT)) kinds.add('int').add('bool');
    if (ops.has(s, TRUTH)) kinds.add('bool');
    if (ops.has(s, UNCERTAIN | MIXED)) for (const kind of [...kinds]) kinds.add(toNumPyKind(kind));
    if (ops.has(s, MIXED)) kinds.add('npbool');
  }
  // The same number may stand elsewhere as another kind, with its marks.
  const here = isNumPyKind(s.kind) ? [...kinds].map(toNumPyKind) : [...kinds];
  return [...new Set(here.filter((kind) => !isBoolKind(s.kind) || isBoolKind(kind)))].filter(
    (kind) => !isIntKind(s.kind) || isIntKind(kind) || isBoolKind(kind),
  );
}

export function markKinds(
  ops: ScalarOps,
  result: Scalar,
  operands: readonly Scalar[],
  kindOf: (...kinds: ScalarKind[]) => ScalarKind,
): Scalar {
  if (result.known !== undefined || operands.every((s) => ops.marksOf(s) === 0)) return result;
  const [first, second] = operands.map((s) => possibleKinds(ops, s));
  const kinds = new Set(first.flatMap((p) => (second ?? [p]).map((q) => kindOf(p, q))));
  return kinds.size > 1 ? mark(ops, result, kindMarks(kinds)) : result;
}

export function withUncertain(ops: ScalarOps, operands: readonly Scalar[], build: () => Scalar): Scalar {
  if (!operands.some((s) => ops.isUncertain(s))) return build();
  return beyondTry(ops, () => {
    const result = build();
    return isNumPyKind(result.kind) ? result : mark(ops, result, UNCERTAIN);
  });
}

export function beyondTry<T>(ops: ScalarOps, build: () => T): T {
  const before = ops.isBeyondTry;
  ops.isBeyondTry = true;
  try {
    return build();
  } finally {
    ops.isBeyondTry = before;
  }
}

/** Patterns of `match`: when they hold, and what they bind. Structure is known; numbers may depend on x. */
import type { Pattern } from '../syntax/ast.js';
import type { Evaluator } from './evaluator.js';
import { hasAttribute, methodOrder } from '../values/classes.js';
import { attributeOf } from '../library/attributes.js';
import { Unsupported, bool, typeName, type Scalar, type AnyValue, type Scope, type Value } from '../values/values.js';

type PatternOf<Kind extends Pattern['kind']> = Extract<Pattern, { kind: Kind }>;

interface Matched {
  readonly holds: Scalar;
  readonly captures: readonly (readonly [string, AnyValue])[];
}

const NEVER: Matched = { holds: bool(false), captures: [] };

export function matchPattern(ev: Evaluator, pattern: Pattern, any: AnyValue, scope: Scope): Matched {
  if (pattern.kind === 'MatchAs' && pattern.pattern === null) {
    return { holds: bool(true), captures: pattern.name === null ? [] : [[pattern.name, any]] };
  }
  if (any.tag !== 'choice') return matchPlain(ev, pattern, ev.choices.plain(any, pattern), scope);
  const holds = (plain: Value): Scalar => {
    const matched = matchPlain(ev, pattern, plain, scope);
    if (matched.captures.length > 0)
      throw new Unsupported('names in a pattern for a value of several kinds, depending on x', pattern);
    return matched.holds;
  };
  return { holds: ev.choices.eachTruth([any], ([plain]) => holds(plain), pattern), captures: [] };
}

function matchPlain(ev: Evaluator, pattern: Pattern, subject: Value, scope: Scope): Matched {
  switch (pattern.kind) {
    case 'MatchValue':
      return matchValue(ev, pattern, subject, scope);
    case 'MatchSingleton':
      return matchSingleton(ev, pattern, subject);
    case 'MatchAs':
      return matchNamed(ev, pattern, subject, scope);
    case 'MatchOr':
      return matchAlternatives(ev, pattern, subject, scope);
    case 'MatchSequence':
      return matchSequence(ev, pattern, subject, scope);
    case 'MatchMapping':
      return matchMapping(ev, pattern, subject, scope);
    case 'MatchClass':
      return matchClass(ev, pattern, subject, scope);
    case 'MatchStar':
      throw new Unsupported('a starred pattern at this place', pattern);
  }
}

function matchValue(ev: Evaluator, pattern: PatternOf<'MatchValue'>, subject: Value, scope: Scope): Matched {
  const equal = ev.operators.compare('==', subject, ev.expressions.evaluate(pattern.value, scope), pattern);
  return { holds: ev.operators.truthOf(equal, pattern), captures: [] };
}

function matchSingleton(ev: Evaluator, pattern: PatternOf<'MatchSingleton'>, subject: Value): Matched {
  if (pattern.value === null) return { holds: bool(subject.tag === 'none'), captures: [] };
  const kinds = subject.tag === 'scalar' ? ev.ops.possibleKinds(subject) : [];
  if (subject.tag !== 'scalar' || !kinds.includes('bool')) return NEVER;
  if (kinds.length > 1) throw new Unsupported('a truth value or another number, depending on x', pattern);
  return { holds: pattern.value ? subject : ev.ops.not(subject), captures: [] };
}

function matchNamed(ev: Evaluator, pattern: PatternOf<'MatchAs'>, subject: Value, scope: Scope): Matched {
  const inner: Matched =
    pattern.pattern === null ? { holds: bool(true), captures: [] } : matchPattern(ev, pattern.pattern, subject, scope);
  if (pattern.name === null) return inner;
  return { holds: inner.holds, captures: [...inner.captures, [pattern.name, subject]] };
}

function matchAlternatives(ev: Evaluator, pattern: PatternOf<'MatchOr'>, subject: Value, scope: Scope): Matched {
  let holds: Scalar = bool(false);
  for (const alternative of pattern.patterns) {
    const matched = matchPattern(ev, alternative, subject, scope);
    if (matched.captures.length > 0) {
      if (matched.holds.known === 0) continue;
      if (holds.known === 0 && matched.holds.known === 1) return matched;
      throw new Unsupported('names in a pattern with alternatives that depend on x', alternative);
    }
    holds = ev.ops.or(holds, matched.holds);
  }
  return { holds, captures: [] };
}

function matchSequence(ev: Evaluator, pattern: PatternOf<'MatchSequence'>, subject: Value, scope: Scope): Matched {
  // Arrays are no sequences to `match`.
  if (subject.tag === 'filtered') throw new Unsupported('a pattern for a list of a length that depends on x', pattern);
  // A class of the standard library may be one: it stands nowhere in the source.
  if (subject.tag === 'instance' && methodOrder(subject.cls).some(({ position }) => position.line === 0))
    throw new Unsupported(`a pattern for ${typeName(subject)}`, pattern);
  const isView = subject.tag === 'tuple' && subject.isCurrent !== undefined;
  if ((subject.tag !== 'list' && subject.tag !== 'tuple') || isView) return NEVER;
  const items = ev.sequences.iterateAny(subject, pattern);
  const star = pattern.patterns.findIndex((p) => p.kind === 'MatchStar');
  const count = pattern.patterns.length;
  if (star < 0 ? items.length !== count : items.length < count - 1) return NEVER;
  const tail = count - 1 - star;
  return all(
    ev,
    pattern.patterns.map((part, k) => {
      if (part.kind !== 'MatchStar') {
        const item = star < 0 || k < star ? items[k] : items[items.length - (count - k)];
        return matchPattern(ev, part, item, scope);
      }
      const rest = ev.cells.list(items.slice(star, items.length - tail));
      return { holds: bool(true), captures: part.name === null ? [] : [[part.name, rest] as const] };
    }),
  );
}

function matchMapping(ev: Evaluator, pattern: PatternOf<'MatchMapping'>, subject: Value, scope: Scope): Matched {
  if (subject.tag !== 'dict') return NEVER;
  const keys = pattern.keys.map((key) => ev.cells.key(ev.expressions.evaluate(key, scope), key));
  if (new Set(keys).size < keys.length) throw new Unsupported('a key twice in a pattern', pattern);
  if (!keys.every((key) => subject.entries.has(key))) return NEVER;
  const parts = keys.map((key, k) => {
    const entry = subject.entries.get(key);
    if (entry === undefined) return NEVER;
    return matchPattern(ev, pattern.patterns[k], ev.cells.readAny(entry.cell, pattern), scope);
  });
  if (pattern.rest === null) return all(ev, parts);
  const others = [...subject.entries].filter(([key]) => !keys.includes(key));
  const rest = ev.cells.dict(
    others.map(([, { key, cell }]) => [key, ev.cells.readAny(cell, pattern)]),
    pattern,
  );
  return all(ev, [...parts, { holds: bool(true), captures: [[pattern.rest, rest]] }]);
}

function matchClass(ev: Evaluator, pattern: PatternOf<'MatchClass'>, subject: Value, scope: Scope): Matched {
  const type = ev.expressions.evaluate(pattern.type, scope);
  const isInstance = ev.calls.call(ev.calls.builtin('isinstance', pattern), {
    args: [subject, type],
    keywords: new Map(),
    position: pattern,
  }) as Scalar;
  if (isInstance.known === 0) return NEVER;
  const fields = type.tag === 'class' ? type.dataclass?.fields : undefined;
  if (type.tag === 'class' ? pattern.patterns.length > (fields?.length ?? 0) : pattern.patterns.length > 1) {
    throw new Unsupported(`a class pattern with positions for ${typeName(subject)}`, pattern);
  }
  const positional = pattern.patterns.map((part, k) => {
    const value = fields === undefined ? subject : attributeOf(ev, subject, fields[k], part);
    return matchPattern(ev, part, value, scope);
  });
  const named = pattern.keywordNames.map((name, k) => {
    const has = subject.tag === 'instance' ? hasAttribute(subject, name) : true;
    if (has === null) throw new Unsupported(`whether there is an attribute '${name}'`, pattern);
    if (!has) return NEVER;
    return matchPattern(ev, pattern.keywordPatterns[k], attributeOf(ev, subject, name, pattern), scope);
  });
  return all(ev, [...positional, ...named]);
}

function all(ev: Evaluator, parts: readonly Matched[]): Matched {
  return {
    holds: parts.reduce<Scalar>((holds, part) => ev.ops.and(holds, part.holds), bool(true)),
    captures: parts.flatMap((part) => part.captures),
  };
}

/** Patterns of `match`: when they hold, and what they bind. Structure is known; numbers may depend on x. */
import type { Pattern } from './ast.js';
import type { Evaluator } from './evaluator.js';
import { attributeOf } from './library/attributes.js';
import { dictKey } from './evaluator.js';
import { Unsupported, bool, typeName, type Scalar, type Scope, type Value } from './values.js';

export interface Matched {
  readonly holds: Scalar;
  readonly captures: readonly (readonly [string, Value])[];
}

const NEVER: Matched = { holds: bool(false), captures: [] };

export function matchPattern(ev: Evaluator, pattern: Pattern, subject: Value, scope: Scope): Matched {
  switch (pattern.kind) {
    case 'MatchValue': {
      const equal = ev.compare('==', subject, ev.evaluate(pattern.value, scope), pattern);
      return { holds: ev.truthOf(equal, pattern), captures: [] };
    }
    case 'MatchSingleton': {
      if (pattern.value === null) return { holds: bool(subject.tag === 'none'), captures: [] };
      if (subject.tag !== 'scalar' || subject.kind !== 'bool') return NEVER;
      return { holds: pattern.value ? subject : ev.ops.not(subject), captures: [] };
    }
    case 'MatchAs': {
      const inner: Matched =
        pattern.pattern === null
          ? { holds: bool(true), captures: [] }
          : matchPattern(ev, pattern.pattern, subject, scope);
      if (pattern.name === null) return inner;
      return { holds: inner.holds, captures: [...inner.captures, [pattern.name, subject]] };
    }
    case 'MatchOr': {
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
    case 'MatchSequence': {
      // Arrays are no sequences to `match`.
      if (subject.tag !== 'list' && subject.tag !== 'tuple') return NEVER;
      const items = ev.iterate(subject, pattern);
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
          const rest = ev.list(items.slice(star, items.length - tail));
          return { holds: bool(true), captures: part.name === null ? [] : [[part.name, rest] as const] };
        }),
      );
    }
    case 'MatchMapping': {
      if (subject.tag !== 'dict') return NEVER;
      const keys = pattern.keys.map((key) => dictKey(ev.evaluate(key, scope), key));
      if (!keys.every((key) => subject.entries.has(key))) return NEVER;
      const parts = keys.map((key, k) => {
        const entry = subject.entries.get(key);
        if (entry === undefined) return NEVER;
        return matchPattern(ev, pattern.patterns[k], ev.readCell(entry.cell, pattern), scope);
      });
      if (pattern.rest === null) return all(ev, parts);
      const others = [...subject.entries].filter(([key]) => !keys.includes(key));
      const rest = ev.dict(
        others.map(([, { key, cell }]) => [key, ev.readCell(cell, pattern)]),
        pattern,
      );
      return all(ev, [...parts, { holds: bool(true), captures: [[pattern.rest, rest]] }]);
    }
    case 'MatchClass': {
      const type = ev.evaluate(pattern.type, scope);
      const isInstance = ev.call(ev.builtin('isinstance', pattern), {
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
      const named = pattern.keywordNames.map((name, k) =>
        matchPattern(ev, pattern.keywordPatterns[k], attributeOf(ev, subject, name, pattern), scope),
      );
      return all(ev, [...positional, ...named]);
    }
    case 'MatchStar':
      throw new Unsupported('a starred pattern at this place', pattern);
  }
}

function all(ev: Evaluator, parts: readonly Matched[]): Matched {
  return {
    holds: parts.reduce<Scalar>((holds, part) => ev.ops.and(holds, part.holds), bool(true)),
    captures: parts.flatMap((part) => part.captures),
  };
}

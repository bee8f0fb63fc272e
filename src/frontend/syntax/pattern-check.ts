/** Refusals of one `case` pattern by CPython's code generator (`Python/compile.c`, `compiler_pattern`). */
import type { Expression, Pattern, Position } from './ast.js';

type Report = (message: string, at: Position) => void;

/** `mayMatchAll`: whether the case is the last or has a guard, so that it may match every subject. */
export function checkPattern(pattern: Pattern, mayMatchAll: boolean, report: Report): void {
  checkNames(pattern, mayMatchAll, report);
}

/** Checks a pattern and returns the names it binds. */
function checkNames(pattern: Pattern, mayMatchAll: boolean, report: Report): Set<string> {
  const names = new Set<string>();
  const bind = (name: string) => {
    if (names.has(name)) report(`multiple assignments to name '${name}' in pattern`, pattern);
    names.add(name);
  };
  const include = (part: Pattern, partMayMatchAll = true) => {
    for (const name of checkNames(part, partMayMatchAll, report)) bind(name);
  };
  switch (pattern.kind) {
    case 'MatchValue':
    case 'MatchSingleton':
      break;
    case 'MatchStar':
      if (pattern.name !== null) bind(pattern.name);
      break;
    case 'MatchAs':
      if (pattern.pattern !== null) {
        include(pattern.pattern, mayMatchAll);
      } else if (!mayMatchAll) {
        const what = pattern.name === null ? 'wildcard' : `name capture '${pattern.name}'`;
        report(`${what} makes remaining patterns unreachable`, pattern);
      }
      if (pattern.name !== null) bind(pattern.name);
      break;
    case 'MatchSequence':
      if (pattern.patterns.filter((part) => part.kind === 'MatchStar').length > 1) {
        report('multiple starred names in sequence pattern', pattern);
      }
      for (const part of pattern.patterns) include(part);
      break;
    case 'MatchMapping':
      checkKeys(pattern.keys, pattern, report);
      for (const part of pattern.patterns) include(part);
      if (pattern.rest !== null) bind(pattern.rest);
      break;
    case 'MatchClass': {
      const seen = new Set<string>();
      for (const name of pattern.keywordNames) {
        if (seen.has(name)) report(`attribute name repeated in class pattern: ${name}`, pattern);
        seen.add(name);
      }
      for (const part of [...pattern.patterns, ...pattern.keywordPatterns]) include(part);
      break;
    }
    case 'MatchOr':
      return checkAlternatives(pattern.patterns, mayMatchAll, pattern, report);
  }
  return names;
}

function checkAlternatives(
  alternatives: readonly Pattern[],
  mayMatchAll: boolean,
  at: Position,
  report: Report,
): Set<string> {
  const sets = alternatives.map((part, i) => checkNames(part, mayMatchAll && i === alternatives.length - 1, report));
  const [first = new Set<string>()] = sets;
  if (sets.some((names) => names.size !== first.size || [...names].some((name) => !first.has(name)))) {
    report('alternative patterns bind different names', at);
  }
  return first;
}

function checkKeys(keys: readonly Expression[], at: Position, report: Report): void {
  const seen = new Set<string>();
  for (const key of keys) {
    const value = keyValue(key);
    if (value === null) continue;
    if (seen.has(value)) report(`mapping pattern checks duplicate key (${value})`, at);
    seen.add(value);
  }
}

/** Equal for keys that are equal in Python (`1`, `1.0` and `True`); null where that cannot be told from the tree. */
function keyValue(key: Expression): string | null {
  switch (key.kind) {
    case 'String':
      return JSON.stringify(key.value);
    case 'Int':
      return BigInt(key.text).toString();
    case 'Float':
      return Number.isInteger(key.value) ? BigInt(key.value).toString() : String(key.value);
    case 'True':
      return '1';
    case 'False':
      return '0';
    case 'None':
      return 'None';
    case 'Unary': {
      const value = keyValue(key.operand);
      return value === null || value === '0' ? value : `-${value}`;
    }
    default:
      return null;
  }
}

/**
 * Constraints between parameters, such as `fast < slow` or `2 * fast + 5 <= slow and exit <= entry`. Nothing of it is
 * code:
 *
 *     constraint  = comparison { ("and" | ",") comparison }
 *     comparison  = sum relation sum { relation sum }
 *     relation    = "<" | "<=" | ">" | ">=" | "==" | "!="
 *     sum         = product { ("+" | "-") product }
 *     product     = factor { ("*" | "/") factor }
 *     factor      = number | name | "-" factor | "(" sum ")"
 */

/** Whether values, in the order of the names, satisfy the constraint. */
export type Constraint = (values: ArrayLike<number>) => boolean;

/** Says what is wrong with a text, as the end of a sentence. */
export class ConstraintError extends Error {}

const MAX_CHARACTERS = 200;

type Term = (values: ArrayLike<number>) => number;
type Compare = (a: number, b: number) => boolean;

/** Sides nearer than this, relative, are equal: steps of a grid are decimals. */
const ROUNDING = 1e-12;
const areEqual: Compare = (a, b) => Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));

const RELATIONS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['<', (a, b) => a < b && !areEqual(a, b)],
  ['<=', (a, b) => a <= b || areEqual(a, b)],
  ['>', (a, b) => a > b && !areEqual(a, b)],
  ['>=', (a, b) => a >= b || areEqual(a, b)],
  ['==', areEqual],
  ['!=', (a, b) => !areEqual(a, b)],
]);

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(<=|>=|==|!=|[<>+\-*/(),]))/y;

interface Token {
  readonly text: string;
  readonly kind: 'number' | 'name' | 'sign';
  /** Counted from 1. */
  readonly at: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let next = 0;
  while (text.slice(next).trim() !== '') {
    TOKEN.lastIndex = next;
    const match = TOKEN.exec(text);
    if (match === null) {
      const rest = text.slice(next).trimStart();
      throw new ConstraintError(`has ${JSON.stringify(rest[0])} at character ${text.length - rest.length + 1}`);
    }
    const [, number, name, sign] = match;
    const found = number ?? name ?? sign;
    next = TOKEN.lastIndex;
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ text: found, kind, at: next - found.length + 1 });
  }
  return tokens;
}

/** @throws {ConstraintError} for a text that is no constraint on these names */
export function parseConstraint(text: string, names: readonly string[]): Constraint {
  if (text.length > MAX_CHARACTERS) throw new ConstraintError(`is longer than ${MAX_CHARACTERS} characters`);
  const tokens = tokensOf(text);
  let at = 0;
  const isNext = (...texts: string[]): boolean => at < tokens.length && texts.includes(tokens[at].text);
  const fail = (expected: string): never => {
    const token = tokens.at(at);
    const found = token === undefined || at >= tokens.length ? 'its end' : `"${token.text}" at character ${token.at}`;
    throw new ConstraintError(`has ${found} where ${expected} is expected`);
  };

  // The length of the text bounds the depth.
  function factor(): Term {
    if (isNext('-')) {
      at++;
      const inner = factor();
      return (values) => -inner(values);
    }
    if (isNext('(')) {
      at++;
      const inner = sum();
      if (!isNext(')')) fail('")"');
      at++;
      return inner;
    }
    if (at >= tokens.length || tokens[at].kind === 'sign' || tokens[at].text === 'and')
      return fail('a number or a name');
    const token = tokens[at++];
    if (token.kind === 'number') {
      const value = Number(token.text);
      return () => value;
    }
    const index = names.indexOf(token.text);
    if (index < 0) throw new ConstraintError(`names \`${token.text}\`; the parameters are ${names.join(', ')}`);
    return (values) => values[index];
  }

  function chain(signs: readonly string[], part: () => Term): Term {
    let left = part();
    while (isNext(...signs)) {
      const sign = tokens[at++].text;
      const [a, b] = [left, part()];
      if (sign === '+') left = (values) => a(values) + b(values);
      else if (sign === '-') left = (values) => a(values) - b(values);
      else if (sign === '*') left = (values) => a(values) * b(values);
      else left = (values) => a(values) / b(values);
    }
    return left;
  }
  const product = (): Term => chain(['*', '/'], factor);
  const sum = (): Term => chain(['+', '-'], product);

  const parts: Constraint[] = [];
  do {
    let left = sum();
    if (!isNext(...RELATIONS.keys())) fail('one of <, <=, >, >=, ==, !=');
    while (isNext(...RELATIONS.keys())) {
      const compare = RELATIONS.get(tokens[at++].text) as Compare;
      const [a, b] = [left, sum()];
      parts.push((values) => compare(a(values), b(values)));
      left = b;
    }
  } while (isNext('and', ',') && at++ >= 0);
  if (at < tokens.length) fail('"and" or the end');
  return (values) => parts.every((part) => part(values));
}

/** Requests against their schemas; the first finding becomes the documented error, in words for its sender. */
import type { z } from 'zod';
import { ExtremumError } from './errors.js';
import { nearMatch } from './near-match.js';

type Path = readonly PropertyKey[];

/** `['bounds', 2, 0]` as `bounds[2][0]`. */
export function fieldPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

export function invalid(field: string, message: string): ExtremumError {
  return new ExtremumError('invalid_request', message, { field });
}

/** A value for a message: JSON, cut. */
export function shown(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond the range of float64';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    root,
  );
}

/** Nobody mistypes more characters of a name; the search for what was meant grows with their number. */
const MOST_MISTYPED = 100;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a finite number',
  int: 'a whole number within ±(2^53 - 1)',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** A hint at the value that was meant; empty where none is near. */
function nearest(value: unknown, known: readonly unknown[]): string {
  if (typeof value !== 'string' || value.length > MOST_MISTYPED) return '';
  const near = nearMatch(
    value,
    known.filter((one) => typeof one === 'string'),
  );
  return near === null ? '' : ` Did you mean ${shown(near)}?`;
}

function describe(issue: z.core.$ZodIssue, field: string, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return `\`${field}\` is required.`;
      return `\`${field}\` must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${shown(value)}.`;
    case 'invalid_value':
      if (value === undefined) return `\`${field}\` is required.`;
      return `\`${field}\` must be one of ${issue.values.map(shown).join(', ')}, not ${shown(value)}.${nearest(value, issue.values)}`;
    case 'too_small':
      return `\`${field}\` must be ${issue.inclusive === false ? 'above' : 'at least'} ${bound(issue.minimum, issue.origin)}, not ${shown(value)}.`;
    case 'too_big':
      return `\`${field}\` must be ${issue.inclusive === false ? 'below' : 'at most'} ${bound(issue.maximum, issue.origin)}, not ${shown(value)}.`;
    case 'invalid_union':
      if ('options' in issue && issue.options !== undefined) {
        if (value === undefined) return `\`${field}\` is required.`;
        return `\`${field}\` must be one of ${issue.options.map(shown).join(', ')}, not ${shown(value)}.${nearest(value, issue.options)}`;
      }
      return `\`${field}\` has none of the forms that it may have; it is ${shown(value)}.`;
    default:
      return issue.message.replaceAll('{field}', field);
  }
}

/** The first finding; but of a whole number that is not exact in float64 the field's own limit, if it has one. */
function foremost(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [first, ...others] = issues;
  if ((first?.code !== 'too_big' && first?.code !== 'too_small') || first.origin !== 'int') return first;
  const path = fieldPath(first.path);
  return others.find(({ code, path: own }) => code === first.code && fieldPath(own) === path) ?? first;
}

/** The part of a failed union that the sender most likely meant: the form that fits furthest. */
function meant(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const forms = issue.errors.flatMap((issues) => {
    const found = foremost(issues);
    return found === undefined ? [] : [meant(found)];
  });
  const [first, ...others] = forms;
  if (first === undefined) return issue;
  const furthest = others.reduce((a, b) => (b.path.length > a.path.length ? b : a), first);
  // Where no form gets anywhere, none of them was meant more than another.
  if (furthest.path.length === 0 && furthest.code === 'invalid_type') return issue;
  return { ...furthest, path: [...issue.path, ...furthest.path] };
}

/** Names of the fields that an object at the path may have; empty where that is not known. */
function knownFields(schema: unknown, path: Path): readonly string[] {
  const { def } = schema as { readonly def?: Readonly<Record<string, unknown>> };
  if (def === undefined) return [];
  const [key, ...rest] = path;
  if (def['type'] === 'object') {
    const shape = def['shape'] as Readonly<Record<string, unknown>>;
    if (key === undefined) return Object.keys(shape);
    const field = shape[String(key)];
    return field === undefined ? [] : knownFields(field, rest);
  }
  if (def['type'] === 'array') return key === undefined ? [] : knownFields(def['element'], rest);
  if (def['type'] === 'record') return key === undefined ? [] : knownFields(def['valueType'], rest);
  if (def['type'] === 'pipe') return [...knownFields(def['in'], path), ...knownFields(def['out'], path)];
  if (def['type'] === 'union') return (def['options'] as unknown[]).flatMap((option) => knownFields(option, path));
  return def['innerType'] === undefined ? [] : knownFields(def['innerType'], path);
}

const bound = (limit: number | bigint, origin: string): string =>
  origin === 'string'
    ? `${limit} characters long`
    : origin === 'array'
      ? `${limit} ${Number(limit) === 1 ? 'item' : 'items'} long`
      : String(limit);

/** Longer lists help nobody; the OpenAPI document has them. */
const MOST_LISTED = 24;

/** For an unknown field that is near none: the fields at its path, and which of these are missing. */
function whatThereIs(known: readonly string[], issues: readonly z.core.$ZodIssue[], path: Path): string {
  if (known.length === 0 || known.length > MOST_LISTED) return '';
  const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const missing = known.filter((name) =>
    issues.some((one) => one.path.length === path.length + 1 && fieldPath(one.path) === fieldPath([...path, name])),
  );
  return ` There ${known.length === 1 ? 'is' : 'are'} ${quoted(known)}.${missing.length === 0 ? '' : ` Missing: ${quoted(missing)}.`}`;
}

/** @throws {ExtremumError} `invalid_request` with the path of the first offending field. */
export function validate<T>(schema: z.ZodType<T>, input: unknown, what: 'body' | 'query'): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  const first = foremost(issues);
  // A field that is missing may be there under a name that was mistyped.
  const isMissing = first !== undefined && first.path.length > 0 && valueAt(input, first.path) === undefined;
  const found = (isMissing ? issues.find(({ code }) => code === 'unrecognized_keys') : undefined) ?? first;
  if (found === undefined) throw new Error('a failed validation without an issue');
  const issue = meant(found);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const field = fieldPath([...issue.path, key]);
    const known = [...new Set(knownFields(schema, issue.path))];
    const near = key.length > MOST_MISTYPED ? null : nearMatch(key, known);
    const hint = near === null ? whatThereIs(known, issues, issue.path) : ` Did you mean \`${near}\`?`;
    throw invalid(field, `Unknown ${what === 'query' ? 'query parameter' : 'field'} \`${field}\`.${hint}`);
  }
  if (issue.path.length === 0) {
    throw new ExtremumError('invalid_request', `The ${what} must be a JSON object, not ${shown(input)}.`);
  }
  const field = fieldPath(issue.path);
  throw invalid(field, describe(issue, field, valueAt(input, issue.path)));
}

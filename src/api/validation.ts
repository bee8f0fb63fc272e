/** Requests against their schemas; the first finding becomes the documented error, in words for its sender. */
import type { z } from 'zod';
import { ExtremumError } from '../common/errors.js';

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

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a finite number',
  int: 'a whole number within ±(2^53 - 1)',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function describe(issue: z.core.$ZodIssue, field: string, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return `\`${field}\` is required.`;
      return `\`${field}\` must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${shown(value)}.`;
    case 'invalid_value':
      if (value === undefined) return `\`${field}\` is required.`;
      return `\`${field}\` must be one of ${issue.values.map(shown).join(', ')}, not ${shown(value)}.`;
    case 'too_small':
      return `\`${field}\` must be ${issue.inclusive === false ? 'above' : 'at least'} ${bound(issue.minimum, issue.origin)}, not ${shown(value)}.`;
    case 'too_big':
      return `\`${field}\` must be ${issue.inclusive === false ? 'below' : 'at most'} ${bound(issue.maximum, issue.origin)}, not ${shown(value)}.`;
    default:
      return issue.message;
  }
}

const bound = (limit: number | bigint, origin: string): string =>
  origin === 'string' ? `${limit} characters long` : String(limit);

/** @throws {ExtremumError} `invalid_request` with the path of the first offending field. */
export function validate<T>(schema: z.ZodType<T>, input: unknown, what: 'body' | 'query'): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new Error('a failed validation without an issue');
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath([...issue.path, issue.keys[0] ?? '']);
    throw invalid(field, `Unknown ${what === 'query' ? 'query parameter' : 'field'} \`${field}\`.`);
  }
  if (issue.path.length === 0) {
    throw new ExtremumError('invalid_request', `The ${what} must be a JSON object, not ${shown(input)}.`);
  }
  const field = fieldPath(issue.path);
  throw invalid(field, describe(issue, field, valueAt(input, issue.path)));
}

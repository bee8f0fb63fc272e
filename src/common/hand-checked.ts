/**
 * Schemas for long arrays of numbers, checked by hand, not element by element through zod: they stop at the first fault
 * and cost microseconds instead of a blocked event loop.
 */
import { z } from 'zod';
import { shown } from './validation.js';

export type Complain = (path: readonly PropertyKey[], message: string) => void;

/** A schema whose check is written by hand and whose JSON Schema is given; `check` complains at most once. */
export function handChecked<T>(
  jsonSchema: Record<string, unknown>,
  check: (value: unknown, complain: Complain) => void,
) {
  return z
    .unknown()
    .superRefine((value, context) => {
      check(value, (path, message) => context.addIssue({ code: 'custom', path: [...path], message }));
    })
    .transform((value) => value as T)
    .meta(jsonSchema);
}

export const NUMBER = { type: 'number' };

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Complains about the first element that is no finite number; true when all are. */
export function checkNumbers(
  values: readonly unknown[],
  field: string,
  path: readonly PropertyKey[],
  complain: Complain,
): boolean {
  const bad = values.findIndex((value) => !isFiniteNumber(value));
  if (bad < 0) return true;
  complain([...path, bad], `\`${field}[${bad}]\` must be a finite number, not ${shown(values[bad])}.`);
  return false;
}

/** The problem in words, before it is solved: whoever was misread sees it. */
import type { Json, JsonObject } from '../../model/problem.js';

const MOST_ENTRIES = 12;
const MOST_CHARACTERS = 1_200;

export function readBack(title: string, config: JsonObject): string {
  const parts = Object.entries(config).map(([name, value]) => `${words(name)}: ${told(value)}`);
  const all = parts.join('; ');
  const shown = all.length > MOST_CHARACTERS ? `${all.slice(0, MOST_CHARACTERS)} ...` : all;
  return `${title}, as I understand it: ${shown}. Tell me if a value is wrong; otherwise it can be solved.`;
}

const words = (name: string): string => name.replaceAll('_', ' ');

/** A value as it is read to people. */
export function told(value: Json): string {
  if (Array.isArray(value)) return listed(value as readonly Json[]);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // Twelve digits: 20 percent of 12 is 2.4, not 2.4000000000000004.
  if (typeof value === 'number') return String(Number(value.toPrecision(12)));
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value as JsonObject)
    .map(([name, one]) => `${words(name)} ${told(one)}`)
    .join(', ');
}

function listed(values: readonly Json[]): string {
  const shown = values.slice(0, MOST_ENTRIES).map((one) => {
    if (Array.isArray(one)) return `[${listed(one as readonly Json[])}]`;
    return one !== null && typeof one === 'object' ? `(${told(one)})` : told(one);
  });
  const rest = values.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

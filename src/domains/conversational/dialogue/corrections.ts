/** Numbers that replace one that was said: "not 20 but 15", "sorry, 60 a month". */
import { type Draft, label, note } from './draft.js';
import type { Message } from '../message.js';
import { type Finding, matchQuantities, findingsOf } from '../slots.js';
import type { Quantity } from '../quantities/quantity.js';
import type { Json, JsonObject } from '../../../model/problem.js';
import { read } from './read-text.js';

/** A bare number that corrects: the last slot with a number that it can be. */
export function corrected(
  draft: Draft,
  message: Message,
  taken: ReadonlySet<number>,
  asked: string | null,
  isCorrection: boolean,
): Finding[] {
  if (!isCorrection) return [];
  const slots = Object.entries(draft.collected)
    .filter(([, { source, value }]) => source === 'user' && typeof value === 'number')
    .map(([name]) => draft.problem!.slots.find((slot) => slot.name === name))
    .filter((slot) => slot !== undefined)
    .reverse();
  const never = new Set([...taken, ...(draft.problem!.ignores?.(message) ?? [])]);
  for (const slot of slots) {
    const [match] = matchQuantities(message, [slot], never, slot.name);
    if (match?.rival === null) return findingsOf(message, slot, match.index, match.score, asked ?? slot.name);
  }
  return [];
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** A number that was said, and where it went. */
interface Place {
  readonly name: string;
  /** Below the slot's value; empty: the value itself. */
  readonly path: readonly (string | number)[];
  /** Factor for a number as it is written. */
  readonly factor: number;
}

const MOST_PLACES = 20;

/** Where numbers of the user went that were written like the given one. */
function placesOf(draft: Draft, { value, written, isPercent }: Quantity): Place[] {
  const found: Place[] = [];
  const isShare = (name: string): boolean => draft.problem!.slots.find((slot) => slot.name === name)?.kind === 'share';
  const look = (name: string, json: Json, path: readonly (string | number)[]): void => {
    if (found.length >= MOST_PLACES) return;
    if (typeof json === 'number') {
      if (isNear(json, value)) found.push({ name, path, factor: isPercent ? 0.01 : 1 });
      else if ((path.length > 0 || isShare(name)) && isNear(json, written / 100)) found.push({ name, path, factor: 0.01 });
    } else if (json !== null && typeof json === 'object')
      for (const [key, one] of Object.entries(json)) look(name, one, [...path, Array.isArray(json) ? Number(key) : key]); // prettier-ignore
  };
  for (const [name, { value: own, text, source }] of Object.entries(draft.collected)) {
    if (source !== 'user') continue;
    const before = found.length;
    look(name, own, []);
    if (found.length > before || typeof own !== 'number') continue;
    // 200 a month was stored as 2,400 a year, 5 as 5 percent.
    const said = read(text).quantities.find((one) => one.written !== 0 && isNear(one.written, written));
    if (said !== undefined) found.push({ name, path: [], factor: own / said.written });
  }
  return found;
}

const replacedIn = (json: Json, [key, ...rest]: readonly (string | number)[], value: number): Json => {
  if (key === undefined) return value;
  if (Array.isArray(json)) return json.map((one: Json, i) => (i === key ? replacedIn(one, rest, value) : one));
  return { ...(json as JsonObject), [key]: replacedIn((json as JsonObject)[key], rest, value) };
};

/**
 * "not 20 but 15", "15 instead of 20": the slot is the one that holds 20, whatever is asked. Null: nothing holds it, or
 * the message says more than one number.
 */
export function replaced(draft: Draft, message: Message): Finding[] | null {
  const [denied, ...others] = message.denied;
  const strong = message.quantities.flatMap(({ isWeak }, i) => (isWeak ? [] : [i]));
  if (denied === undefined || others.length > 0 || strong.length !== 1) return null;
  const index = strong[0];
  const quantity = message.quantities[index];
  let places = placesOf(draft, denied);
  if (places.length > 1) {
    // Several hold it: the words have to say which.
    const slots = draft.problem!.slots.filter(({ name }) => places.some((place) => place.name === name));
    const named = matchQuantities(message, slots, new Set(), null)[0]?.slot.name;
    if (named !== undefined) places = places.filter(({ name }) => name === named);
  }
  if (places.length === 0) return null;
  const was = message.text.slice(denied.start, denied.end);
  if (places.length > 1) {
    const names = [...new Set(places.map(({ name }) => label(name)))].join(', ');
    const text = `${was} was said more than once (${names}), so nothing was changed. Please name the value that is wrong.`; // prettier-ignore
    note(draft, { kind: 'ambiguous', message: text });
    draft.said.push(text);
    return [];
  }
  const { name, path, factor } = places[0];
  const slot = draft.problem!.slots.find((one) => one.name === name);
  const says = quantity.per !== null || quantity.unit !== null || quantity.isPercent;
  if (path.length === 0 && slot !== undefined && (says || factor === 1)) {
    const match = matchQuantities(message, [slot], new Set(), name)[0];
    return match === undefined ? null : findingsOf(message, slot, match.index, match.score, name);
  }
  const value = quantity.isPercent || quantity.currency !== null ? quantity.value : Number((quantity.written * factor).toPrecision(15)); // prettier-ignore
  const all = replacedIn(draft.collected[name].value, path, value);
  return [{ slot: name, value: all, text: message.text.slice(0, 200), confidence: 0.9, used: [index] }];
}

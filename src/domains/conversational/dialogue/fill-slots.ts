/**
 * Fills the draft's slots from one message, part by part: pasted fields, corrections, lists, choices and numbers, then
 * what a language model read, then the default of the slot that was asked for.
 */
import { type Draft, knownIn, note, label, HIDDEN, brief } from './draft.js';
import { type Reading, believed } from '../reading.js';
import { partsOf, actsOf, type Acts } from '../acts.js';
import { read } from './read-text.js';
import type { Message } from '../message.js';
import type { Finding, Slot } from '../slots.js';
import { replaced, corrected } from './corrections.js';
import { findingsIn } from './findings.js';
import { defaultOf } from './next-question.js';
import { told } from '../read-back.js';
import type { JsonObject, Json } from '../../../model/problem.js';
import { pastedJson } from '../tables.js';
import type { Problem, ReadContext } from '../problem.js';

/** Reads one message into the draft, part by part. */
export function readInto(draft: Draft, text: string, asked: string | null, reading: Reading | null): void {
  const parts = partsOf(text);
  for (const [k, part] of parts.entries())
    readPart(draft, read(part), k === 0 ? asked : null, k > 0, k === 0 ? reading : null);
}

function readPart(
  draft: Draft,
  message: Message,
  asked: string | null,
  isTurn: boolean,
  reading: Reading | null,
): void {
  const problem = draft.problem!;
  const acts = actsOf(message);
  const isCorrection = isTurn || acts.corrects === 'strong' || (acts.corrects === 'weak' && asked === null);
  const known = knownIn(draft.collected);
  const fields = pastedFields(message);
  const findings: Finding[] = fields === null ? [] : pasted(draft, problem, message, fields, { known, asked, isCorrection }); // prettier-ignore
  for (const { words, message: limit } of problem.limits ?? []) {
    if (!words.test(message.plain)) continue;
    note(draft, { kind: 'unsupported', message: limit });
    draft.said.push(limit);
  }
  const taken = new Set<number>(fields === null ? [] : message.quantities.map((_, i) => i));
  if (fields === null) {
    // "Sorry, make that 60 a month": nothing has been said yet of what was asked for.
    const instead = replaced(draft, message);
    if (instead !== null) {
      findings.push(...instead);
      for (const [i, { isWeak }] of message.quantities.entries()) if (!isWeak) taken.add(i);
    }
    const isDenial = message.denied.length > 0;
    const isOfBefore =
      instead === null && acts.corrects === 'strong' && asked !== null && !Object.hasOwn(draft.collected, asked);
    const own = isOfBefore ? findingsIn(problem, message, { known, asked: null, isCorrection }) : [];
    const before = isOfBefore && own.length === 0 && !isDenial ? corrected(draft, message, taken, null, true) : own;
    const onUnclear = (one: Slot, indices: readonly number[]): void => sayUnclear(draft, message, one, indices);
    if (instead === null)
      findings.push(...(before.length > 0 ? before : findingsIn(problem, message, { known, asked, isCorrection, onUnclear }))); // prettier-ignore
    for (const i of findings.flatMap(({ used = [] }) => used)) taken.add(i);
    // "$8, no wait, $10. Demand is ...": the first number corrects what stood before.
    const isLeading = isTurn && message.quantities.length > 0 && !taken.has(0);
    if ((findings.length === 0 || isLeading) && !isDenial)
      findings.push(...corrected(draft, message, taken, asked, isCorrection));
  }
  // "5000 - 40p" is a line of the price, and no pence.
  const ofDemand = new Set(findings.filter(({ slot }) => slot === 'demand').flatMap(({ used = [] }) => used));
  const currency = message.quantities.find((one, i) => one.currency !== null && one.currency !== '' && !ofDemand.has(i))?.currency; // prettier-ignore
  if (
    typeof currency === 'string' &&
    !Object.hasOwn(draft.collected, 'currency') &&
    draft.model !== null &&
    Object.hasOwn(draft.model.fields.shape, 'currency')
  )
    // prettier-ignore
    findings.push({ slot: 'currency', value: currency, text: currency, confidence: 0.9 });
  const wholes = new Set(findings.map((finding) => finding.slot));
  for (const finding of findings) merge(draft, finding, asked, isCorrection, 'rules', wholes);
  if (reading !== null) {
    const slots = problem.slots;
    for (const finding of believed(reading, message, slots, findings)) merge(draft, finding, asked, isCorrection, 'language_model', wholes); // prettier-ignore
  }
  const slot = problem.slots.find(({ name }) => name === asked);
  const isAnswered = asked !== null && findings.some((finding) => finding.slot === asked || problem.slots.find(({ name }) => name === finding.slot)?.partOf === asked); // prettier-ignore
  if (slot !== undefined && !isAnswered && (acts.doesNotKnow || acts.leavesChoice || acts.confirms))
    takeDefault(draft, slot, acts);
}

/** Two numbers for one slot: neither is taken, and both are named. */
function sayUnclear(draft: Draft, message: Message, slot: Slot, indices: readonly number[]): void {
  const said = indices.map((i) => message.text.slice(message.quantities[i].start, message.quantities[i].end));
  const isRange = message.quantities[indices[0]].range === 'low';
  const text = `${label(slot.name)}: ${said.join(isRange ? ' to ' : ' or ')}? One number is needed, so none was taken.`;
  note(draft, { kind: 'ambiguous', slot: slot.partOf ?? slot.name, message: text });
  if (!draft.said.includes(text)) draft.said.push(text);
}

function takeDefault(draft: Draft, slot: Slot, acts: Acts): void {
  const value = defaultOf(slot, knownIn(draft.collected));
  if (value === undefined) {
    if (acts.confirms) return;
    draft.said.push(`${slot.help ?? 'This is needed to go on.'}`);
    return;
  }
  const plain = typeof value === 'string' ? value.replaceAll('_', ' ') : told(value);
  const shown = value === null ? (slot.nullMeans ?? 'no limit') : plain;
  const message = `${label(slot.name)}: ${shown} was assumed.`;
  draft.collected[slot.name] = { value, text: message, source: 'default', confidence: 0.5 };
  note(draft, { kind: 'assumed_default', slot: slot.name, message });
  draft.said.push(message);
}

/** The entries of a pasted JSON object, or of the `config` in it; null: there is none. */
function pastedFields(message: Message): JsonObject | null {
  const json = pastedJson(message.text);
  if (json === null || Array.isArray(json)) return null;
  const { config } = json as JsonObject;
  return typeof config === 'object' && config !== null && !Array.isArray(config) ? (config as JsonObject) : (json as JsonObject); // prettier-ignore
}

/** Names in a message about fields that are not there. */
const MOST_NAMES = 8;

/** Fields of a pasted JSON object. Its numbers answer nothing else: a key that is no field is named. */
export function pasted(
  draft: Draft,
  problem: Problem,
  message: Message,
  object: JsonObject,
  context: ReadContext,
): Finding[] {
  const fields = draft.model?.fields.shape ?? {};
  const entries = Object.entries(object).filter(([key]) => !ENVELOPE.has(key));
  const known = entries.filter(([key]) => Object.hasOwn(fields, key));
  if (known.length === 0) {
    const read = problem.read?.(message, context) ?? [];
    if (read.length > 0) return [...read];
  }
  const others = entries.filter(([key]) => !Object.hasOwn(fields, key)).map(([key]) => `\`${key.slice(0, 60)}\``);
  if (others.length > 0) {
    const [shown, rest] = [others.slice(0, MOST_NAMES), others.length - MOST_NAMES];
    const limit = `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}: no field of this problem, so it was not read. Its fields are ${Object.keys(fields).filter((key) => key !== 'model').join(', ')}.`; // prettier-ignore
    note(draft, { kind: 'unsupported', message: limit });
    draft.said.push(limit);
  }
  return known.map(([key, value]) => ({ slot: key, value, text: 'pasted JSON', confidence: 0.95 }));
}

const ENVELOPE = new Set(['model', 'domain', 'problem_type', 'config']);

function merge(
  draft: Draft,
  finding: Finding,
  asked: string | null,
  isCorrection: boolean,
  by: 'rules' | 'language_model',
  together: ReadonlySet<string>,
): void {
  const slot = draft.problem!.slots.find(({ name }) => name === finding.slot);
  const before = draft.collected[finding.slot];
  const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(finding.value);
  if (isSame && before.source === 'user') return;
  if (before?.source === 'user') {
    const isMeant = isCorrection || finding.slot === asked || slot?.partOf === asked || finding.confidence >= 0.75;
    if (!isMeant) return;
    if (!HIDDEN.test(finding.slot) && !isGrown(before.value, finding.value)) {
      const name = slot?.partOf ?? finding.slot;
      note(draft, {
        kind: 'corrected',
        slot: name,
        message: `${label(name)}: ${brief(finding.value)} instead of ${brief(before.value)}.`,
      });
    }
  }
  // The last one that was said is the last one in the list.
  delete draft.collected[finding.slot];
  draft.collected[finding.slot] = {
    value: finding.value,
    text: finding.text.slice(0, 500),
    source: finding.source ?? 'user',
    confidence: finding.confidence,
    by: finding.source === 'derived' ? undefined : by,
  };
  // What was made of parts is made anew from the new ones.
  if (
    slot?.partOf !== undefined &&
    slot.isAside !== true &&
    !together.has(slot.partOf) &&
    draft.collected[slot.partOf]?.source !== undefined &&
    isMadeOfParts(draft, slot.partOf)
  )
    delete draft.collected[slot.partOf];
  for (const one of finding.notes ?? []) note(draft, one);
}

const isMadeOfParts = (draft: Draft, whole: string): boolean =>
  draft.problem!.slots.some(({ partOf }) => partOf === whole);

/** A list that has more entries than before, all old ones among them: an addition, no correction. */
const isGrown = (before: Json, after: Json): boolean =>
  Array.isArray(before) && Array.isArray(after) && after.length > before.length && before.every((one, i) => JSON.stringify(one) === JSON.stringify(after[i])); // prettier-ignore

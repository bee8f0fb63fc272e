/** Lists, choices and single numbers of one message, for the slots of one problem. Changes no state. */
import type { Problem, ReadContext } from '../problem.js';
import type { Message } from '../message.js';
import {
  type Finding,
  isAsked,
  choiceIn,
  type Known,
  matchQuantities,
  findingsOf,
  absenceIn,
  type Slot,
} from '../slots.js';
import { actsOf } from '../acts.js';

/** Lists, choices and single numbers of a message. */
export function findingsIn(problem: Problem, message: Message, context: ReadContext): Finding[] {
  const { known, asked } = context;
  const acts = actsOf(message);
  const findings: Finding[] = [];
  const taken = new Set<number>();
  for (const finding of problem.read?.(message, context) ?? []) {
    findings.push(finding);
    for (const i of finding.used ?? []) taken.add(i);
  }
  for (const i of problem.ignores?.(message) ?? []) taken.add(i);
  // "What is a risk-free rate, is 3% high?" asks, and answers nothing.
  if (asked !== null && acts.asksForHelp && /\?\s*$/.test(message.plain)) for (const i of message.quantities.keys()) taken.add(i); // prettier-ignore
  const refusesToSay = (acts.doesNotKnow || acts.leavesChoice) && message.quantities.every(({ isWeak }) => isWeak);
  for (const slot of problem.slots) {
    if (slot.choices === undefined || findings.some((finding) => finding.slot === slot.name)) continue;
    const isOwn = isAsked(slot, asked);
    if ((slot.isAskedOnly === true && !isOwn) || (isOwn && refusesToSay && !isDecided(message))) continue;
    const choice = choiceIn(message, slot, isOwn);
    if (choice === null) continue;
    findings.push({ slot: slot.name, value: choice.value, text: choice.text, confidence: isOwn ? 0.9 : 0.7 });
  }
  // Choices decide which numbers have a meaning.
  const now: Known = (name) => findings.find(({ slot }) => slot === name)?.value ?? known(name);
  const slots = slotsThatApply(problem, now);
  for (const { slot, index, score, rival } of matchQuantities(message, slots, taken, asked)) {
    if (refusesToSay && message.quantities[index].isWeak) continue;
    if (findings.some((finding) => finding.slot === slot.name)) continue;
    if (rival !== null) {
      context.onUnclear?.(
        slot,
        [index, rival].sort((a, b) => a - b),
      );
      continue;
    }
    findings.push(...findingsOf(message, slot, index, score, asked));
    taken.add(index);
  }
  // "no setup cost": where no number of the message is meant for it.
  for (const slot of slots) {
    if (findings.some((finding) => finding.slot === slot.name || finding.slot === slot.partOf)) continue;
    const text = refusesToSay ? null : absenceIn(message, slot, asked);
    if (text !== null) findings.push({ slot: slot.name, value: 0, text, confidence: 0.8 });
  }
  return findings;
}

const applying = new WeakMap<Problem, Map<string, readonly Slot[]>>();

/** The same array for the same slots: phrases are kept by it. */
function slotsThatApply(problem: Problem, known: Known): readonly Slot[] {
  const own = problem.slots.filter(({ applies }) => applies === undefined || applies(known));
  if (own.length === problem.slots.length) return problem.slots;
  const kept = applying.get(problem) ?? new Map<string, readonly Slot[]>();
  applying.set(problem, kept);
  const key = own.map(({ name }) => name).join();
  const before = kept.get(key);
  if (before !== undefined) return before;
  kept.set(key, own);
  return own;
}

/** "no idea" beside a choice that is named all the same: "no idea, accuracy I guess". */
const isDecided = ({ plain }: Message): boolean =>
  /\b(?:i guess|maybe|perhaps|probably|let'?s say|but|so)\b/.test(plain);

/** The end of a turn: derives what follows, checks, and puts the answer and the next question together. */
import { type Draft, knownIn, note } from './draft.js';
import type { ConversationState, Assumption, Question } from '../state.js';
import type { Acts } from '../acts.js';
import { isMissing, nextQuestion } from './next-question.js';
import { conflictsOf } from './conflicts.js';
import { readBack } from '../read-back.js';
import type { Json, JsonObject } from '../../../model/problem.js';
import { sameName } from '../lists.js';
import type { Problem } from '../problem.js';
import { titles } from './settle-topic.js';
import { PROBLEM_TYPES } from '../../registry.js';

export function finish(
  draft: Draft,
  messages: ConversationState['messages'],
  before: ConversationState | null,
  unread: { readonly acts: Acts; readonly asked: string | null } | null,
): ConversationState {
  const { problem, model } = draft;
  if (problem !== null) derive(draft, problem);
  const known = knownIn(draft.collected);
  const missing = problem === null ? [] : problem.slots.filter((slot) => isMissing(slot, known));
  const config = problem === null ? {} : configOf(draft, problem);
  const conflicts =
    problem === null || model === null ? [] : conflictsOf(draft, problem, model, config, missing.length === 0);
  for (const conflict of conflicts) {
    note(draft, { kind: 'conflict', slot: conflict.slot, message: conflict.message });
    draft.said.push(conflict.message);
  }
  sayLeftOut(draft);
  const question = nextQuestion(draft, conflicts, missing);
  const names =
    problem === null ? (draft.type === null ? ['problem_type'] : ['model']) : missing.map(({ name }) => name);
  const assumptions: Assumption[] = Object.entries(draft.collected).flatMap(([slot, { source, text }]) =>
    source === 'default' ? [{ slot, message: text }] : [],
  );
  if (unread !== null) draft.said.push(...answerTo(unread, draft, before, question));
  const isReady = question === null;
  if (isReady && draft.type !== null) draft.said.push(readBack(draft.type.title, config));
  const reply = [...draft.said, ...(question === null ? [] : [question.text])].join(' ');
  return {
    status: isReady ? 'ready_to_optimize' : 'waiting_for_input',
    domain: draft.type?.domain ?? null,
    problem_type: draft.type?.name ?? null,
    model: model?.name ?? null,
    question,
    collected: draft.collected,
    missing: names,
    assumptions,
    conflicts,
    notes: draft.notes,
    config,
    messages: [...messages, { role: 'agent', text: reply }],
  };
}

/** Names of a row that got no numbers beside others that did: they are not passed over in silence. */
function sayLeftOut(draft: Draft): void {
  for (const { name } of draft.problem?.slots ?? []) {
    const [rows, named] = [draft.collected[name]?.value, draft.collected[`${name}.names`]?.value];
    if (!Array.isArray(rows) || !Array.isArray(named)) continue;
    const ids = rows.map((one: Json) => String((one as JsonObject)['id']));
    const left = (named as string[]).filter((one) => sameName(one, ids) === null);
    if (left.length === 0 || left.length === named.length) continue;
    const text = `Without numbers, and so left out: ${left.join(', ')}.`;
    const isNew = !draft.notes.some(({ message }) => message === text);
    note(draft, { kind: 'ambiguous', slot: name, message: text });
    if (isNew) draft.said.push(text);
  }
}

/** Values that follow from others replace those that followed before. */
function derive(draft: Draft, problem: Problem): void {
  for (const [slot, { source }] of Object.entries(draft.collected))
    if (source === 'derived') delete draft.collected[slot];
  for (let again = 0; again < 3; again++) {
    let isNew = false;
    for (const finding of problem.derive?.(knownIn(draft.collected)) ?? []) {
      const present = draft.collected[finding.slot];
      if (present !== undefined && present.source !== 'default') continue;
      draft.collected[finding.slot] = {
        value: finding.value,
        text: finding.text,
        source: 'derived',
        confidence: finding.confidence,
      };
      for (const one of finding.notes ?? []) note(draft, one);
      isNew = true;
    }
    if (!isNew) break;
  }
}

function configOf(draft: Draft, problem: Problem): JsonObject {
  const slots = new Set(problem.slots.map(({ name }) => name));
  const fields = draft.model?.fields.shape ?? {};
  // Fields that were pasted and that no slot stands for.
  const others = Object.entries(draft.collected).filter(([name]) => !slots.has(name) && Object.hasOwn(fields, name));
  return {
    ...Object.fromEntries(others.map(([name, { value }]) => [name, value])),
    ...problem.build(knownIn(draft.collected)),
  };
}

/** Answer to a message that filled nothing. */
function answerTo(
  { acts, asked }: { readonly acts: Acts; readonly asked: string | null },
  draft: Draft,
  before: ConversationState | null,
  question: Question | null,
): string[] {
  const slot = draft.problem?.slots.find(({ name }) => name === asked);
  if (acts.asksForList) return question?.slot === 'problem_type' ? [] : [`I can help with: ${titles(PROBLEM_TYPES.map(({ name }) => name))}.`]; // prettier-ignore
  if (acts.asksForHelp && question === null) return [];
  if (acts.asksForHelp && slot !== undefined) return [slot.help ?? `An answer looks like this: ${slot.example}.`];
  if (before === null || before.messages.length === 0 || acts.confirms) return [];
  if (question === null) return ['I could not read a change out of that.'];
  return question.slot === 'problem_type'
    ? ['I could not tell what it is about.']
    : ['I could not read an answer out of that.'];
}

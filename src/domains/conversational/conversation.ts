/**
 * A dialogue that fills the config of a problem type. Pure functions of state and text: no clock, no chance, no I/O.
 * The texts of a user are data; no text makes these functions throw.
 *
 * Each message goes through: reading (`message.ts`), acts (`acts.ts`), topic (`dialogue/settle-topic.ts`), lists and
 * single numbers (`dialogue/fill-slots.ts` with `problems/` and `slots.ts`), then what follows from them, checks and
 * the next question (`dialogue/end-turn.ts`).
 */
import { type ConversationState, MOST_CHARACTERS, type Note, type Question } from './state.js';
import type { Reading } from './reading.js';
import { read } from './dialogue/read-text.js';
import { actsOf, isForeign } from './acts.js';
import { note, draftOf, type Draft, HIDDEN, label, brief } from './dialogue/draft.js';
import { finish } from './dialogue/end-turn.js';
import { settleTopic, ANOTHER } from './dialogue/settle-topic.js';
import { readInto } from './dialogue/fill-slots.js';

const EMPTY: ConversationState = {
  status: 'waiting_for_input',
  domain: null,
  problem_type: null,
  model: null,
  question: null,
  collected: {},
  missing: [],
  assumptions: [],
  conflicts: [],
  notes: [],
  config: {},
  messages: [],
};

export function beginConversation(description: string, reading?: Reading): ConversationState {
  return continueConversation(EMPTY, description, reading);
}

export function continueConversation(state: ConversationState, response: string, reading?: Reading): ConversationState {
  const text = response.slice(0, MOST_CHARACTERS);
  const whole = read(text);
  const acts = actsOf(whole);
  const messages = [...state.messages, { role: 'user' as const, text }];
  if (acts.restarts) {
    const note: Note = { kind: 'restarted', message: 'All that was said before was dropped.' };
    return finish({ ...draftOf(EMPTY), notes: [note], said: ['Let us start again.'] }, messages, null, null);
  }
  const draft = draftOf(state);
  if (acts.cancels) {
    draft.said.push(leave(draft));
    return finish(draft, messages, state, null);
  }
  const earlier = state.messages.filter(({ role }) => role === 'user').map((message) => message.text);
  const asked = state.question?.slot ?? null;
  if (draft.type === null && isForeign(whole)) {
    draft.said.push('Only English is understood. Please describe the problem in English.');
    note(draft, { kind: 'unsupported', message: 'Only English is understood.' });
    return finish(draft, messages, state, null);
  }
  const before = JSON.stringify(draft.collected);
  const hadProblem = draft.problem;
  settleTopic(draft, whole, acts, asked, reading ?? null);
  if (draft.problem !== null) {
    // What was said before the problem was known is read now.
    if (hadProblem === null && earlier.length > 0)
      for (const one of lastRelevant(state)) readInto(draft, one, null, null);
    else if (hadProblem !== null && hadProblem !== draft.problem && hadProblem.type === draft.problem.type)
      for (const one of lastRelevant(state)) readInto(draft, one, null, null);
    const isSettled = hadProblem === draft.problem;
    readInto(draft, text, isSettled ? asked : null, reading ?? null);
  }
  const isUnread =
    before === JSON.stringify(draft.collected) && hadProblem === draft.problem && draft.said.length === 0;
  return finish(draft, messages, state, isUnread ? { acts, asked } : null);
}

/** Answer to whoever cancels: nothing is run, and nothing that was said is lost. */
function leave({ type, problem, collected }: Draft): string {
  const own = Object.entries(collected).filter(
    ([name, { source }]) =>
      source === 'user' && name !== 'problem_type' && name !== 'model' && !HIDDEN.test(name) && problem !== null,
  );
  const kept = own.map(([name, { value }]) => `${label(name)}: ${brief(value)}`).join('; ');
  if (type === null) return 'Cancelled: nothing was begun, and nothing is run.';
  return `Cancelled: nothing is run. What you said of ${type.title} is kept${kept === '' ? '' : ` (${kept})`}; go on when you like, or say "start over" to drop it.`; // prettier-ignore
}

/**
 * One call instead of a dialogue. `answers`: by slot, in words. What is missing is in `question`.
 * `acceptDefaults`: slots with a default are not asked.
 */
export function buildAtOnce(
  description: string,
  answers: Readonly<Record<string, string>>,
  acceptDefaults: boolean,
): ConversationState {
  let state = beginConversation(description);
  const meta = ['domain', 'problem_type', 'model'];
  const entries = Object.entries(answers).sort(([a], [b]) => place(meta, a) - place(meta, b));
  for (const [slot, answer] of entries) {
    const question = state.question?.slot === slot ? state.question : { ...(state.question ?? NO_QUESTION), slot };
    state = continueConversation({ ...state, question }, answer);
  }
  for (let turn = 0; acceptDefaults && turn < MOST_DEFAULTS; turn++) {
    if (state.question?.default === undefined || state.conflicts.length > 0) break;
    state = continueConversation(state, 'use the default');
  }
  return state;
}

const MOST_DEFAULTS = 50;
const NO_QUESTION: Question = { slot: '', text: '', type: 'text', example: '', required: false };

export const place = (list: readonly string[], one: string): number =>
  list.includes(one) ? list.indexOf(one) : list.length;

/** Messages since the last change of the problem. */
function lastRelevant(state: ConversationState): string[] {
  const own: string[] = [];
  for (const { role, text } of state.messages) {
    if (role === 'agent' && text.startsWith(ANOTHER)) own.length = 0;
    if (role === 'user') own.push(text);
  }
  return own;
}

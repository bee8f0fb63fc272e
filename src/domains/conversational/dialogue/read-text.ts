/** A text as a message, its words mended by the vocabulary of all topics and slots. */
import { Vocabulary, Stems } from '../text.js';
import { type Message, readMessage } from '../message.js';
import { TOPICS } from '../topics.js';
import { PROBLEMS } from '../problems/problems.js';

let vocabulary: Vocabulary | null = null;

/** The last message: it is looked at several times in a turn. */
let last: { readonly text: string; readonly message: Message } | null = null;

export function read(text: string): Message {
  if (last?.text === text) return last.message;
  vocabulary ??= new Vocabulary([
    ...TOPICS.flatMap(({ telling, usual, weak }) => [telling, usual, weak]),
    ...PROBLEMS.flatMap(({ slots }) => slots.flatMap(({ cues = '', weakCues = '', against = '', choices = [] }) => [cues, weakCues, against, ...choices.map((choice) => choice.cues)])), // prettier-ignore
  ]);
  last = { text, message: readMessage(text, new Stems(vocabulary)) };
  return last.message;
}

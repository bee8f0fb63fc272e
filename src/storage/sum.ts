/**
 * Makes one store of parts. It can do what the tables of verbs say (`VERBS`) and what its life says, and nothing else:
 * what parts offer each other is not reached through it.
 */
import type { VerbKind } from './contract/verbs.js';
import { VERBS, type Store, type StoreLife, type StoreParts } from './store.js';

type AnyVerb = (...given: readonly unknown[]) => Promise<unknown>;

/** @param answer Called once for each verb: what the store does when the verb is called. */
export function storeOf(
  life: StoreLife,
  answer: (part: keyof StoreParts, verb: string, kind: VerbKind) => AnyVerb,
): Store {
  const verbs = Object.entries(VERBS).flatMap(([part, table]) =>
    Object.entries(table).map(([verb, kind]) => [verb, answer(part as keyof StoreParts, verb, kind)]),
  );
  return { ...Object.fromEntries(verbs), ...life } as Store;
}

/** Each verb is that of its part. */
export const sumOf = (parts: StoreParts, life: StoreLife): Store =>
  storeOf(life, (part, verb) => verbIn(parts[part], verb));

export function verbIn(part: object, verb: string): AnyVerb {
  const verbs = part as Readonly<Record<string, AnyVerb>>;
  return (...given) => verbs[verb](...given);
}

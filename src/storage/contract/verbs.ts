/**
 * How the parts of the store mark their verbs. Each part has one table beside its interface, and the compiler demands a
 * line for every verb. What stands between a caller and a store (a sum of parts, a thread) knows verbs from there
 * alone. A new verb: docs/guides/adding-a-store.md.
 */

/**
 * `reads`: changes nothing and takes little, so that a connection which cannot write may answer on the event loop.
 * `reads much`: changes nothing, but may take long or bring megabytes.
 * `writes`: changes what is stored.
 */
export type VerbKind = 'reads' | 'reads much' | 'writes';

export type VerbsOf<Part> = { readonly [Verb in keyof Part]: VerbKind };

/** Thrown by a look at the outside (`common/watch.ts`) from within the work before a search. */
export class WorkInterrupted extends Error {
  constructor(readonly why: 'cancelled' | 'suspended' | 'timeout') {
    super(why);
  }
}

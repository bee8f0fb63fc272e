/** Indexes that a migration makes and a question names. */

/** The runs that have not ended, with all that is asked of those that wait. */
export const BY_TURN = { leaseUntil: 1, accountId: 1, _id: 1, owner: 1, losses: 1 } as const;

/** The runs that repeat or extend another one. */
export const DERIVED = {
  accountId: 1,
  'counted.isDerived': 1,
  createdAt: 1,
  'counted.originId': 1,
  status: 1,
} as const;

/** The runs of an account that have ended, in the order of their ends. */
export const BY_END = { accountId: 1, completedAt: 1, _id: 1, status: 1 } as const;

/** The account that what is left of removed runs belongs to. Identifiers of accounts have no slash. */
const SUFFIX = '/removed';

export const removedOf = (accountId: string): string => `${accountId}${SUFFIX}`;

export const isRemoved = ({ accountId }: { readonly accountId: string }): boolean => accountId.endsWith(SUFFIX);

/** The runs of an account that are counted: those that are there, and those that were removed. */
export const countedOf = (accountId: string): { $in: string[] } => ({ $in: [accountId, removedOf(accountId)] });

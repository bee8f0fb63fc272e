/** RFC 7240's `Prefer`, as far as a run knows it. */
interface Waiting {
  readonly seconds: number;
  /** Value of `Preference-Applied`; null where the client preferred nothing. */
  readonly applied: string | null;
}

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 300;

/** `respond-async` wins over `wait=N`; N above 300 counts as 300; a preference that cannot be read is ignored. */
export function parsePrefer(header: string | undefined): Waiting {
  const preferences = (header ?? '').split(',').map((part) => part.trim().toLowerCase());
  if (preferences.some((preference) => /^respond-async\s*(;|$)/.test(preference))) {
    return { seconds: 0, applied: 'respond-async' };
  }
  for (const preference of preferences) {
    const seconds = /^wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/.exec(preference)?.[1];
    if (seconds !== undefined) {
      const applied = Math.min(Number(seconds), MAX_SECONDS);
      return { seconds: applied, applied: `wait=${applied}` };
    }
  }
  return { seconds: DEFAULT_SECONDS, applied: null };
}

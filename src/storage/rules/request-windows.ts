/** Windows in which requests are counted. */

/**
 * Whether a window that ends then is over. A clock that was ahead began one that lies further ahead than windows do.
 */
export const isWindowOver = (resetAt: number, now: number, windowMs: number): boolean =>
  resetAt <= now || resetAt > now + 2 * windowMs;

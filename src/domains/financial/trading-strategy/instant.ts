/** Times of bars. */

/** Milliseconds of a time of a bar; a date-time without a zone is taken as UTC, wherever the service runs. */
export const instantOf = (time: string | number): number =>
  typeof time === 'number' ? time : Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[\d-]+$/.test(time) ? time : `${time}Z`);

/** Dates of requests as times, and periods cut into buckets. All in UTC. */
import { ExtremumError } from '../common/errors.js';
import type { Granularity, Period } from '../model/analytics.js';

const DAY_MS = 86_400_000;
const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;
/**
 * 0001-01-01 and the end of 9999-12-31; what lies beyond, through an offset too, can be written in no ISO date of four
 * digits.
 */
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;

/**
 * A date (its whole day) or a time, ISO 8601, as the first or the last millisecond that it means. Without an offset a
 * time is UTC.
 * @throws {ExtremumError} `invalid_request` on `field` where there is no such time.
 */
export function timeOf(field: string, text: string, edge: keyof Period): number {
  const parts = SHAPE.exec(text);
  const time = parts === null ? null : instant(parts, edge);
  if (time !== null && time >= EARLIEST && time <= LATEST) return time;
  const message = `\`${field}\` must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z, not ${shown(text)}.`;
  throw new ExtremumError('invalid_request', message, { field });
}

const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);

function instant(parts: RegExpExecArray, edge: keyof Period): number | null {
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate) return null;
  if (parts[4] === undefined) return edge === 'start' ? date.getTime() : date.getTime() + DAY_MS - 1;
  const [hours, minutes, seconds] = [parts[4], parts[5], parts[6] ?? '0'].map(Number) as [number, number, number];
  const offset = offsetOf(parts[8]);
  // 24:00 is the end of the day; a leap second is none here.
  const isTime = minutes < 60 && seconds < 60 && (hours < 24 || (hours === 24 && minutes === 0 && seconds === 0));
  if (!isTime || offset === null) return null;
  const fraction = Number((parts[7] ?? '0').padEnd(3, '0').slice(0, 3));
  return date.getTime() + ((hours * 60 + minutes - offset) * 60 + seconds) * 1_000 + fraction;
}

/** Minutes east of UTC. */
function offsetOf(text = 'Z'): number | null {
  if (text.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The first moment of the bucket after the one that `time` lies in. */
function nextBucket(time: number, granularity: Granularity): number {
  if (granularity === 'month') {
    const date = new Date(time);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  // 1970-01-01 was a Thursday.
  const [length, offset] = { hour: [3_600_000, 0], day: [DAY_MS, 0], week: [7 * DAY_MS, 4 * DAY_MS] }[granularity] as [
    number,
    number,
  ];
  return Math.floor((time - offset) / length) * length + length + offset;
}

/**
 * Edges of the buckets of a period: the first is its start, the last the moment after its end. Null: more than `most`.
 */
export function boundariesOf({ start, end }: Period, granularity: Granularity, most: number): number[] | null {
  const boundaries = [start];
  for (let next = nextBucket(start, granularity); next <= end; next = nextBucket(next, granularity)) {
    boundaries.push(next);
    if (boundaries.length > most) return null;
  }
  boundaries.push(end + 1);
  return boundaries;
}

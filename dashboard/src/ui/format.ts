/** Numbers and times for people. */
export function number(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString('en');
  const size = Math.abs(value);
  return size < 1e-4 || size >= 1e9
    ? Number(value.toPrecision(digits)).toExponential()
    : value.toLocaleString('en', { maximumSignificantDigits: digits });
}

export const percent = (share: number): string => `${number(share * 100, 3)} %`;

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 1) return `${number(value * 1000, 3)} ms`;
  if (value < 60) return `${number(value, 3)} s`;
  const minutes = Math.floor(value / 60);
  const [whole, unit, rest, smaller] =
    minutes < 60 ? [minutes, 'min', Math.floor(value % 60), 's'] : [Math.floor(minutes / 60), 'h', minutes % 60, 'min'];
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;
}

export function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const unit = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${number(value / 1024 ** unit, 3)} ${units[unit]}`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const time = (iso: string | null | undefined): string =>
  iso === null || iso === undefined ? '–' : TIME.format(new Date(iso));

const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const LAST_DAY_MS = 24 * 3_600_000;
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** For lists: the clock within a day, the day and the clock within a year, else the date. */
export function shortTime(iso: string): string {
  const then = new Date(iso);
  const age = Math.abs(Date.now() - then.getTime());
  return (age < LAST_DAY_MS ? CLOCK : age < 300 * LAST_DAY_MS ? SHORT : DAY).format(then);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

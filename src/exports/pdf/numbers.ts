/** Numbers for people: rounded to six significant digits, but integers, which are whole. */
import { numberOf, type Cell, type ColumnKind } from '../document.js';

const DIGITS = 6;
const INTEGER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const DECIMAL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const NONE = '–';

export function shown(cell: Cell | undefined, kind: ColumnKind, currency: string): string {
  if (typeof cell === 'string') return cell;
  const value = numberOf(cell);
  if (value === null) return NONE;
  switch (kind) {
    case 'integer':
      return INTEGER.format(value);
    case 'bytes':
      return bytes(value);
    case 'share':
      return `${rounded(value * 100)} %`;
    case 'money':
      return `${rounded(value)} ${currency}`;
    case 'seconds':
      return `${rounded(value)} s`;
    case 'date':
      return new Date(value).toISOString().slice(0, 10);
    case 'time':
      return new Date(value).toISOString().slice(0, 19).replace('T', ' ');
    case 'number':
    case 'text':
      return rounded(value);
  }
}

/** The shortest text of the rounded number; powers of ten where it would be long. */
function rounded(value: number): string {
  const short = Number(value.toPrecision(DIGITS));
  const size = Math.abs(short);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return short.toExponential().replace('e+', 'e');
  return size >= 1_000 ? DECIMAL.format(short) : String(short);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  return `${rounded(value / 1024 ** power)} ${UNITS[power]}`;
}

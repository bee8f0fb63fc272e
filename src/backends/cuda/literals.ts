/** Numbers as text of C++, exact and as operands of any operator. */

export function literal(value: number): string {
  if (Number.isNaN(value)) return '__longlong_as_double(0x7ff8000000000000LL)';
  if (!Number.isFinite(value)) return `__longlong_as_double(0x${value > 0 ? '7' : 'f'}ff0000000000000LL)`;
  return signed(value, finite(Math.abs(value)));
}

/** Of a number that single precision has. */
export function floatLiteral(value: number): string {
  if (Number.isNaN(value)) return '__uint_as_float(0x7fc00000u)';
  if (!Number.isFinite(value)) return `__uint_as_float(0x${value > 0 ? '7' : 'f'}f800000u)`;
  return signed(value, `${finite(Math.abs(value))}f`);
}

const signed = (value: number, magnitude: string): string =>
  value < 0 || Object.is(value, -0) ? `(-${magnitude})` : magnitude;

/** Whole numbers in decimal, others in hexadecimal: no compiler's rounding of decimals matters. */
function finite(value: number): string {
  if (Number.isInteger(value) && value < 2 ** 53) return `${value}.0`;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const exponent = (view.getUint32(0) >>> 20) & 0x7ff;
  const digits = (view.getBigUint64(0) & 0xfffffffffffffn).toString(16).padStart(13, '0').replace(/0+$/, '');
  const fraction = digits === '' ? '' : `.${digits}`;
  return exponent === 0 ? `0x0${fraction}p-1022` : `0x1${fraction}p${exponent - 1023}`;
}

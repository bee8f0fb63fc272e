/**
 * Float64Array as JSON-safe text: base64 of the little-endian bytes. Exact for every value, also -0, infinities and
 * NaN, which JSON numbers lose, and half the size of decimal digits.
 */
import { endianness } from 'node:os';

export function encodeFloats(values: Float64Array): string {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap64()).toString('base64');
}

/** @throws {RangeError} if the text does not hold exactly `length` numbers. */
export function decodeFloats(text: unknown, length: number): Float64Array {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (bytes.byteLength !== length * 8) {
    throw new RangeError(`expected ${length} encoded numbers, found ${bytes.byteLength / 8}`);
  }
  if (endianness() !== 'LE') bytes.swap64();
  const values = new Float64Array(length);
  new Uint8Array(values.buffer).set(bytes);
  return values;
}

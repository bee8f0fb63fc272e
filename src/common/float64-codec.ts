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
  const encoded = typeof text === 'string' ? text : '';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.byteLength !== length * 8) {
    throw new RangeError(`expected ${length} encoded numbers, found ${bytes.byteLength / 8}`);
  }
  // `Buffer.from` skips what is not base64.
  if (encoded.length !== 4 * Math.ceil(bytes.byteLength / 3)) throw new RangeError('not base64');
  if (endianness() !== 'LE') bytes.swap64();
  const values = new Float64Array(length);
  new Uint8Array(values.buffer).set(bytes);
  return values;
}

/**
 * Memory for what vectors are read from. JavaScript gives memory that begins 16 bytes after a line of the cache, so
 * that every vector as wide as a line would be read from two of them.
 */
import { nativeLinalg } from './native.js';

const LINE_BYTES = 64;

/** `length` zeros, from the start of a line on; anywhere without the addon, which knows where memory lies. */
export function alignedFloats(length: number): Float64Array<ArrayBuffer> {
  const native = nativeLinalg();
  if (native === null || length < LINE_BYTES / 8) return new Float64Array(length);
  // Memory of an ArrayBuffer stays where it is.
  const buffer = new ArrayBuffer(8 * length + LINE_BYTES);
  return new Float64Array(buffer, (LINE_BYTES - native.lineOffset(buffer)) % LINE_BYTES, length);
}

/**
 * Memory for what vectors are read from and written to. JavaScript gives memory that begins 16 bytes after a line of
 * the cache, so that every vector as wide as a line would lie in two of them.
 */
import { nativeAddon } from './native-addon.js';

const LINE_BYTES = 64;

interface Lines {
  /** Bytes from the start of a line of the cache, 64 bytes, to that of a buffer's memory. */
  lineOffset(buffer: ArrayBuffer): number;
}

/** The addon's part of this, or null where the addon is not built or from other sources. Never throws. */
export function nativeLines(): Lines | null {
  const addon = nativeAddon().exports as Partial<Lines> | null;
  return addon?.lineOffset === undefined ? null : (addon as Lines);
}

/** `length` zeros that begin with a line of the cache; less than a line, and all without the addon, lie anywhere. */
export function alignedFloats(length: number): Float64Array<ArrayBuffer> {
  const native = nativeLines();
  if (native === null || length < LINE_BYTES / 8) return new Float64Array(length);
  // Memory of an ArrayBuffer stays where it is.
  const buffer = new ArrayBuffer(8 * length + LINE_BYTES);
  return new Float64Array(buffer, (LINE_BYTES - native.lineOffset(buffer)) % LINE_BYTES, length);
}

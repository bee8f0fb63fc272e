/**
 * Transfer list of a message: the buffer of `bytes`, if it holds nothing else. Other bytes are copied, as is everything
 * that is not in the list: a small `Buffer` lies in a buffer that is shared.
 */
export function movable(bytes: Uint8Array | null | undefined): ArrayBuffer[] {
  if (bytes === null || bytes === undefined) return [];
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength ? [buffer] : [];
}

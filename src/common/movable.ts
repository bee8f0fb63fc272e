/**
 * For the transfer list of a message: the buffer of `bytes`, if it holds nothing else. Others (a small `Buffer` lies in
 * one that is shared) are copied, as everything that is not in the list.
 */
export function movable(bytes: Uint8Array | null | undefined): ArrayBuffer[] {
  if (bytes === null || bytes === undefined) return [];
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength ? [buffer] : [];
}

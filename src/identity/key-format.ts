/**
 * The text of an API key: `sk_<public id 12>_<secret 32><checksum 6>`, all base62. The checksum lets a mistyped or
 * invented key be refused without asking the store, and lets scanners recognise leaked keys.
 */
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^sk_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** CRC-32 (IEEE) of the text's bytes, as base62, padded to 6 (62^6 > 2^32). */
export function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** A new key, from the operating system's random source: 190 bits of secret. */
export function generateKey(): string {
  const body = `sk_${randomText(12)}_${randomText(32)}`;
  return body + checksum(body);
}

/** The public id of a well-formed key with a right checksum, else null. */
export function publicIdOf(key: string): string | null {
  const match = KEY.exec(key);
  const publicId = match?.[1];
  return publicId !== undefined && checksum(key.slice(0, -6)) === match?.[3] ? publicId : null;
}

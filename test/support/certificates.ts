/** Certificate authorities and certificates for tests, made with nothing but node:crypto (RFC 5280, DER by hand). */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** Default: from yesterday to tomorrow. */
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface Authority extends Issued {
  issue(wish: CertificateWish): Issued;
}

const DAY = 86_400_000;

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const bytes = content.length < 256 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const octets = (content: Uint8Array): Buffer => der(0x04, content);
const TRUE = der(0x01, Buffer.from([255]));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [40 * first + second];
  for (const arc of rest) {
    const digits = [arc & 127];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    bytes.push(...digits);
  }
  return der(0x06, Buffer.from(bytes));
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const nameOf = (common: string): Buffer =>
  sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(common)))));
const timeOf = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`));
const extension = (id: string, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(value));

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const alternativeNames = (names: readonly string[]): Buffer =>
  sequence(...names.map((name) => (isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name)))));

const pem = (content: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${(
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END CERTIFICATE-----\n`;

function certificate(
  subject: string,
  key: KeyObject,
  issuer: { readonly name: string; readonly key: KeyObject },
  { notBefore = new Date(Date.now() - DAY), notAfter = new Date(Date.now() + DAY) }: Partial<CertificateWish>,
  extensions: readonly Buffer[],
): string {
  const serial = randomBytes(16);
  serial[0] = (serial[0] & 0x7f) | 0x40;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    nameOf(issuer.name),
    sequence(timeOf(notBefore), timeOf(notAfter)),
    nameOf(subject),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer.key);
  return pem(sequence(content, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature)));
}

const newKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;

export function createAuthority(name = 'Test authority'): Authority {
  const key = newKey();
  const own = { name, key: createPrivateKey(key) };
  const isAuthority = extension('2.5.29.19', true, sequence(TRUE));
  return {
    key,
    cert: certificate(name, own.key, own, {}, [isAuthority]),
    issue(wish) {
      const subject = newKey();
      const names = extension('2.5.29.17', false, alternativeNames(wish.names));
      return { key: subject, cert: certificate('receiver', createPrivateKey(subject), own, wish, [names]) };
    },
  };
}

/**
 * Proof for a receiver that a delivery comes from here. `X-Service-Signature` covers the body alone; the headers of
 * Standard Webhooks (standardwebhooks.com, 1.0) cover identifier and time of sending too, which stops replays.
 */
import { createHmac, randomBytes } from 'node:crypto';

const MADE_SECRET = /^whsec_([A-Za-z0-9+/]{43}=)$/;
const SECRET_BYTES = 32;

export interface Secrets {
  readonly current: string;
  /** Until the overlap of a rotation ends. */
  readonly previous?: string;
}

export const generateSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Lowercase hex; the key is the text of the secret as shown. */
export function bodySignature(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The key of a secret in the form of our own is its decoded bytes, of any other its text. */
export function standardSignature(secret: string, id: string, seconds: number, body: Uint8Array): string {
  const encoded = MADE_SECRET.exec(secret)?.[1];
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/** `secrets` null: the delivery is not signed. */
export function signatureHeaders(
  secrets: Secrets | null,
  eventId: string,
  sentAt: number,
  body: Uint8Array,
): Record<string, string> {
  const seconds = Math.floor(sentAt / 1000);
  const headers: Record<string, string> = { 'webhook-id': eventId, 'webhook-timestamp': String(seconds) };
  if (secrets === null) return headers;
  const { current, previous } = secrets;
  headers['X-Service-Signature'] = bodySignature(current, body);
  if (previous !== undefined) headers['X-Service-Signature-Previous'] = bodySignature(previous, body);
  headers['webhook-signature'] = [current, ...(previous === undefined ? [] : [previous])]
    .map((secret) => standardSignature(secret, eventId, seconds, body))
    .join(' ');
  return headers;
}

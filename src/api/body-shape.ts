import { ExtremumError } from '../common/errors.js';

/**
 * Beyond what any request needs (20 runs of 10,000 dimensions have 200,000 pairs, 2,000 customers 18,000 names); a body
 * within them is parsed in some tens of milliseconds, whatever its shape. One of 4 MiB could hold 4 million arrays,
 * which take over a second.
 */
export const MAX_BODY_CONTAINERS = 250_000;
export const MAX_BODY_NAMES = 20_000;
export const MAX_BODY_VALUES = 1_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Refuses JSON that costs the parser, and with it every other client, seconds: millions of arrays or numbers, or
 * hundreds of thousands of names. Says nothing about whether the text is valid.
 * @throws {ExtremumError} `invalid_request`
 */
export function refuseCostlyShape(body: Uint8Array): void {
  let containers = 0;
  let names = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
      continue;
    }
    if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === COLON) names++;
    else if (byte === BRACKET || byte === BRACE) containers++;
    if (containers > MAX_BODY_CONTAINERS) {
      const message = `The body has too many arrays and objects: more than ${MAX_BODY_CONTAINERS}.`;
      throw new ExtremumError('invalid_request', message);
    }
    if (values > MAX_BODY_VALUES) {
      throw new ExtremumError('invalid_request', `The body has too many values: more than ${MAX_BODY_VALUES}.`);
    }
    if (names > MAX_BODY_NAMES) {
      throw new ExtremumError('invalid_request', `The body has too many fields: more than ${MAX_BODY_NAMES}.`);
    }
  }
}

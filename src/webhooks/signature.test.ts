import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { findPython } from '../../test/support/python.js';
import { packageRoot } from '../common/dist-entry.js';
import { bodySignature, generateSecret, signatureHeaders, standardSignature } from './signature.js';

const MADE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const OWN = 'of my own: pässwörd';
const small = Buffer.from('{"id":"evt_1","type":"webhook.test","text":"grüße 😀 \\u2028"}');
const filled = `{"id":"evt_2","text":"${'ü😀x'.repeat(Math.floor((65_536 - 24) / 7))}`;
const large = Buffer.from(`${filled}${'y'.repeat(65_536 - 2 - Buffer.byteLength(filled))}"}`);
const SECONDS = 1_700_000_000;

/** Computed with Python's hmac; the first row also with `openssl dgst`. */
const GOLDEN = [
  [
    MADE,
    small,
    '16761af1a96021a6a756e6dc9455dea2ef89de762d35443f94d5880f80f6299e',
    'r9s1V7jTgmCYeHV6J5V4gDzrlqOEoXeDEDaZO25/Vvc=',
  ],
  [
    MADE,
    large,
    '4f94972920ad1705152c27ba32bfef9a556fa08e3a6b41e7a804bf0c276296e6',
    'yS/hCsXuUHJze1WC2h5ly4/VveThmqSQ3DzDVfpNk/A=',
  ],
  [
    OWN,
    small,
    '4208d6fa47f54528e67962697d96012421c970ecf0836d72e596f86335333c0f',
    'NKLV1pKcP99JP2Y8wQGtAWRiUBt0ErXJzXXOLQ/9Uc0=',
  ],
  [
    OWN,
    large,
    '569981ae8fc8d46349892d3f3a0d91b21e0336e027be747548ed23eb454b9621',
    'AzL7bPglFXXkzegBMtH9UIRZBSBndZgxxA8s5idEpg8=',
  ],
  [
    'k',
    Buffer.alloc(0),
    '8bb990c40a7d61cb97597a942125025be50ac8beb74436e3735b98893a7f6620',
    'HP4G6IQ0zRqE/OgSLbG0lNP9OH+OM9nJZ/Tbg+no5vk=',
  ],
  [
    'whsec_not base64',
    small,
    'c56b39ead3350fe6554b735979d46d88a4a0e225819bc7bee34db296604c2b1d',
    'SXq3sqptBA8TrsU1p9gD8wmjk6t7xNJ8Mk0KL/XEA9U=',
  ],
] as const;

describe('signatures', () => {
  it('are of the body that was meant', () => {
    expect(large).toHaveLength(65_536);
    expect(createHash('sha256').update(large).digest('hex')).toBe(
      'ae95b6f9d0d06b32f600b9e34217f4e97d1b22b96b1cb239215799ee791ec089',
    );
  });

  it.each(GOLDEN)('have their golden values: %s', (secret, body, hex, base64) => {
    expect(bodySignature(secret, body)).toBe(hex);
    expect(standardSignature(secret, 'evt_1', SECONDS, body)).toBe(`v1,${base64}`);
  });

  it('go into headers, of both secrets during an overlap, of none without a secret', () => {
    const at = SECONDS * 1000 + 999;
    const plain = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(SECONDS) };
    expect(signatureHeaders(null, 'evt_1', at, small)).toEqual(plain);
    expect(signatureHeaders({ current: MADE }, 'evt_1', at, small)).toEqual({
      ...plain,
      'X-Service-Signature': GOLDEN[0][2],
      'webhook-signature': `v1,${GOLDEN[0][3]}`,
    });
    expect(signatureHeaders({ current: MADE, previous: OWN }, 'evt_1', at, small)).toEqual({
      ...plain,
      'X-Service-Signature': GOLDEN[0][2],
      'X-Service-Signature-Previous': GOLDEN[2][2],
      'webhook-signature': `v1,${GOLDEN[0][3]} v1,${GOLDEN[2][3]}`,
    });
  });

  it('are made with secrets of 32 bytes, never the same', () => {
    const secrets = new Set(Array.from({ length: 50 }, generateSecret));
    expect(secrets.size).toBe(50);
    for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  });
});

describe('the code in docs/guides/webhooks.md', () => {
  const guide = readFileSync(join(packageRoot(), 'docs/guides/webhooks.md'), 'utf8');
  const code = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? expect.fail(`no ${language}`);
  const folder = mkdtempSync(join(tmpdir(), 'extremum-guide-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  interface Case {
    readonly body: Buffer;
    readonly headers: Record<string, string>;
    readonly secret: string;
    readonly now: number;
    readonly genuine: boolean;
  }
  const lower = (headers: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const cases: Case[] = [MADE, OWN, 'k', 'whsec_not base64'].flatMap((secret) => {
    const own = lower(signatureHeaders({ current: secret }, 'evt_1', SECONDS * 1000, small));
    const rotated = lower(signatureHeaders({ current: 'new', previous: secret }, 'evt_1', SECONDS * 1000, small));
    const right = { body: small, headers: own, secret, now: SECONDS + 10, genuine: true };
    const wrong = { ...right, genuine: false };
    const { 'x-service-signature': _signature, ...unsigned } = own;
    return [
      right,
      { ...right, headers: rotated },
      { ...right, now: SECONDS - 299 },
      { ...wrong, secret: 'other' },
      { ...wrong, secret: 'new' },
      { ...wrong, body: Buffer.concat([small, Buffer.from(' ')]) },
      { ...wrong, now: SECONDS + 301 },
      { ...wrong, headers: { ...own, 'webhook-timestamp': String(SECONDS + 10) } },
      { ...wrong, headers: { ...own, 'webhook-timestamp': 'x' } },
      { ...wrong, headers: { ...own, 'webhook-id': 'evt_2' } },
      { ...wrong, headers: { ...own, 'webhook-signature': 'v1,ü' } },
      { ...wrong, headers: { ...own, 'x-service-signature': 'ü' } },
      { ...wrong, headers: unsigned },
      { ...wrong, headers: {} },
    ];
  });

  it('tells what is genuine, in Node', async () => {
    const file = join(folder, 'verify.mjs');
    writeFileSync(file, code('js'));
    const { isGenuine } = (await import(pathToFileURL(file).href)) as {
      isGenuine(body: Buffer, headers: object, secret: string, now: number): boolean;
    };
    expect(cases.map(({ body, headers, secret, now }) => isGenuine(body, headers, secret, now))).toEqual(
      cases.map(({ genuine }) => genuine),
    );
  });

  const python = findPython();
  it.skipIf(python.command === null)(`tells the same in Python${python.reason}`, () => {
    const program = `${code('python')}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(bytes.fromhex(c["body"]), c["headers"], c["secret"], c["now"]) for c in cases]))
`;
    const input = JSON.stringify(cases.map((one) => ({ ...one, body: one.body.toString('hex') })));
    const { stdout, stderr } = spawnSync(python.command ?? '', ['-c', program], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(({ genuine }) => genuine));
  });
});

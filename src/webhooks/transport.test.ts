import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Issued } from '../../test/support/certificates.js';
import { startReceiver, type Receiver, type Respond } from '../../test/support/https-receiver.js';
import { addressRule, parseNetwork, type Network } from './addresses.js';
import { HttpsTransport, type EndpointAnswer, type Resolve, type Transport } from './transport.js';

const LOOPBACK: Network[] = [parseNetwork('127.0.0.0/8')!];
const authority = createAuthority();
const issued = authority.issue({ names: ['127.0.0.1', 'receiver.test'] });
const BODY = Buffer.from('{"text":"ü😀"}');
const HEADERS = { 'Content-Type': 'application/json', 'X-Own': 'a' };
const loopback: Resolve = async () => ['127.0.0.1'];

let usual: Transport | undefined;
const transport = (parts?: { resolve?: Resolve; extraCa?: string | null; networks?: Network[] }): Transport =>
  parts === undefined ? (usual ??= make({})) : make(parts);
const make = (parts: { resolve?: Resolve; extraCa?: string | null; networks?: Network[] }): Transport =>
  new HttpsTransport({
    allows: addressRule(parts.networks ?? LOOPBACK),
    extraCa: parts.extraCa === undefined ? authority.cert : parts.extraCa,
    resolve: parts.resolve ?? loopback,
  });

const open: Receiver[] = [];
const receive = async (respond?: Respond, own = issued): Promise<Receiver> => {
  const receiver = await startReceiver(own, respond);
  open.push(receiver);
  return receiver;
};
afterAll(() => Promise.all(open.map((receiver) => receiver.close())));

async function timed(work: Promise<EndpointAnswer>): Promise<EndpointAnswer & { readonly wallSeconds: number }> {
  const startedAt = performance.now();
  const answer = await work;
  return { ...answer, wallSeconds: (performance.now() - startedAt) / 1000 };
}

describe('one request', () => {
  it('carries the very bytes and headers, to the checked address, under the name of the URL', async () => {
    const receiver = await receive((_received, response) => response.writeHead(200).end('thanks'));
    const url = `https://receiver.test:${receiver.port}/a/b?c=%20d#not-sent`;
    const answer = await transport().post(url, HEADERS, BODY);
    expect(answer).toMatchObject({ status: 200, error: null, excerpt: 'thanks' });
    const [got] = receiver.received;
    expect(got?.body).toEqual(BODY);
    expect(got?.path).toBe('/a/b?c=%20d');
    expect(got?.headers).toMatchObject({
      host: `receiver.test:${receiver.port}`,
      'x-own': 'a',
      'content-length': String(BODY.length),
    });
    await expect.poll(() => receiver.sockets.size).toBe(0);
  });

  it('resolves once, and connects there whatever a second answer would be', async () => {
    const receiver = await receive();
    let asked = 0;
    const resolve: Resolve = async () => (++asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']);
    const answer = await transport({ resolve }).post(`https://receiver.test:${receiver.port}/`, {}, BODY);
    expect([answer.status, asked]).toEqual([204, 1]);
    expect(receiver.received).toHaveLength(1);
  });

  it('goes on to another checked address where one does not answer', async () => {
    const receiver = await receive();
    const resolve: Resolve = async () => ['127.0.0.9', '127.0.0.1'];
    const answer = await transport({ resolve }).post(`https://receiver.test:${receiver.port}/`, {}, BODY);
    expect(answer.status).toBe(204);
  });

  it.each([200, 201, 204, 299, 300, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    'tells of a %i, and follows nothing',
    async (status) => {
      const receiver = await receive((_received, response) =>
        response.writeHead(status, { Location: '/elsewhere', 'Retry-After': '0' }).end(),
      );
      const answer = await transport().post(receiver.url, {}, BODY);
      expect(answer).toMatchObject({ status, error: null, excerpt: '' });
      expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    },
  );

  it('reads an answer without a length to its end', async () => {
    const receiver = await receive((_received, response) => {
      response.removeHeader('Content-Length');
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { Connection: 'close' });
      response.write('one ');
      setTimeout(() => response.end('two'), 20);
    });
    expect(await transport().post(receiver.url, {}, BODY)).toMatchObject({
      status: 200,
      error: null,
      excerpt: 'one two',
    });
  });

  it('keeps 4 KiB of the answer and reads no more', async () => {
    let sent = 0;
    const receiver = await receive((_received, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('ü'.repeat(4_000))) sent += 8_000;
        sent += 8_000;
      };
      response.on('drain', more);
      more();
    });
    const answer = await timed(transport().post(receiver.url, {}, BODY));
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(answer.excerpt).toBe('ü'.repeat(2_048));
    expect(answer.wallSeconds).toBeLessThan(5.2);
    expect(sent).toBeLessThan(50_000_000);
    await expect.poll(() => receiver.sockets.size).toBe(0);
  });
});

describe('who does not answer as one should', () => {
  const raw: Server[] = [];
  afterAll(() => raw.forEach((server) => server.close()));
  const listen = async (act: (socket: Socket) => void): Promise<string> => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      act(socket);
    });
    raw.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const everyHalfSecond = (response: { write(text: string): unknown; destroyed: boolean }, text: string): void => {
    const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(text)), 500);
  };

  it('is cut within 5.2 s, all of them at a time', async () => {
    const silent: Respond = () => {};
    const late: Respond = (_received, response) => void setTimeout(() => response.writeHead(200).end(), 6_000).unref();
    const dripping: Respond = (_received, response) => {
      response.writeHead(200);
      everyHalfSecond(response, 'x');
    };
    const drippingHeaders: Respond = (_received, _response, { socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      everyHalfSecond(socket, 'X-More: 1\r\n');
    };
    const informing: Respond = (_received, _response, { socket }) =>
      everyHalfSecond(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n');
    const urls = await Promise.all(
      [silent, late, dripping, drippingHeaders, informing].map(async (respond) => (await receive(respond)).url),
    );
    const noTls = await listen(() => {});
    const hangingName: Resolve = (_name, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
    const answers = await Promise.all([
      ...[...urls, noTls].map((url) => timed(transport().post(url, {}, BODY))),
      timed(transport({ resolve: hangingName }).post('https://receiver.test/', {}, BODY)),
    ]);
    for (const [i, { error, wallSeconds, durationSeconds }] of answers.entries()) {
      expect(error, String(i)).toBe('No complete answer within 5 s.');
      expect(wallSeconds, String(i)).toBeGreaterThan(4.9);
      expect(wallSeconds, String(i)).toBeLessThan(5.2);
      expect(durationSeconds).toBeLessThan(5.2);
    }
    expect(answers.map(({ status }) => status)).toEqual([null, null, 200, null, null, null, null]);
    expect(answers[2]?.excerpt).toMatch(/^x+$/);
    for (const receiver of open) await expect.poll(() => receiver.sockets.size).toBe(0);
  });

  it('is told apart: reset, cut off, closed port, no TLS, no HTTP, huge headers, an upgrade', async () => {
    const post = async (url: string): Promise<string> => {
      const { status, error } = await timed(transport().post(url, {}, BODY));
      return `${status}: ${error}`;
    };
    const reset = await receive((_received, _response, { socket }) => socket.destroy());
    expect(await post(reset.url)).toBe('null: The connection failed (ECONNRESET).');
    const cut = await receive((_received, response, { socket }) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('x', () => socket.destroy());
    });
    expect(await post(cut.url)).toBe('200: The connection failed (ECONNRESET).');
    const closed = await receive();
    await closed.close();
    expect(await post(closed.url)).toBe('null: The connection failed (ECONNREFUSED).');
    const plain = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await post(plain)).toMatch(/^null: The connection (is not trusted|failed) \(E/);
    const garbled = await receive((_received, _response, { socket }) => socket.end('no HTTP at all\r\n\r\n'));
    expect(await post(garbled.url)).toMatch(/^null: The answer is not valid HTTP \(HPE_/);
    const huge = await receive((_received, _response, { socket }) => {
      socket.end(`HTTP/1.1 200 OK\r\nX-Huge: ${'x'.repeat(100_000)}\r\n\r\n`);
    });
    expect(await post(huge.url)).toBe('null: The answer is not valid HTTP (HPE_HEADER_OVERFLOW).');
    const upgrading = await receive((_received, _response, { socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    });
    expect(await post(upgrading.url)).toBe('101: null');
  });
});

describe('certificates', () => {
  const post = async (url: string, extraCa: string | null = authority.cert): Promise<string> => {
    const { status, error } = await transport({ extraCa }).post(url, {}, BODY);
    return `${status}: ${error}`;
  };
  let before: string | undefined;
  beforeAll(() => {
    // Also where the operator's environment says otherwise.
    before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });
  afterAll(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  });

  it('are taken of an authority that was named, for name and address', async () => {
    const receiver = await receive();
    expect(await post(receiver.url)).toBe('204: null');
    expect(await post(`https://receiver.test:${receiver.port}/`)).toBe('204: null');
  });

  it.each([
    ['of an authority that was not named', () => issued, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', null],
    [
      'of another authority',
      () => createAuthority('Another authority').issue({ names: ['127.0.0.1'] }),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['that vouch for themselves', () => createAuthority('127.0.0.1'), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'that have expired',
      () => authority.issue({ names: ['127.0.0.1'], notAfter: new Date(Date.now() - 1_000) }),
      'CERT_HAS_EXPIRED',
    ],
    ['of another host', () => authority.issue({ names: ['other.test', '127.0.0.2'] }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] satisfies [string, () => Issued, string, null?][])('%s are refused', async (_, own, code, extraCa?: null) => {
    const receiver = await receive(undefined, own());
    expect(await post(receiver.url, extraCa === null ? null : authority.cert)).toBe(
      `null: The connection is not trusted (${code}).`,
    );
    expect(receiver.received).toHaveLength(0);
  });
});

describe('targets that are refused', () => {
  const strict = (resolve: Resolve = loopback): Transport => transport({ networks: [], resolve, extraCa: null });
  const LITERALS = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.0.0.1/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://192.168.0.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://239.255.255.255/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::808:808]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[100::1]/',
    'https://[2001::1]/',
    'https://[2001:2::1]/',
    'https://[2001:10::1]/',
    'https://[2001:db8::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:808:808::]/',
    'https://[3fff::1]/',
    'https://[5f00::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
  ];
  const FORMS = [
    'http://example.org/',
    'ftp://example.org/',
    'https:',
    'example.org',
    '',
    'https://',
    'https://user@198.41.0.4/',
    'https://user:password@198.41.0.4/',
    'https://:password@198.41.0.4/',
    'https://198.41.0.4:22/',
    'https://198.41.0.4:80/',
    'https://198.41.0.4:0/',
    'https://198.41.0.4:1023/',
    'https://198.41.0.4:65536/',
    'https://receiver.test./',
    'https://localhost./',
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://a b.test/',
    ' https://198.41.0.4/',
    'https://198.41.\n0.4/',
    'https://198.41.0.4/\u0000',
    'https://198.41.0.4/\ud800',
    `https://198.41.0.4/${'x'.repeat(2_048)}`,
  ];

  it.each([...LITERALS, ...FORMS])('%j at registration and at sending', async (url) => {
    expect(await strict().refusal(url)).toMatch(/\.$/);
    const answer = await timed(strict().post(url, {}, BODY));
    expect(answer).toMatchObject({ status: null, excerpt: null });
    expect(answer.error).toBe(await strict().refusal(url));
    expect(answer.wallSeconds).toBeLessThan(1);
  });

  it.each([
    'https://198.41.0.4/',
    'https://198.41.0.4:443/',
    'https://198.41.0.4:8443/a?b=c',
    'https://198.41.0.4:1024/',
    'https://[2600::]:65535/',
    'https://[2a00:1450:4001:81b::200e]/',
  ])('but not %s', async (url) => {
    expect(await strict().refusal(url)).toBeNull();
  });

  it.each([
    [['10.0.0.1']],
    [['198.41.0.4', '10.0.0.1']],
    [['127.0.0.1', '198.41.0.4']],
    [['2600::', '::1']],
    [['fe80::1%eth0']],
    [['::ffff:198.41.0.4']],
    [['no address']],
    [[]],
  ])('names of %j', async (addresses) => {
    const resolve: Resolve = async () => addresses;
    const expected = addresses.length === 0 ? /cannot be resolved/ : /resolves to an address that is not public/;
    for (const host of ['receiver.test', 'ünï.test', 'localhost', 'metadata']) {
      const refusal = await strict(resolve).refusal(`https://${host}/`);
      expect(refusal).toMatch(expected);
      expect(refusal).not.toMatch(/10\.0|127\.0/);
      expect((await strict(resolve).post(`https://${host}/`, {}, BODY)).error).toBe(refusal);
    }
  });

  it('a name that was public when it was registered', async () => {
    const receiver = await receive();
    const answers = [['198.41.0.4'], ['127.0.0.1']];
    const changing = strict(async () => answers.shift() ?? []);
    const url = `https://receiver.test:${receiver.port}/`;
    expect(await changing.refusal(url)).toBeNull();
    expect((await changing.post(url, {}, BODY)).error).toMatch(/not public/);
    expect(receiver.sockets.size + receiver.received.length).toBe(0);
  });

  it('a redirect to loopback is not followed', async () => {
    const inner = await receive();
    const outer = await receive((_received, response) => response.writeHead(302, { Location: inner.url }).end());
    expect((await transport().post(outer.url, {}, BODY)).status).toBe(302);
    expect(inner.received).toHaveLength(0);
  });

  it('unless the operator has named their network, and only that', async () => {
    const some = transport({ networks: [parseNetwork('10.1.0.0/16')!, parseNetwork('fd00:1::/32')!] });
    expect(await some.refusal('https://10.1.2.3/')).toBeNull();
    const cure = '; an operator allows such networks with WEBHOOK_ALLOW_NETWORKS.';
    expect(await some.refusal('https://10.2.2.3/')).toBe(`10.2.2.3 is no public address${cure}`);
    expect(await some.refusal('https://[fd00:1::5]/')).toBeNull();
    expect(await some.refusal('https://[fd00:2::5]/')).toMatch(/no public address/);
    expect(await some.refusal('https://[::ffff:10.2.2.3]/')).toMatch(/no public address/);
  });
});

describe('networks', () => {
  it.each(['', 'x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0/8', '::/129', 'fe80::%eth0/10', '10.0.0.0/-1'])(
    '%j is none',
    (text) => expect(parseNetwork(text)).toBeUndefined(),
  );

  it('are read in both families, a lone address as itself', () => {
    expect(parseNetwork('10.0.0.0/8')).toEqual({ address: '10.0.0.0', prefix: 8 });
    expect(parseNetwork('fd00::/8')).toEqual({ address: 'fd00::', prefix: 8 });
    expect(parseNetwork('10.0.0.1')).toEqual({ address: '10.0.0.1', prefix: 32 });
    expect(parseNetwork('::1')).toEqual({ address: '::1', prefix: 128 });
  });
});

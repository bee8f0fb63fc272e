/**
 * One HTTPS request to an address of a client's choosing. Whatever the name resolves to is checked at every request,
 * and the connection goes to a checked address, under the original name in SNI and `Host`: a name server that changes
 * its answer in between gains nothing. The whole exchange ends within the time limit, whatever the other side does.
 */
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

interface TransportParts {
  /** Whether that address may be reached. */
  readonly allows: (address: string) => boolean;
  /** PEM texts of further certificate authorities. */
  readonly extraCa: string | null;
  readonly resolve?: Resolve;
}

/** All addresses of a name. Rejects where there is none, or with the signal. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface EndpointAnswer {
  /** Null: there was none. */
  readonly status: number | null;
  /** Null: no complete answer. */
  readonly error: string | null;
  /** The beginning of the body, as far as it came; null: no answer. */
  readonly excerpt: string | null;
  readonly durationSeconds: number;
}

export interface Transport {
  /** Null: a webhook may have this address. Else why not, as a sentence. */
  refusal(url: string): Promise<string | null>;
  /** Never rejects. */
  post(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<EndpointAnswer>;
}

interface Target {
  readonly url: URL;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly addresses: readonly string[];
}

/** Why a target is not to be reached. Its message is for whoever registered it. */
class Refusal extends Error {}

const unless = '; an operator allows such networks with WEBHOOK_ALLOW_NETWORKS.';

const TOTAL_MS = 5_000;
const EXCERPT_BYTES = 4_096;
const MAX_URL_CHARACTERS = 2_048;
const LOWEST_FREE_PORT = 1_024;
const LOW_PORTS = new Set([443]);
const DNS = { timeout: 1_500, tries: 2 };

/** What came of an exchange so far. */
interface AnswerSoFar {
  status: number | null;
  readonly chunks: Buffer[];
}

export class HttpsTransport implements Transport {
  private readonly resolve: Resolve;
  private readonly agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
  private secureContext: SecureContext | undefined;

  constructor(private readonly parts: TransportParts) {
    this.resolve = parts.resolve ?? resolveByDns;
  }

  async refusal(text: string): Promise<string | null> {
    try {
      await this.targetOf(text, AbortSignal.timeout(TOTAL_MS));
      return null;
    } catch (error) {
      return error instanceof Refusal ? error.message : 'its name could not be resolved in time.';
    }
  }

  async post(text: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<EndpointAnswer> {
    const startedAt = performance.now();
    const cut = new AbortController();
    const timer = setTimeout(() => cut.abort(new Refusal(`No complete answer within ${TOTAL_MS / 1000} s.`)), TOTAL_MS);
    const seen: AnswerSoFar = { status: null, chunks: [] };
    let error: string | null = null;
    try {
      await this.exchange(await this.targetOf(text, cut.signal), headers, body, cut.signal, seen);
    } catch (cause) {
      error = describe(cause);
    } finally {
      clearTimeout(timer);
      // Also ends the connection of an answer that was not read to its end.
      cut.abort();
    }
    const { status, chunks } = seen;
    const excerpt = status === null ? null : Buffer.concat(chunks).toString();
    return { status, error, excerpt, durationSeconds: (performance.now() - startedAt) / 1000 };
  }

  private async targetOf(text: string, signal: AbortSignal): Promise<Target> {
    const { allows } = this.parts;
    const url = parseTarget(text);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0) {
      if (!allows(host)) throw new Refusal(`${host} is no public address${unless}`);
      return { url, host, addresses: [host] };
    }
    let addresses: readonly string[] = [];
    try {
      addresses = await this.resolve(host, signal);
    } catch {
      // The same as none.
    }
    signal.throwIfAborted();
    if (addresses.length === 0) throw new Refusal(`${host} cannot be resolved.`);
    // Which address it is may be nobody's business.
    if (!addresses.every(allows)) throw new Refusal(`${host} resolves to an address that is not public${unless}`);
    return { url, host, addresses };
  }

  private exchange(
    { url, host, addresses }: Target,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
    seen: AnswerSoFar,
  ): Promise<void> {
    const { allows } = this.parts;
    return new Promise((done, fail) => {
      const request = httpsRequest({
        method: 'POST',
        host,
        port: url.port === '' ? 443 : Number(url.port),
        path: url.pathname + url.search,
        headers: { ...headers, Host: url.host, 'Content-Length': String(body.length) },
        // An address has no name to ask for; its certificate is still held against it.
        servername: isIP(host) === 0 ? host : '',
        agent: this.agent,
        lookup: lookupAmong(addresses),
        rejectUnauthorized: true,
        signal,
        ...this.trust(),
      });
      // What comes after the first of these changes nothing.
      signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
      request.on('error', fail);
      request.once('close', () => {
        if (seen.status === null) fail(new Error('closed without an answer'));
      });
      request.once('socket', (socket) => {
        socket.once('connect', () => {
          const { remoteAddress } = socket;
          if (remoteAddress !== undefined && allows(remoteAddress)) return;
          request.destroy(new Refusal('The connection went to an address that is not public.'));
        });
      });
      request.once('upgrade', (response, socket) => {
        seen.status = response.statusCode ?? null;
        socket.destroy();
        done();
      });
      request.once('response', (response) => readAnswer(response, seen, done, fail));
      request.end(body);
    });
  }

  /** Making a context reads all authorities: once, and not before it is needed. */
  private trust(): { readonly secureContext?: SecureContext } {
    const { extraCa } = this.parts;
    if (extraCa === null) return {};
    return { secureContext: (this.secureContext ??= createSecureContext({ ca: [...rootCertificates, extraCa] })) };
  }
}

/** Answers every name by `addresses`. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = found;
  return (_name, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}

function readAnswer(
  response: IncomingMessage,
  seen: AnswerSoFar,
  done: () => void,
  fail: (error: Error) => void,
): void {
  seen.status = response.statusCode ?? null;
  let size = 0;
  response.on('error', fail);
  response.on('data', (chunk: Buffer) => {
    seen.chunks.push(chunk.subarray(0, Math.max(0, EXCERPT_BYTES - size)));
    size += chunk.length;
    // The rest is not read.
    if (size >= EXCERPT_BYTES) done();
  });
  response.once('end', done);
  response.once('close', () => fail(new Error('closed within the answer')));
}

/** @throws {Refusal} */
function parseTarget(text: string): URL {
  if (text.length > MAX_URL_CHARACTERS) throw new Refusal(`it is longer than ${MAX_URL_CHARACTERS} characters.`);
  // The parser would drop or replace them silently.
  if (/[\s\u0000-\u001f\u007f\p{Cs}]/u.test(text)) {
    throw new Refusal('it contains blanks or control characters.');
  }
  if (!URL.canParse(text)) throw new Refusal('it is no URL.');
  const url = new URL(text);
  if (url.protocol !== 'https:') throw new Refusal('it must begin with https://.');
  if (url.username !== '' || url.password !== '') throw new Refusal('it must not contain a user or a password.');
  const port = url.port === '' ? 443 : Number(url.port);
  if (port < LOWEST_FREE_PORT && !LOW_PORTS.has(port))
    throw new Refusal('its port must be 443, 8443 or at least 1024.');
  if (url.hostname.endsWith('.')) throw new Refusal('its host must not end in a dot.');
  return url;
}

/** Not by the system's resolver: that blocks one of four threads which also compress and read files. */
async function resolveByDns(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver(DNS);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function describe(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return 'The connection ended without an answer.';
  if (code.startsWith('HPE_')) return `The answer is not valid HTTP (${code}).`;
  if (/^E[A-Z0-9]+$/.test(code)) return `The connection failed (${code}).`;
  return `The connection is not trusted (${code}).`;
}

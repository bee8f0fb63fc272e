/** The listening side: who dawdles is cut, and what is no HTTP gets the documented shape too. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';

interface Patience {
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a whole request, from its first byte to the last of its body. */
  readonly requestMs: number;
  /** How often it is looked who has had too long. */
  readonly checkMs: number;
}

const HEADERS_MS = 20_000;
const LEAST_REQUEST_MS = 30_000;
/** Who sends slower than this is cut. */
const LEAST_BYTES_PER_SECOND = 65_536;

export const patienceFor = (maxBodyBytes: number): Patience => ({
  headersMs: HEADERS_MS,
  requestMs: LEAST_REQUEST_MS + Math.ceil((maxBodyBytes / LEAST_BYTES_PER_SECOND) * 1_000),
  checkMs: 2_000,
});

/** What a server of HTTPS shows, as PEM text. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** A server where `answer` refuses, in the documented shape, requests that Node would refuse with an empty answer. */
export function createHttpServer(
  answer: RequestListener,
  { headersMs, requestMs, checkMs }: Patience,
  tls: TlsIdentity | null = null,
): Server {
  const options = {
    requireHostHeader: false,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
  };
  const server =
    tls === null
      ? createServer(options, answer)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: headersMs }, answer);
  server.on('checkExpectation', answer);
  server.on('clientError', answerClientError);
  return server;
}

function messageOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The headers are too large.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive.';
  return 'This is not valid HTTP.';
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // A request whose answer has begun cannot be given another.
  const isAnswered =
    (socket as Socket & { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
  // An answer to one who does not finish the handshake would wait for it.
  const isUnheard = error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT';
  if (isUnheard || !socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({
    error: { code: 'invalid_request', message: messageOf(error.code) },
    request_id: 'none',
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

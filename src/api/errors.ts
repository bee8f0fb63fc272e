/** Errors to HTTP, the only place that knows both. The list of codes that clients see is closed. */
import { ExtremumError, type ErrorCode } from '../common/errors.js';

export const PUBLIC_CODES = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

type PublicCode = keyof typeof PUBLIC_CODES;

/** Public code for a code that only the inside knows. */
function publicCode(code: ErrorCode): PublicCode {
  switch (code) {
    case 'objective_rejected':
      return 'invalid_request';
    case 'backend_unavailable':
    case 'backend_lost':
    case 'store_unavailable':
    case 'cancelled':
      return 'unavailable';
    case 'record_damaged':
      return 'internal_error';
    default:
      return code;
  }
}

interface ErrorAnswer {
  readonly status: number;
  readonly error: { readonly code: PublicCode; readonly message: string; readonly field?: string };
}

/** Failures of Express and its body parser that are the client's doing, by their `type` or status. */
function clientFault(error: unknown, maxBodyBytes: number): ErrorAnswer | null {
  if (typeof error !== 'object' || error === null) return null;
  const { status, type, limit } = error as { status?: unknown; type?: unknown; limit?: number };
  switch (type) {
    case 'entity.too.large':
      return answer('payload_too_large', `The body is larger than ${limit ?? maxBodyBytes} bytes (uncompressed).`);
    case 'encoding.unsupported':
      return answer('unsupported_media_type', 'The content encoding must be identity, gzip, deflate or br.');
  }
  if (error instanceof URIError) return answer('invalid_request', 'The path has a malformed percent-encoding.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return answer('invalid_request', 'The request could not be read.');
  }
  return null;
}

function answer(code: PublicCode, message: string, field?: string): ErrorAnswer {
  return { status: PUBLIC_CODES[code], error: field === undefined ? { code, message } : { code, message, field } };
}

/** Answer to an error; `internal_error`, without any detail, for whatever is our own defect. */
export function answerTo(error: unknown, maxBodyBytes: number): ErrorAnswer {
  if (error instanceof ExtremumError) {
    const code = publicCode(error.code);
    // Its message names files of the host.
    const message = error.code === 'store_unavailable' ? 'The service cannot read or write its data.' : error.message;
    if (error.code !== 'internal_error') return answer(code, message, error.field);
  }
  return (
    clientFault(error, maxBodyBytes) ??
    answer('internal_error', 'The service failed; the request id names it in the log.')
  );
}

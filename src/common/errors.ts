/**
 * Operational failures with a stable code. Callers match `code`, never text; `api/` alone turns codes into HTTP
 * statuses. `docs/errors.md` lists the table and a test walks it.
 */
export const ERROR_CODES = {
  invalid_request: 'The request breaks a rule; `field` names the offending part.',
  unauthorized: 'The API key is missing or invalid.',
  forbidden: 'The API key lacks the scope.',
  not_found: 'No such resource in this account.',
  method_not_allowed: 'The path exists, the method does not.',
  conflict: 'The state of the resource forbids the action.',
  payload_too_large: 'The body is larger than allowed, or than the database takes in one record.',
  unsupported_media_type: 'The body is not JSON.',
  rate_limited: 'Too many requests.',
  unavailable: 'A needed part of the service is not there; retry later or install it.',
  internal_error: 'A defect of the service.',
  backend_unavailable: 'The evaluation backend cannot work on this host.',
  backend_lost: 'The evaluation backend died; its kernels are gone.',
  objective_rejected: 'The objective could not be loaded; the message has the Python error.',
  store_unavailable: 'The database cannot be read or written.',
  record_damaged: 'A record is damaged in the database; the message names it.',
  cancelled: 'The caller asked to stop.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

interface ErrorDetails {
  /** Path of the offending request field, e.g. `bounds[2][0]`. */
  readonly field?: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export class ExtremumError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryable: boolean;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ExtremumError';
    this.code = code;
    this.field = details.field;
    this.retryable = details.retryable ?? false;
    this.facts = details.facts ?? {};
  }
}

/** Whether what was asked for is stored, and cannot be read. */
export const isDamaged = (error: unknown): boolean => error instanceof ExtremumError && error.code === 'record_damaged';

/** The meaning of the driver's errors. Only this file tells a database that is away from a defect of ours. */
import {
  MongoAPIError,
  MongoBatchReExecutionError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoError,
  MongoErrorLabel,
  MongoInvalidArgumentError,
  MongoMissingDependencyError,
  MongoNetworkError,
  MongoServerError,
  MongoTailableCursorError,
  MongoTransactionError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} from 'mongodb';

const DUPLICATE_KEY = 11000;
/** The document would be too large: as updated, and in two older wordings. */
const TOO_LARGE = new Set([10334, 17419, 17420]);
/** BadValue, FailedToParse, TypeMismatch, CommandNotFound, ImmutableField, and the unique index. */
const REFUSED_FOR_CAUSE = new Set([2, 9, 14, 59, 66, DUPLICATE_KEY]);
/** The driver was called wrongly. Its other errors, those of later versions too, are about server and connections. */
const MISUSES = [
  MongoBatchReExecutionError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoInvalidArgumentError,
  MongoMissingDependencyError,
  MongoTailableCursorError,
  MongoTransactionError,
];
/** Codes of libuv, as ECONNRESET and EAI_AGAIN, and of Node's sockets, as ERR_STREAM_DESTROYED. */
const SOCKET_CODE = /^(?:E[A-Z0-9]+|EAI_[A-Z]+|ERR_(?:SOCKET|SSL|STREAM|TLS)_[A-Z_]+)$/;

/**
 * The failure of a socket while it takes a command. The driver hands it on as it comes, neither as an error of its own
 * nor after a second attempt.
 */
export function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof MongoError || error instanceof TypeError) return false;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && SOCKET_CODE.test(code);
}

/** Whether the database is away, going away, or refuses us: what was asked for may work later. */
export function isAway(error: unknown): error is Error {
  if (!(error instanceof MongoError)) return isSocketError(error);
  if (error instanceof MongoServerError) return !isTooLarge(error) && !REFUSED_FOR_CAUSE.has(Number(error.code));
  return error.constructor !== MongoAPIError && !MISUSES.some((kind) => error instanceof kind);
}

/** Whether a write that failed so may have happened. */
export function isUnknown(error: unknown): boolean {
  const unanswered = [MongoNetworkError, MongoUnexpectedServerResponseError, MongoWriteConcernError];
  if (isSocketError(error) || unanswered.some((kind) => error instanceof kind)) return true;
  return error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
}

export const isTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && TOO_LARGE.has(Number(error.code));

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/** Handles the refusal of an insertion whose document is there already. @throws every other error. */
export function unlessDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

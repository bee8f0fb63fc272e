import {
  BSON,
  MongoAPIError,
  MongoClientClosedError,
  MongoCompatibilityError,
  MongoCursorExhaustedError,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoParseError,
  MongoRuntimeError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isAway, isTooLarge, isUnknown } from './driver-errors.js';

const answer = (code: number): MongoServerError => new MongoServerError({ message: `code ${code}`, code });
const coded = (code: string, error: Error = new Error(code)): Error => Object.assign(error, { code });
/** Of servers: only its `error` is looked at. */
const NOTHING = { error: null } as never;
const nameOf = (error: Error & { code?: unknown }): string => `${error.name} ${error.code ?? ''}`.trim();

const AWAY = [
  new MongoNetworkError('connection 1 closed'),
  new MongoServerSelectionError('timed out', NOTHING),
  new MongoNotConnectedError('not connected'),
  new MongoTopologyClosedError(),
  new MongoServerClosedError(),
  new MongoClientClosedError(),
  new MongoExpiredSessionError(),
  new MongoCompatibilityError('wire version'),
  new MongoStalePrimaryError('stale'),
  new MongoParseError('size'),
  new MongoRuntimeError('any other'),
  new MongoUnexpectedServerResponseError('no response'),
  new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } }),
  // Unreachable, NetworkTimeout, CursorNotFound, ShutdownInProgress, and what a server says that stops, starts or steps
  // down.
  ...[6, 89, 43, 91, 134, 189, 211, 217, 237, 262, 10058, 10107, 11600, 11602, 13435, 13436, 14031].map(answer),
  // As the driver hands them on.
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNREFUSED', 'EAI_AGAIN'].map((code) => coded(code)),
  ...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_SOCKET_CLOSED'].map((code) => coded(code)),
];
const DEFECTS = [
  new MongoInvalidArgumentError('a filter must be an object'),
  new MongoCursorExhaustedError(),
  new MongoAPIError('any other misuse'),
  ...[2, 9, 14, 59, 66, 11000].map(answer),
  new TypeError('undefined is not a function'),
  coded('ERR_INVALID_ARG_TYPE', new TypeError('an argument')),
  coded('ERR_STREAM_NULL_VALUES', new TypeError('null')),
  new BSON.BSONError('a document'),
  coded('Z_DATA_ERROR'),
  new Error('an upsert without a document'),
];

describe('errors of the driver', () => {
  it.each(AWAY.map((error) => [nameOf(error), error] as const))('%s: the database is away', (_name, error) => {
    expect(isAway(error)).toBe(true);
  });

  it.each(DEFECTS.map((error) => [nameOf(error), error] as const))('%s: a defect of ours', (_name, error) => {
    expect(isAway(error)).toBe(false);
    expect(isUnknown(error)).toBe(false);
  });

  it('a write whose socket failed may have happened', () => {
    for (const error of [coded('EPIPE'), coded('ECONNRESET'), new MongoNetworkError('closed')]) {
      expect(isUnknown(error)).toBe(true);
    }
    expect(isUnknown(new MongoServerSelectionError('timed out', NOTHING))).toBe(false);
  });

  it('what is too large is neither', () => {
    for (const code of [10334, 17419, 17420]) {
      expect(isTooLarge(answer(code))).toBe(true);
      expect(isAway(answer(code))).toBe(false);
    }
  });
});

/**
 * `Idempotency-Key`: a POST that is sent again under the same key is done once. The claim is stored before the work
 * begins, and the identifiers of whatever the work makes are derived from it: an attempt that follows a crash makes the
 * same resource, or finds it. Only answers of success are kept; sealed, as some hold secrets.
 */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { ExtremumError } from '../common/errors.js';
import { composeId, type Clock, type IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { REQUEST_KEPT_MS } from '../model/idempotency.js';
import type { Seal } from '../identity/seal.js';
import type { IdempotencyStore } from '../storage/contract/idempotency.js';
import { answerTo } from './errors.js';

/** An answer as it is sent. */
export interface WrittenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly text: string | null;
  /** The run that it is about. Absent: about none. */
  readonly runId?: string;
}

interface IdempotencyParts {
  readonly store: IdempotencyStore;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** An attempt that is not heard of for so long has died. */
  readonly leaseMs: number;
}

interface KeyedRequest {
  readonly accountId: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Renewals within the length of a lease. */
const HEARTBEATS = 4;
const RETRY_AFTER_SECONDS = 2;

export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Fingerprint of method, path and the body's bytes. */
export function fingerprintOf(method: string, path: string, bodyHash: string): string {
  return createHash('sha256').update(`${method} ${path}\n${bodyHash}`).digest('hex');
}

export class Idempotency {
  private readonly parts: IdempotencyParts;

  constructor(parts: IdempotencyParts) {
    this.parts = parts;
  }

  /** For requests without a key. */
  get ids(): IdSource {
    return this.parts.ids;
  }

  /**
   * Does the work, unless it was done: then gives the answer of that time.
   * @throws {ExtremumError} `conflict`: the key belongs to another request, or the first one is still at work;
   * `not_found`: the run that it made has been deleted.
   */
  async once(
    request: KeyedRequest,
    work: (ids: IdSource) => Promise<WrittenReply>,
  ): Promise<{ readonly reply: WrittenReply; readonly isReplay: boolean }> {
    const { store, seal, clock, logger, leaseMs } = this.parts;
    const { accountId, key, fingerprint } = request;
    const now = clock();
    const owner = randomUUID();
    const seed = randomBytes(16).toString('hex');
    const leaseUntil = now + leaseMs;
    const outcome = await store.claimRequest({
      accountId,
      key,
      fingerprint,
      owner,
      now,
      leaseUntil,
      expiresAt: now + REQUEST_KEPT_MS,
      seed,
    });
    if (outcome.kind !== 'claimed' && outcome.fingerprint !== fingerprint) {
      throw new ExtremumError('conflict', 'This `Idempotency-Key` was used for another request within 24 hours.');
    }
    if (outcome.kind === 'answered') {
      return { reply: JSON.parse(seal.open(outcome.answer)) as WrittenReply, isReplay: true };
    }
    if (outcome.kind === 'working') throw stillAtWork();
    if (outcome.kind === 'deleted') {
      throw new ExtremumError('not_found', 'The optimization that this `Idempotency-Key` made has been deleted.');
    }
    const warn = (error: unknown): void =>
      logger.warn({ err: error }, 'the record of a repeatable request not written');
    const renewal = setInterval(() => {
      store.renewRequest(accountId, key, owner, clock() + leaseMs).catch(warn);
    }, leaseMs / HEARTBEATS);
    renewal.unref();
    try {
      const { runId, ...reply } = await work(derivedIds(outcome.seed, outcome.claimedAt, outcome.seed !== seed));
      // Told only once it is kept: what a repetition makes anew (a key's secret) may replace what nobody was told.
      const sealed = seal.seal(JSON.stringify(reply));
      if (!(await store.answerRequest(accountId, key, owner, sealed, runId))) throw stillAtWork();
      return { reply, isReplay: false };
    } catch (error) {
      const deletedRun = error instanceof ExtremumError ? error.facts['deletedRun'] : undefined;
      const settle = async (): Promise<boolean> => {
        // The store keeps that it was deleted, in place of an answer.
        if (typeof deletedRun === 'string') return store.answerRequest(accountId, key, owner, '', deletedRun);
        // Refused: nothing was made, and a better request may use the key. Else something may have been.
        const isRefusal = answerTo(error, 0).status < 500;
        return isRefusal ? store.forgetRequest(accountId, key, owner) : store.renewRequest(accountId, key, owner, 0);
      };
      await settle().catch(warn);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }
}

function stillAtWork(): ExtremumError {
  return new ExtremumError('conflict', 'The first request with this `Idempotency-Key` is still at work.', {
    retryable: true,
    facts: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}

/** The same identifiers, in their order, whenever they are derived from the same seed and time. */
function derivedIds(seed: string, createdAt: number, isRepeat: boolean): IdSource {
  let serial = 0;
  return {
    isRepeat,
    next(prefix) {
      const random = createHmac('sha256', seed).update(String(serial)).digest().readUIntBE(0, 6);
      return { id: composeId(prefix, createdAt, serial++, random), createdAt };
    },
  };
}

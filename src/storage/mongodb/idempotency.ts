/** Requests that may be sent again, in MongoDB. */
import type { Filter } from 'mongodb';
import { decode, encode } from '../../common/codec.js';
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { IdempotencyStore } from '../contract/idempotency.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { standingOf } from '../rules/request-claims.js';
import { checkSize, type Database } from './database.js';
import { isDuplicateKey } from './driver-errors.js';
import { isRemoved } from './removed-runs.js';
import { pack, type Packed, unpack } from './values.js';

interface RequestDocument {
  /** Account and key: the account's identifier has no blank. */
  _id: string;
  fingerprint: string;
  /** The attempt that has it: also tells whether a write happened. */
  owner: string;
  leaseUntil: number;
  claimedAt: number;
  expiresAt: number;
  /** Encoded. */
  seed: string;
  /** Empty: the run that it was about was removed. */
  answer: Packed | null;
  /** The run that the answer is about. Absent: about none. */
  runId?: string;
}

export class MongodbIdempotency implements IdempotencyStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get requests() {
    return this.db.collection<RequestDocument>('idempotent_requests');
  }

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    const { fingerprint, owner, now, leaseUntil, expiresAt, seed } = claim;
    const _id = requestId(claim.accountId, claim.key);
    const document = {
      _id,
      fingerprint,
      owner,
      leaseUntil,
      claimedAt: now,
      expiresAt,
      seed: encode(seed),
      answer: null,
    };
    // Each turn but the last found that somebody else had just changed it.
    for (;;) {
      if (await this.insertRequest(document)) return { kind: 'claimed', seed, claimedAt: now };
      const found = await this.db.read(() => this.requests.findOne({ _id }));
      if (found === null) continue;
      const same = { _id, owner: found.owner, leaseUntil: found.leaseUntil };
      const standing = standingOf(found, { now, fingerprint });
      if (standing === 'over') {
        await this.db.repeatable(() => this.requests.deleteOne({ ...same, expiresAt: found.expiresAt }));
      } else if (found.answer === '') {
        return { kind: 'deleted', fingerprint: found.fingerprint };
      } else if (found.answer !== null) {
        return { kind: 'answered', fingerprint: found.fingerprint, answer: await unpack<string>(found.answer) };
      } else if (standing === 'working') {
        return { kind: 'working', fingerprint: found.fingerprint };
      } else if (await this.changeRequest({ ...same, answer: null }, { owner, leaseUntil })) {
        return { kind: 'claimed', seed: decode<string>(found.seed), claimedAt: found.claimedAt };
      }
    }
  }

  /** False: there is one already. */
  private async insertRequest(document: RequestDocument): Promise<boolean> {
    const { _id, owner } = document;
    return this.db.decide(
      async () => {
        try {
          await this.requests.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.requests.findOne({ _id, owner })) === null ? undefined : true),
    );
  }

  /** `$set` must make the document such that it shows whether this happened. */
  private async changeRequest(filter: Filter<RequestDocument>, $set: Partial<RequestDocument>): Promise<boolean> {
    const { _id, owner } = { ...filter, ...$set };
    return this.db.decide(
      async () => (await this.requests.updateOne(filter, { $set })).matchedCount > 0,
      async () => ((await this.requests.findOne({ ...$set, _id, owner })) === null ? undefined : true),
    );
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    return this.changeRequest({ _id: requestId(accountId, key), owner, answer: null }, { leaseUntil });
  }

  /** Of a run that has just been removed `MongodbDeletion.removeExpired` removes the answer. */
  async answerRequest(accountId: string, key: string, owner: string, answer: string, runId?: string): Promise<boolean> {
    const filter = { _id: requestId(accountId, key), owner, answer: null };
    const isAbout = runId === undefined ? {} : { runId };
    if (!(await this.changeRequest(filter, checkSize({ answer: await pack(encode(answer)), ...isAbout }))))
      return false;
    if (runId !== undefined && (await this.isRemoved(runId))) await this.removeAnswersOf([runId]);
    return true;
  }

  private async isRemoved(runId: string): Promise<boolean> {
    const runs = this.db.collection<{ _id: string; accountId: string }>('runs');
    const found = await this.db.read(() => runs.findOne({ _id: runId }, { projection: { accountId: 1 } }));
    return found !== null && isRemoved(found);
  }

  /** The runs were removed. Bears being repeated. */
  async removeAnswersOf(runIds: readonly string[]): Promise<void> {
    const filter = { runId: { $in: [...runIds] } };
    await this.db.repeatable(() => this.requests.updateMany(filter, { $set: { answer: '' } }));
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    const _id = requestId(accountId, key);
    return this.db.decide(
      async () => (await this.requests.deleteOne({ _id, owner, answer: null })).deletedCount > 0,
      async () => ((await this.requests.findOne({ _id, owner })) === null ? true : undefined),
    );
  }

  async expireRequests(): Promise<number> {
    const filter: Filter<RequestDocument> = { answer: null, leaseUntil: { $gt: 0 } };
    const answer = await this.db.repeatable(() => this.requests.updateMany(filter, { $set: { leaseUntil: 0 } }));
    return answer.matchedCount;
  }

  async removeExpired(now: number): Promise<void> {
    await this.db.repeatable(() => this.requests.deleteMany({ expiresAt: { $lte: now } }));
  }

  /** Brings back leases and ends that lie further ahead. Returns how many. */
  async bringBackTimes({ lease, requestExpiry }: LatestTimes): Promise<number> {
    const leases = await this.db.repeatable(() =>
      this.requests.updateMany({ answer: null, leaseUntil: { $gt: lease } }, { $set: { leaseUntil: 0 } }),
    );
    const ends = await this.db.repeatable(() =>
      this.requests.updateMany({ expiresAt: { $gt: requestExpiry } }, { $set: { expiresAt: requestExpiry } }),
    );
    return leases.modifiedCount + ends.modifiedCount;
  }
}

const requestId = (accountId: string, key: string): string => `${accountId} ${key}`;

/**
 * Exchange of an account with other deployments. All of it follows from a log of changes that the store keeps: the
 * model, the exports, the rest of the budget. A request proposes a change under the next serial; where another was
 * first, it looks again.
 */
import { randomInt } from 'node:crypto';
import { ExtremumError } from '../../common/errors.js';
import type { Clock, IdSource } from '../../common/ids.js';
import type { FederatedChange, FederatedUpdate, MergedStatistic, NumberedChange } from '../../model/federation.js';
import type { Lesson } from '../../model/learning.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { LearningStore } from '../../storage/contract/learning.js';
import type { Uniform } from './discrete-laplace.js';
import { activeAt, merge, type Merged } from './merge.js';
import { digestOf, updateOf } from './update.js';

/** Updates that a model may be made of. */
const MOST_UPDATES = 64;
/** Changes of an account, ever, of each kind: revoked ones are kept, since runs may have used them. */
const MOST_CHANGES = 1_000;
const REMEMBERED_ACCOUNTS = 1_000;
/** Lessons are read so many at a time. */
const LESSONS_AT_ONCE = 1_000;

export interface FederationParts {
  readonly store: LearningStore;
  readonly clock: Clock;
  /** Sum of the epsilons of all exports of an account. */
  readonly epsilonLimit: number;
}

interface PrivacyBudget {
  readonly spent: number;
  readonly limit: number;
}

interface FederatedModel {
  /** Version of the account's knowledge when the model last changed; 0: there is none. */
  readonly version: number;
  readonly updates: number;
  readonly statistics: readonly MergedStatistic[];
  readonly budget: PrivacyBudget;
}

export class FederationService {
  private readonly parts: FederationParts;
  /** All changes that were read, by account; oldest use first. */
  private readonly remembered = new Map<string, readonly NumberedChange[]>();

  constructor(parts: FederationParts) {
    this.parts = parts;
  }

  /** Oldest first. `upTo`: a serial that is known to be there; absent: those that the store has now. */
  async changes(accountId: string, upTo?: number): Promise<readonly NumberedChange[]> {
    const known = this.remembered.get(accountId) ?? [];
    if (upTo !== undefined && known.length >= upTo) return known;
    const all = [...known, ...(await this.parts.store.federatedChanges(accountId, known.length))];
    // Another request may have read more meanwhile.
    if (all.length > 0 && all.length >= (this.remembered.get(accountId)?.length ?? 0)) {
      this.remembered.delete(accountId);
      this.remembered.set(accountId, all);
      const [oldest] = this.remembered.keys();
      if (this.remembered.size > REMEMBERED_ACCOUNTS && oldest !== undefined) this.remembered.delete(oldest);
    }
    return all;
  }

  /** By cell, rising. `upTo`: as in `changes`; at least those of that version. */
  async modelAt(accountId: string, version: number, upTo: number): Promise<readonly MergedStatistic[]> {
    if (upTo === 0) return [];
    return merge(activeAt(await this.changes(accountId, upTo), version).map(({ update }) => update));
  }

  async model(accountId: string): Promise<FederatedModel> {
    const changes = await this.changes(accountId);
    const active = activeAt(changes, Infinity);
    return {
      version: changes.findLast(({ change }) => change.kind !== 'exported')?.version ?? 0,
      updates: active.length,
      statistics: merge(active.map(({ update }) => update)),
      budget: this.budget(changes),
    };
  }

  private budget(changes: readonly NumberedChange[]): PrivacyBudget {
    const spent = changes.reduce(
      (sum, { change }) => sum + (change.kind === 'exported' ? change.update.epsilon : 0),
      0,
    );
    return { spent: round(spent), limit: this.parts.epsilonLimit };
  }

  /**
   * Makes the account's update of the lessons that no earlier one was made of. It is stored before anybody sees it: a
   * request that is repeated gets the same one, and what was spent stays spent.
   * @throws {ExtremumError} `conflict`: more than is left of the budget; nothing was spent.
   */
  async export(
    accountId: string,
    epsilon: number,
    ids: IdSource,
    uniform: Uniform = (below) => randomInt(below),
  ): Promise<{ readonly update: FederatedUpdate; readonly budget: PrivacyBudget }> {
    const { id } = ids.next('fed');
    for (;;) {
      const changes = await this.changes(accountId);
      const made = changes.find(({ change }) => change.id === id)?.change;
      if (made?.kind === 'exported') return { update: made.update, budget: this.budget(changes) };
      const { spent, limit } = this.budget(changes);
      if (round(spent + epsilon) > limit) {
        const message =
          `An export with epsilon ${epsilon} would go beyond the budget: ${spent} of ${limit} are spent. ` +
          'Nothing was exported, and nothing spent.';
        throw new ExtremumError('conflict', message);
      }
      const { version } = await this.parts.store.learnedState(accountId);
      const before = changes.findLast(({ change }) => change.kind === 'exported')?.change;
      const update = updateOf(await this.lessons(accountId, upToOf(before), version), epsilon, uniform);
      const upTo = Math.max(version, upToOf(before));
      const change = { kind: 'exported', id, at: this.parts.clock(), sha256: digestOf(update), update, upTo } as const;
      if ((await this.append(accountId, changes, change)) === null) continue;
      return { update, budget: { spent: round(spent + epsilon), limit } };
    }
  }

  private async lessons(accountId: string, after: number, upTo: number): Promise<readonly Lesson[]> {
    const { store } = this.parts;
    const lessons: Lesson[] = [];
    for (let from = after; from < upTo; from += LESSONS_AT_ONCE) {
      const found = await store.lessons(accountId, from, Math.min(upTo, from + LESSONS_AT_ONCE), LESSONS_AT_ONCE);
      lessons.push(...found.map(({ lesson }) => lesson));
    }
    return lessons;
  }

  /**
   * Makes the update of another deployment part of the model.
   * @throws {ExtremumError} `conflict`: it is part of it already, or this account made it itself, or there are too
   * many.
   */
  async merge(
    accountId: string,
    update: FederatedUpdate,
    ids: IdSource,
  ): Promise<{ readonly id: string; readonly version: number }> {
    const { id } = ids.next('fed');
    const sha256 = digestOf(update);
    for (;;) {
      const changes = await this.changes(accountId);
      const made = changes.find(({ change }) => change.id === id);
      if (made !== undefined) return { id, version: made.version };
      refuseMerge(changes, sha256);
      const change = { kind: 'merged', id, at: this.parts.clock(), sha256, update } as const;
      const version = await this.append(accountId, changes, change);
      if (version !== null) return { id, version };
    }
  }

  /** Updates that the model is made of, newest first. */
  async list(accountId: string, { limit, offset }: PageRequest): Promise<Page<Merged>> {
    const active = activeAt(await this.changes(accountId), Infinity).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    return { items: active.slice(offset, offset + limit), total: active.length };
  }

  /** Makes the model again without that update. False: it is not part of it. */
  async revoke(accountId: string, updateId: string, ids: IdSource): Promise<boolean> {
    const { id } = ids.next('fed');
    for (;;) {
      const changes = await this.changes(accountId);
      if (!activeAt(changes, Infinity).some((one) => one.id === updateId)) return false;
      const change = { kind: 'revoked', id, at: this.parts.clock(), updateId } as const;
      if ((await this.append(accountId, changes, change)) !== null) return true;
    }
  }

  private append(
    accountId: string,
    changes: readonly NumberedChange[],
    change: FederatedChange,
  ): Promise<number | null> {
    const alike = changes.reduce((n, one) => n + Number(one.change.kind === change.kind), 0);
    if (alike >= MOST_CHANGES) {
      const message = `An account can export ${MOST_CHANGES} updates in all, and merge as many.`;
      throw new ExtremumError('conflict', message);
    }
    return this.parts.store.appendFederatedChange(accountId, changes.length + 1, change);
  }
}

const upToOf = (change: FederatedChange | undefined): number => (change?.kind === 'exported' ? change.upTo : 0);

/** Sums of epsilons are compared with limits that people wrote in decimals. */
const round = (epsilon: number): number => Number(epsilon.toFixed(6));

function refuseMerge(changes: readonly NumberedChange[], sha256: string): void {
  const active = activeAt(changes, Infinity);
  const same = active.find((one) => one.sha256 === sha256);
  if (same !== undefined) throw new ExtremumError('conflict', `This update was merged already, as ${same.id}.`);
  if (changes.some(({ change }) => change.kind === 'exported' && change.sha256 === sha256)) {
    throw new ExtremumError('conflict', 'This update was made by this account, which knows its own runs already.');
  }
  if (active.length >= MOST_UPDATES) {
    throw new ExtremumError('conflict', `The model is made of ${MOST_UPDATES} updates already: revoke one first.`);
  }
}

/**
 * The leases of this process: a run is its own only while it holds the lease. On a store that others share, this is
 * also where it learns what they did to the runs that are carried out here: took one over, or cancelled it.
 */
import { randomUUID } from 'node:crypto';
import { isFinished } from '../model/run-status.js';
import type { Claim } from '../storage/contract/runs.js';
import type { RunContext } from './run-context.js';
import { type RunServiceParts } from './run-context.js';
import type { RunLife } from './run-life.js';

/** How often a lease is renewed before it ends. */
const HEARTBEATS = 4;

export class LeaseKeeper {
  private readonly context: RunContext;
  private readonly parts: RunServiceParts;
  private readonly life: RunLife;
  private readonly owner = randomUUID();

  constructor(context: RunContext, life: RunLife) {
    this.context = context;
    this.parts = context.parts;
    this.life = life;
  }

  /** How often leases are to be renewed. */
  get intervalMs(): number {
    return this.parts.leaseMs / HEARTBEATS;
  }

  /** A claim on a run, as of now. */
  claim(): Claim {
    const now = this.parts.clock();
    return { owner: this.owner, now, leaseUntil: now + this.parts.leaseMs };
  }

  /** Renews the leases of all runs that are carried out here. A failure is only logged: the next beat tries again. */
  async renew(): Promise<void> {
    if (this.context.active.size === 0) return;
    try {
      const held = [...this.context.active.values()].map(({ run: { id, attempt } }) => ({ id, attempt }));
      await this.parts.store.renewLeases(held, this.parts.clock() + this.parts.leaseMs);
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'leases could not be renewed');
    }
  }

  /** Looks at what others did to the runs that are carried out here. @throws what the store throws */
  async look(): Promise<void> {
    const asked = [...this.context.active.values()];
    if (asked.length === 0) return;
    const states = new Map((await this.parts.store.runStates(asked.map(({ run }) => run.id))).map((s) => [s.id, s]));
    for (const active of asked) {
      const { id, attempt } = active.run;
      if (this.context.active.get(id) !== active) continue;
      const state = states.get(id);
      if (state === undefined || state.attempt !== attempt) this.life.end(active, 'superseded');
      else if (state.cancelRequested && !isFinished(state.status)) this.life.cancel(active);
    }
  }
}

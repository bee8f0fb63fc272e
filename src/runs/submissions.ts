/** Requests of callers: new runs, runs that come from others, batches, and what is stored of them. */
import { ExtremumError, isDamaged } from '../common/errors.js';
import { chooseStrategy } from '../engine/chosen-strategy.js';
import { isProblemSource, type RunSource } from '../model/problem.js';
import type { BatchState } from '../model/batch.js';
import type { MonitoringTrace } from '../model/monitoring.js';
import type { Page, PageRequest } from '../model/page.js';
import type { RunEvent } from '../model/run-event.js';
import {
  type Comparison,
  type Metadata,
  type NewRun,
  type RunRecord,
  type RunRequest,
  type RunStart,
} from '../model/run-record.js';
import { originOf } from '../model/run-facts.js';
import type { RunStatus } from '../model/run-status.js';
import type { RunSummary } from '../model/run-summary.js';
import type { HistoryPoint } from '../model/run-task.js';
import { strategies } from '../planner/all-strategies.js';
import type { RunFilter, RunPageRequest } from '../storage/contract/runs.js';
import { budgetsTo, encodeStart } from './extension.js';
import type { RunContext } from './run-context.js';
import { deletedSince } from './run-removal.js';
import { stopping, type RunServiceParts } from './run-context.js';
import type { RunWaiting } from './run-waiting.js';
import type { RunLife } from './run-life.js';
import type { RunQueue } from './run-queue.js';
import { compare, compareFronts } from './comparison.js';

export interface Submission {
  /** Empty for a problem. */
  readonly functionId: string;
  readonly source: RunSource;
  readonly request: RunRequest;
  readonly metadata: Metadata;
  readonly start?: RunStart;
}

/** The call that cancels answers with the ended run, or after so long with the run as it is. */
const CANCEL_ANSWER_SECONDS = 5;

export class Submissions {
  private readonly context: RunContext;
  private readonly parts: RunServiceParts;
  private readonly waiting: RunWaiting;
  private readonly life: RunLife;
  private readonly queue: RunQueue;

  constructor(context: RunContext, waiting: RunWaiting, life: RunLife, queue: RunQueue) {
    this.context = context;
    this.parts = context.parts;
    this.waiting = waiting;
    this.life = life;
    this.queue = queue;
  }

  /**
   * The run as it is where an earlier attempt at the same request has submitted it.
   * @throws {ExtremumError} `not_found` where that one has been deleted since.
   */
  async submit(accountId: string, submission: Submission, ids = this.parts.ids): Promise<RunRecord> {
    const { id, createdAt } = ids.next('opt');
    const run: NewRun = { ...submission, id, accountId, createdAt };
    try {
      return await this.queue.begin(run);
    } catch (error) {
      const isThere = error instanceof ExtremumError && error.code === 'conflict';
      const found = isThere ? await this.find(accountId, id) : null;
      if (found !== null) return found;
      if (isThere && (await this.deletedAs(accountId, { id, createdAt })) !== null) {
        throw deletedSince(id);
      }
      throw error;
    }
  }

  /** All of them or none. The batch as it is where an earlier attempt at the same request has submitted it. */
  async submitBatch(accountId: string, submissions: readonly Submission[], ids = this.parts.ids): Promise<BatchState> {
    if (this.context.isStopping) throw stopping();
    const { id, createdAt } = ids.next('batch');
    const runs = submissions.map((submission): NewRun => ({ ...submission, accountId, ...ids.next('opt') }));
    const runIds = runs.map((run) => run.id);
    const { store } = this.parts;
    try {
      await store.createBatch({ id, accountId, runIds, createdAt }, runs);
    } catch (error) {
      if (!(error instanceof ExtremumError && error.code === 'conflict')) throw error;
    }
    for (const runId of runIds) this.queue.add(accountId, runId);
    this.queue.next();
    const found = await this.findBatch(accountId, id);
    if (found === null) throw new Error(`the batch ${id} vanished`);
    return found;
  }

  findBatch(accountId: string, id: string): Promise<BatchState | null> {
    return this.parts.store.findBatch(accountId, id);
  }

  listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    return this.parts.store.listBatches(accountId, page);
  }

  /**
   * Cancels whatever of it has not ended. Null: no such batch. @throws {ExtremumError} `conflict` when all has ended.
   */
  async cancelBatch(accountId: string, id: string): Promise<BatchState | null> {
    const found = await this.findBatch(accountId, id);
    if (found === null) return null;
    if (found.counts.pending + found.counts.running === 0) {
      throw new ExtremumError('conflict', 'The batch has ended already; it cannot be cancelled.');
    }
    await Promise.all(
      found.batch.runIds.map(async (runId) => {
        try {
          await this.cancel(accountId, runId);
        } catch (error) {
          // This one has ended, or will: nobody can carry it out.
          if (!(error instanceof ExtremumError && (error.code === 'conflict' || isDamaged(error)))) throw error;
        }
      }),
    );
    return this.findBatch(accountId, id);
  }

  /**
   * A new run that goes on from the end of one that its budget ended. Null: no such run.
   * @throws {ExtremumError} `conflict`: it has not ended so, or too long ago; `invalid_request`: the budget is no
   * larger.
   */
  async extend(accountId: string, id: string, maxEvaluations: number, ids = this.parts.ids): Promise<RunRecord | null> {
    const run = await this.find(accountId, id);
    if (run === null) return null;
    const { ending, request } = run;
    const refusal = (why: string): ExtremumError =>
      new ExtremumError('conflict', `Only a run that its budget ended can be extended; this one ${why}.`);
    if (request.problem !== undefined) {
      throw refusal('solves a domain problem: send its request again with a larger `max_evaluations`');
    }
    if (ending === null) throw refusal(`has not ended yet (${run.status})`);
    if (ending.terminationReason !== 'budget') throw refusal(`ended otherwise (${ending.terminationReason})`);
    if (maxEvaluations <= ending.evaluations) {
      const message = `\`max_evaluations\` counts the ${ending.evaluations} of the run so far too: it must be larger than that.`;
      throw new ExtremumError('invalid_request', message, { field: 'max_evaluations' });
    }
    const end = await this.parts.store.runEnd(accountId, id, this.parts.clock());
    if (end === null) return null;
    const budgets = budgetsTo(request, ending.backend);
    if (end.checkpoint === null && budgets === null) {
      const message =
        'The state in which the run ended is not kept (it was too large, or ended more than 7 days ago), and the run cannot be ' +
        'carried out again to the same end.';
      throw new ExtremumError('conflict', message);
    }
    const { source, history } = end;
    const factory = chooseStrategy(request.task, strategies);
    const { evaluations, bestFitness, bestSolution, durationSeconds: elapsedSeconds } = ending;
    const volume = ending.front?.hypervolume;
    const extension = {
      of: id,
      from: {
        evaluations,
        bestFitness,
        bestSolution,
        hypervolume: volume,
        elapsedSeconds,
      },
      isExact:
        factory.capabilities.dependsOnBudget === false &&
        ending.experiment === undefined &&
        // Which values are of double precision depends on the batches, and a budget cuts one.
        request.precision !== 'f32' &&
        request.extension?.isExact !== false,
      budgets: budgets ?? undefined,
    };
    const checkpoint = end.checkpoint ?? encodeStart({ budgets: budgets ?? [], end: extension.from, history });
    const task = { ...request.task, maxEvaluations };
    const { functionId, metadata } = run;
    const start = { checkpoint, history };
    const originId = originOf(request) ?? id;
    return this.submit(
      accountId,
      { functionId, source, metadata, start, request: { ...request, task, extension, originId } },
      ids,
    );
  }

  /**
   * A new run of the same request with another strategy: seed, budget, what was learned, bounds and source are the
   * run's own. Null: no such run.
   */
  async replay(accountId: string, id: string, strategy: string, ids = this.parts.ids): Promise<RunRecord | null> {
    const [run, source] = await Promise.all([this.find(accountId, id), this.parts.store.runSource(accountId, id)]);
    if (run === null || source === null) return null;
    const { extension: _begun, ...request } = run.request;
    // The method of a problem is the problem's own.
    const task = request.problem === undefined ? { ...request.task, strategy } : request.task;
    const { functionId, metadata } = run;
    return this.submit(
      accountId,
      {
        functionId,
        source,
        metadata,
        request: { ...request, task, replayOf: id, originId: originOf(run.request) ?? id },
      },
      ids,
    );
  }

  /** Comparison of a replay with its original, when both have ended; else null. */
  async comparison(run: RunRecord): Promise<Comparison | null> {
    const { replayOf } = run.request;
    if (replayOf === undefined || run.ending === null) return null;
    const [original, history] = await Promise.all([
      this.find(run.accountId, replayOf),
      this.history(run.accountId, run.id),
    ]);
    if (original === null || original.ending === null) return null;
    if ((run.request.task.objectives ?? 1) > 1) {
      return compareFronts(run.request.task.direction, original.ending.front, run.ending.front);
    }
    return compare(run.request.task.direction, original.ending.bestFitness, run.ending.bestFitness, history ?? []);
  }

  /** Runs that this one repeats or goes on from, and that have been deleted. */
  async deletedParents({ request }: RunRecord): Promise<readonly string[]> {
    const parents = [request.replayOf, request.extension?.of].filter((id) => id !== undefined);
    if (parents.length === 0) return [];
    const there = new Set((await this.parts.store.runStates(parents)).map(({ id }) => id));
    return [...new Set(parents)].filter((id) => !there.has(id));
  }

  /** How a run that has been deleted had ended. Null: it was not. */
  deletedAs(
    accountId: string,
    { id, createdAt }: { readonly id: string; readonly createdAt: number },
  ): Promise<RunStatus | null> {
    return this.parts.store.deletedRun(accountId, id, createdAt);
  }

  find(accountId: string, id: string): Promise<RunRecord | null> {
    return this.parts.store.findRun(accountId, id);
  }

  list(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunRecord>> {
    return this.parts.store.listRuns(accountId, filter, page);
  }

  listSummaries(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>> {
    return this.parts.store.listSummaries(accountId, filter, page);
  }

  history(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    return this.parts.store.runHistory(accountId, id);
  }

  monitoring(accountId: string, id: string): Promise<MonitoringTrace | null> {
    return this.parts.store.runMonitoring(accountId, id);
  }

  /**
   * A picture of the problem that the run has solved, as SVG. Null: it has none of that kind, or solves none.
   */
  async draw({ accountId, id, ending }: RunRecord, kind: string): Promise<string | null> {
    const answer = ending?.answer;
    if (answer === undefined || !answer.pictures.includes(kind)) return null;
    const source = await this.parts.store.runSource(accountId, id);
    if (source === null || !isProblemSource(source)) return null;
    const { bestSolution, bestFitness } = ending ?? {};
    const drawn = {
      bestSolution: bestSolution ?? [],
      bestFitness: bestFitness ?? NaN,
      result: answer.result,
      alternatives: answer.alternatives ?? [],
    };
    return this.parts.pools.draw(accountId, { source, answer: drawn, kind });
  }

  /** A picture of our own making as PNG. */
  rasterize(accountId: string, svg: string): Promise<Uint8Array> {
    return this.parts.pools.rasterize(accountId, svg);
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata): Promise<RunRecord | null> {
    const event = this.context.events.updated(id, metadata);
    const run = await this.parts.store.updateMetadata(accountId, id, metadata, event);
    this.waiting.nudge(id);
    if (run !== null) this.parts.eventsStored();
    return run;
  }

  /** See `RunStore.runEvents`. */
  events(accountId: string, id: string, after: number, limit: number): Promise<readonly (RunEvent | null)[] | null> {
    return this.parts.store.runEvents(accountId, id, after, limit);
  }

  /**
   * Ends a run with what it has found so far. A waiting one ends at once, a running one within a generation.
   * Null: no such run. @throws {ExtremumError} `conflict` when it has ended already.
   */
  async cancel(accountId: string, id: string): Promise<RunRecord | null> {
    const marked = await this.parts.store.requestCancel(accountId, id);
    if (marked === null) {
      const run = await this.find(accountId, id);
      if (run === null) return null;
      throw new ExtremumError('conflict', `The run has ended already (${run.status}); it cannot be cancelled.`);
    }
    const active = this.context.active.get(id);
    if (active !== undefined) {
      this.life.cancel(active);
      return this.waiting.wait(accountId, id, CANCEL_ANSWER_SECONDS);
    }
    this.queue.claimSuspect(id, accountId);
    if (marked.status === 'pending') {
      const ended = await this.life.finish(marked, await this.life.endingOf(marked, 'cancelled'));
      if (ended !== null) return ended;
    }
    // Somebody is just claiming it: the claim will see the mark. Or another process carries it out, and looks.
    return this.waiting.wait(accountId, id, CANCEL_ANSWER_SECONDS);
  }
}

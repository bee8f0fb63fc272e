/**
 * The summaries of runs, and what lists find them by. They are rows of their own because records are large. They change
 * in the transactions that change the run; a run that is deleted takes its summary along.
 */
import { decode, encode } from '../../common/codec.js';
import { SharedTurns } from '../../common/loop-turns.js';
import type { Page } from '../../model/page.js';
import type { Metadata, RunRequest } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import {
  curveOf,
  dimensionsOf,
  NEWEST_FIRST,
  type RunMeasure,
  searchText,
  type RunOrder,
  type RunSortKey,
  type RunSummary,
  type SummaryState,
  summaryState,
} from '../../model/run-summary.js';
import type { HistoryPoint } from '../../model/run-task.js';
import type { RunFilter, RunPageRequest } from '../contract/runs.js';
import { earlierSummary } from '../rules/earlier-summaries.js';
import { EndedSummaries } from '../rules/ended-summaries.js';
import { type Database, idIn, numberOf, type Parameter, type Row, textOf } from './database.js';

/** `createdAt` is in the identifier. */
const COLUMNS: Readonly<Record<RunSortKey, string>> = {
  createdAt: 'id',
  bestFitness: 'best_fitness',
  evaluations: 'evaluations',
  durationSeconds: 'duration_seconds',
};
const MEASURES: Readonly<Record<RunMeasure, string>> = {
  evaluations: 'evaluations',
  bestFitness: 'best_fitness',
  durationSeconds: 'duration_seconds',
  dimensions: 'dimensions',
};
const SHOWN = `id, function_id, status, problem_type, strategy, best_fitness, evaluations, max_evaluations,
  duration_seconds, created_at, completed_at, curve`;
/** So few that match are sorted; of more the index of the sort key is read until the page is full. */
const SORTED_AT_MOST = 2_000;
/** Words are looked for in so many runs at a time; others are served in between. */
const SEARCHED_AT_ONCE = 1_000;
const CHARACTERS_SEARCHED = 250_000;
const MOST_COUNTS = 1_000;
const COMPLETED_AT_ONCE = 500;

interface NewSummary {
  readonly id: string;
  readonly accountId: string;
  readonly functionId: string;
  readonly createdAt: number;
  readonly problemType: string | null;
  readonly maxEvaluations: number;
  readonly dimensions: number | null;
  readonly state: SummaryState;
  readonly words: string;
  readonly curve: string;
}

/** The parts of a new run's summary, made before a write. */
export function newSummary(
  run: {
    readonly id: string;
    readonly accountId: string;
    readonly functionId: string;
    readonly createdAt: number;
    readonly request: RunRequest;
    readonly metadata: Metadata;
  },
  history: readonly HistoryPoint[],
): NewSummary {
  const { id, accountId, functionId, createdAt, request, metadata } = run;
  const state = summaryState({ request, progress: null, ending: null });
  return {
    id,
    accountId,
    functionId,
    createdAt,
    problemType: request.problem?.problemType ?? null,
    maxEvaluations: request.task.maxEvaluations,
    dimensions: dimensionsOf(request),
    state,
    words: searchText(id, request, metadata),
    curve: encode(curveOf(history, state.evaluations)),
  };
}

interface Matching {
  readonly where: string;
  readonly parameters: readonly Parameter[];
}

export class RunSummaries {
  private readonly db: Database;
  private readonly turns = new SharedTurns();
  private readonly settled = new EndedSummaries();
  /** Lengths of lists, for as long as nobody writes: `countedAt` is the state of the database. */
  private readonly counts = new Map<string, number>();
  private countedAt = '';

  constructor(db: Database) {
    this.db = db;
  }

  created(summary: NewSummary, status: RunStatus): void {
    const { id, accountId, functionId, createdAt, problemType, maxEvaluations, dimensions, state, words, curve } =
      summary;
    this.db.run(
      `INSERT INTO run_summaries (id, account_id, function_id, status, problem_type, best_fitness, evaluations,
         max_evaluations, dimensions, created_at, words, curve) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      accountId,
      functionId,
      status,
      problemType,
      state.bestFitness,
      state.evaluations,
      maxEvaluations,
      dimensions,
      createdAt,
      words,
      curve,
    );
  }

  claimed(id: string): void {
    this.db.run(`UPDATE run_summaries SET status = 'running' WHERE id = ?`, id);
  }

  /** A curve of null: it stays. */
  progressed(id: string, { evaluations, bestFitness }: SummaryState, curve: string | null): void {
    const sql = `UPDATE run_summaries SET evaluations = ?, best_fitness = ?, curve = coalesce(?, curve) WHERE id = ?`;
    this.db.run(sql, evaluations, bestFitness, curve, id);
  }

  /** A curve of null: it stays. */
  ended(id: string, status: RunStatus, state: SummaryState, completedAt: number, curve: string | null): void {
    this.db.run(
      `UPDATE run_summaries SET status = ?, strategy = ?, best_fitness = ?, evaluations = ?, duration_seconds = ?,
         completed_at = ?, curve = coalesce(?, curve) WHERE id = ?`,
      status,
      state.strategy,
      state.bestFitness,
      state.evaluations,
      state.durationSeconds,
      completedAt,
      curve,
      id,
    );
  }

  renamed(id: string, words: string): void {
    this.db.run('UPDATE run_summaries SET words = ? WHERE id = ?', words, id);
  }

  async list(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>> {
    const { items: ids, total } = await this.listIds(accountId, filter, page);
    const { found, missing } = this.settled.lookUp(ids);
    const rows = missing.flatMap((id) => this.db.all(`SELECT ${SHOWN} FROM run_summaries WHERE id = ?`, id));
    for (const summary of this.db.records.all(rows, idIn, summaryIn)) {
      found.set(summary.id, summary);
      this.settled.keep(summary);
    }
    return { items: ids.flatMap((id) => found.get(id) ?? []), total };
  }

  async listIds(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<string>> {
    const { words = [] } = filter;
    if (words.length > 0) return this.search(accountId, filter, words, page);
    return this.window(accountId, filter, page);
  }

  private window(
    accountId: string,
    filter: RunFilter,
    { limit, offset, order = NEWEST_FIRST }: RunPageRequest,
  ): Page<string> {
    const { where, parameters } = matching(accountId, filter);
    const total = this.count({ where, parameters });
    const isNarrow = total <= SORTED_AT_MOST;
    const within = isNarrow ? where : matching(accountId, filter, false).where;
    const sql = `SELECT id FROM run_summaries ${placed(order, isNarrow)} WHERE ${within}
      ORDER BY ${ordered(order, isNarrow)} LIMIT ? OFFSET ?`;
    const rows = offset >= total ? [] : this.db.all(sql, ...parameters, limit, offset);
    return { items: rows.map(idIn), total };
  }

  /** To count ten thousand runs costs as much as the page itself. */
  private count({ where, parameters }: Matching): number {
    const state = this.db.get('SELECT data_version, total_changes() AS own FROM pragma_data_version');
    const now = `${state?.['data_version']}/${state?.['own']}`;
    if (now !== this.countedAt || this.counts.size >= MOST_COUNTS) {
      this.countedAt = now;
      this.counts.clear();
    }
    const asked = JSON.stringify([where, ...parameters]);
    let total = this.counts.get(asked);
    if (total === undefined) {
      const count = this.db.get(`SELECT count(*) AS n FROM run_summaries WHERE ${where}`, ...parameters);
      total = Number(count?.['n']);
      this.counts.set(asked, total);
    }
    return total;
  }

  /** Reads every run of the account that the filter leaves. */
  private async search(
    accountId: string,
    filter: RunFilter,
    words: readonly string[],
    { limit, offset, order = NEWEST_FIRST }: RunPageRequest,
  ): Promise<Page<string>> {
    const { where, parameters } = matching(accountId, filter, false);
    // Limits have no index: the steps are taken without them, so that each reads so many runs and no more.
    const walk = matching(accountId, { ...filter, limits: undefined }, false);
    const next = `SELECT id FROM run_summaries WHERE ${walk.where} AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?`;
    const within = `SELECT id, ${COLUMNS[order.key]} AS key FROM run_summaries
      WHERE ${where} AND id < ? AND id >= ? ${words.map(() => 'AND instr(words, ?) > 0').join(' ')} ORDER BY id DESC`;
    const found: Row[] = [];
    // Beyond every identifier, which are ASCII.
    for (let before = '\u{10ffff}'; before !== '';) {
      before = await this.turns.run(() => {
        const last = this.db.get(next, ...walk.parameters, before, SEARCHED_AT_ONCE - 1);
        const from = last === undefined ? '' : idIn(last);
        found.push(...this.db.all(within, ...parameters, before, from, ...words));
        return [from, CHARACTERS_SEARCHED];
      });
    }
    const sorted = found.sort((a, b) => inOrder(order, a, b));
    return { items: sorted.slice(offset, offset + limit).map(idIn), total: found.length };
  }

  /**
   * Fills what the migration has left open in the summaries of earlier runs. Whoever dies meanwhile leaves the rest to
   * the next start.
   */
  complete(): void {
    const sql = `SELECT s.id, r.request, r.metadata, r.progress, r.ending, h.points,
        f.body AS objective
      FROM run_summaries s JOIN runs r ON r.id = s.id LEFT JOIN run_history h ON h.run_id = s.id
      LEFT JOIN functions f ON f.id = s.function_id AND f.account_id = s.account_id
      WHERE s.words IS NULL ORDER BY s.id LIMIT ?`;
    const open = 'SELECT id FROM run_summaries WHERE words IS NULL LIMIT 1';
    while (this.db.get(open) !== undefined) {
      this.db.writeNow(() => {
        for (const row of this.db.all(sql, COMPLETED_AT_ONCE)) this.completeOne(row);
      });
    }
  }

  private completeOne(row: Row): void {
    const id = idIn(row);
    const read = <T>(column: string): T | null => {
      try {
        return row[column] === null ? null : decode<T>(textOf(row, column));
      } catch {
        return null;
      }
    };
    const summary = earlierSummary({
      id,
      request: read('request'),
      metadata: read('metadata'),
      progress: read('progress'),
      ending: read('ending'),
      history: read('points'),
      objective: read('objective'),
    });
    this.db.run(
      `UPDATE run_summaries SET words = ?, curve = ?, problem_type = ?, max_evaluations = ?, dimensions = ?, strategy = ?,
         best_fitness = ?, evaluations = ?, duration_seconds = ? WHERE id = ?`,
      summary.words,
      encode(summary.curve),
      summary.problemType,
      summary.maxEvaluations,
      summary.dimensions,
      summary.strategy,
      summary.bestFitness,
      summary.evaluations,
      summary.durationSeconds,
      id,
    );
  }
}

/** `byLimits`: an index may find the rows by a limit. Else they come in the order of the list. */
function matching(
  accountId: string,
  { status, functionId, strategy, limits = [] }: RunFilter,
  byLimits = true,
): Matching {
  const wanted = Object.entries({ account_id: accountId, status, function_id: functionId, strategy }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const sign = byLimits ? '' : '+';
  return {
    where: [
      ...wanted.map(([column]) => `${column} = ?`),
      ...limits.map(({ measure, op }) => `${sign}${MEASURES[measure]} ${op} ?`),
    ].join(' AND '),
    parameters: [...wanted.map(([, value]) => value), ...limits.map(({ value }) => value)],
  };
}

/** The planner does not know how many rows match. */
const placed = ({ key }: RunOrder, isNarrow: boolean): string =>
  key === 'createdAt' || isNarrow ? '' : `INDEXED BY run_summaries_by_${COLUMNS[key]}`;

function ordered({ key, isDescending }: RunOrder, isNarrow: boolean): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  if (key === 'createdAt') return `id ${direction}`;
  // The sign keeps the planner from reading all runs in the order of their keys.
  return `${isNarrow ? '+' : ''}${COLUMNS[key]} ${direction} NULLS LAST, id ${direction}`;
}

/** As SQL orders them. */
function inOrder({ isDescending }: RunOrder, a: Row, b: Row): number {
  const [own, other] = [a['key'], b['key']];
  if (own !== other && (own === null || other === null)) return own === null ? 1 : -1;
  const isBelow = own === other ? idIn(a) < idIn(b) : (own ?? 0) < (other ?? 0);
  return isBelow === isDescending ? 1 : -1;
}

function summaryIn(row: Row): RunSummary {
  const text = (column: string): string | null => (row[column] === null ? null : textOf(row, column));
  return {
    id: idIn(row),
    functionId: textOf(row, 'function_id'),
    status: textOf(row, 'status') as RunStatus,
    problemType: text('problem_type'),
    strategy: text('strategy'),
    bestFitness: numberOf(row, 'best_fitness'),
    evaluations: Number(row['evaluations']),
    maxEvaluations: Number(row['max_evaluations']),
    durationSeconds: numberOf(row, 'duration_seconds'),
    createdAt: Number(row['created_at']),
    completedAt: numberOf(row, 'completed_at'),
    curve: decode<number[]>(textOf(row, 'curve')),
  };
}

/**
 * Counts of runs in SQLite. Facts change in the transactions that change a run (`run-facts-table.ts`), and sums are
 * made in one transaction each, so that every answer is exact at every moment.
 */
import { decode } from '../../common/codec.js';
import { LoopTurns } from '../../common/loop-turns.js';
import type { Execution, ExecutionPlace } from '../../model/execution.js';
import { type RunTally, TALLY_FIELDS, TALLY_RULES, type TallyField } from '../../model/run-facts.js';
import type { RunStatus } from '../../model/run-status.js';
import type { AnalyticsStore, CountedFilter, OriginalCount, TrafficReport } from '../contract/analytics.js';
import {
  coverOf,
  cutAt,
  DAY_MS,
  dayOf,
  durationsAt,
  finestOf,
  GRACE_MS,
  HOUR_MS,
  isAll,
  longestBetween,
  mergeCounts,
  type OpenBuckets,
  questionsOf,
  type Span,
  Tallies,
} from '../rules/rollups.js';
import { type Database, numberOf, type Parameter, type Row, textOf } from './database.js';
import { column, KEY, type RunFactsTable } from './run-facts-table.js';

/** The expression that sums a field over facts. */
function aggregate(field: TallyField): string {
  const { op, of, status, isOriginal } = TALLY_RULES[field];
  const conditions = [
    ...(status === undefined ? [] : [`status = '${status}'`]),
    ...(isOriginal === true ? ['origin_id = id'] : []),
  ];
  const value = of === undefined ? '1' : column(of);
  const where = conditions.length === 0 ? value : `CASE WHEN ${conditions.join(' AND ')} THEN ${value} ELSE 0 END`;
  return `${op}(${where}) AS ${column(field)}`;
}

const COLUMNS = TALLY_FIELDS.map(column).join(', ');
const OF_RUNS = TALLY_FIELDS.map(aggregate).join(', ');
const OF_ROLLUPS = TALLY_FIELDS.map((field) => `${TALLY_RULES[field].op}(${column(field)})`).join(', ');
const OF_FAMILY = 'run_facts INDEXED BY run_facts_by_origin';
/** A rough mean. */
const CHARACTERS_PER_ENDING = 5_000;

interface Condition {
  /** The table. */
  readonly facts: string;
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

export class SqliteAnalytics implements AnalyticsStore {
  private readonly db: Database;
  private readonly facts: RunFactsTable;

  constructor(db: Database, facts: RunFactsTable) {
    this.db = db;
    this.facts = facts;
  }

  async addTraffic(reports: readonly TrafficReport[]): Promise<void> {
    const copies = structuredClone(reports);
    await this.db.write(() => {
      for (const { runId, bytesIn, bytesOut } of copies) {
        const row = this.db.get('SELECT account_id, created_at FROM runs WHERE id = ?', runId);
        if (row === undefined) continue;
        const sql = `UPDATE run_facts SET bytes_in = bytes_in + ?, bytes_out = bytes_out + ? WHERE ${KEY}`;
        this.db.run(sql, bytesIn, bytesOut, runId);
        this.facts.openHour(textOf(row, 'account_id'), Number(row['created_at']));
      }
    });
  }

  async rollUp(now: number, limit: number): Promise<number> {
    return this.db.write(() => {
      const hours = this.db.all(
        `SELECT account_id, start FROM open_rollups o WHERE unit = 'hour' AND start <= ? AND NOT EXISTS (
           SELECT 1 FROM run_facts f WHERE f.account_id = o.account_id AND status IN ('pending', 'running')
             AND created_at >= o.start AND created_at < o.start + ${HOUR_MS}) LIMIT ?`,
        now - HOUR_MS - GRACE_MS,
        limit,
      );
      for (const row of hours) {
        const start = Number(row['start']);
        this.sum(row, 'hour', OF_RUNS, 'FROM run_facts WHERE account_id = ?1 AND created_at >= ?2 AND created_at < ?3');
        const sql = `INSERT INTO open_rollups (account_id, unit, start) VALUES (?, 'day', ?) ON CONFLICT DO NOTHING`;
        this.db.run(sql, textOf(row, 'account_id'), dayOf(start));
      }
      const days = this.db.all(
        `SELECT account_id, start FROM open_rollups o WHERE unit = 'day' AND start <= ? AND NOT EXISTS (
           SELECT 1 FROM open_rollups h WHERE h.account_id = o.account_id AND h.unit = 'hour'
             AND h.start >= o.start AND h.start < o.start + ${DAY_MS}) LIMIT ?`,
        now - DAY_MS - GRACE_MS,
        limit - hours.length,
      );
      const fromHours = `FROM run_rollups WHERE account_id = ?1 AND unit = 'hour' AND start >= ?2 AND start < ?3`;
      for (const row of days) this.sum(row, 'day', OF_ROLLUPS, fromHours);
      return hours.length + days.length;
    });
  }

  /** `from`: the parameters are account, start and end. */
  private sum(bucket: Row, unit: 'hour' | 'day', expressions: string, from: string): void {
    const accountId = textOf(bucket, 'account_id');
    const start = Number(bucket['start']);
    const end = start + (unit === 'hour' ? HOUR_MS : DAY_MS);
    this.db.run(
      `INSERT OR REPLACE INTO run_rollups (account_id, unit, start, ${COLUMNS})
       SELECT ?1, '${unit}', ?2, ${expressions} ${from}`,
      accountId,
      start,
      end,
    );
    this.db.run('DELETE FROM open_rollups WHERE account_id = ? AND unit = ? AND start = ?', accountId, unit, start);
  }

  private open(accountId: string): OpenBuckets {
    const rows = this.db.all('SELECT unit, start FROM open_rollups WHERE account_id = ?', accountId);
    const of = (unit: string): Set<number> =>
      new Set(rows.filter((row) => row['unit'] === unit).map((row) => Number(row['start'])));
    return { hours: of('hour'), days: of('day') };
  }

  async runsSpan(accountId: string): Promise<{ first: number; last: number } | null> {
    const at = (which: 'min' | 'max'): number | null =>
      numberOf(
        this.db.get(`SELECT ${which}(created_at) AS n FROM run_facts WHERE account_id = ?`, accountId) ?? {},
        'n',
      );
    const first = at('min');
    const last = at('max');
    return first === null || last === null ? null : { first, last };
  }

  /**
   * A condition on facts, with its parameters, and the index that finds few of them: left alone, SQLite takes another
   * one.
   */
  private where(accountId: string, { from, to, status, optimizationId }: Partial<CountedFilter>): Condition {
    const parts: [string, ...Parameter[]][] = [['account_id = ?', accountId]];
    if (from !== undefined) parts.push(['created_at >= ?', from]);
    if (to !== undefined) parts.push(['created_at < ?', to]);
    if (status !== undefined) parts.push(['status = ?', status]);
    const derivedAt = optimizationId === undefined ? null : this.derivedAt(accountId, optimizationId);
    if (derivedAt !== null) parts.push(['created_at = ? AND id = ?', derivedAt, optimizationId!]);
    const isFamily = optimizationId !== undefined && derivedAt === null;
    if (isFamily) parts.push(['origin_id = ?', optimizationId]);
    return {
      facts: isFamily ? OF_FAMILY : 'run_facts',
      sql: parts.map(([sql]) => sql).join(' AND '),
      parameters: parts.flatMap(([, ...values]) => values),
    };
  }

  /** When the run was created; null: it repeats and extends no other one. */
  private derivedAt(accountId: string, id: string): number | null {
    const sql = `SELECT created_at FROM run_facts WHERE ${KEY} AND account_id = ? AND origin_id <> id`;
    const ofRun = numberOf(this.db.get(sql, id, accountId) ?? {}, 'created_at');
    if (ofRun !== null || this.db.get('SELECT id FROM runs WHERE id = ?', id) !== undefined) return ofRun;
    // It may have been removed: an index has all runs that repeat or extend others.
    const removed = 'SELECT created_at FROM run_facts WHERE account_id = ? AND id = ? AND origin_id <> id';
    return numberOf(this.db.get(removed, accountId, id) ?? {}, 'created_at');
  }

  async tallies<F extends TallyField>(
    accountId: string,
    boundaries: readonly number[],
    fields: readonly F[],
    optimizationId?: string,
  ): Promise<readonly Pick<RunTally, F>[]> {
    const result = new Tallies(boundaries, fields);
    const span = { from: boundaries[0] ?? 0, to: boundaries.at(-1) ?? 0 };
    const note = (rows: readonly Row[], spans: readonly Span[]): void =>
      result.add(
        rows.map((row) => ({ start: Number(row['start']), tally: tallyIn(row, fields) })),
        spans,
      );
    const sums = fields.map(aggregate).join(', ');
    if (optimizationId !== undefined) {
      const { facts, sql, parameters } = this.where(accountId, { ...span, optimizationId });
      const length = longestBetween(boundaries);
      const start = `created_at / ${length} * ${length} AS start`;
      note(this.db.all(`SELECT ${start}, ${sums} FROM ${facts} WHERE ${sql} GROUP BY 1`, ...parameters), [span]);
      return result.all();
    }
    const cover = coverOf(span, finestOf(boundaries), this.open(accountId));
    const sql = `SELECT start, ${fields.map(column).join(', ')} FROM run_rollups
                 WHERE account_id = ? AND unit = ? AND start >= ? AND start < ?`;
    const ofRollups = (unit: 'hour' | 'day', spans: readonly Span[]): void => {
      for (const { from, to } of questionsOf(spans)) note(this.db.all(sql, accountId, unit, from, to), spans);
    };
    ofRollups('day', cover.days);
    ofRollups('hour', cover.hours);
    // One by one: to group them, SQLite would sort all rows.
    const ofSpan = `SELECT ${sums} FROM run_facts WHERE account_id = ? AND created_at >= ? AND created_at < ?`;
    for (const part of cutAt(cover.runs, boundaries)) {
      const rows = this.db.all(ofSpan, accountId, part.from, part.to);
      note(
        rows.map((row) => ({ ...row, start: part.from })),
        [part],
      );
    }
    return result.all();
  }

  async durationsAt(
    accountId: string,
    count: number,
    places: readonly number[],
    optimizationId?: string,
  ): Promise<readonly number[]> {
    const { facts, sql, parameters } = this.where(accountId, { optimizationId });
    return durationsAt(count, places, async ({ skip, take, isFromTop }) => {
      const query = `SELECT seconds FROM ${facts} WHERE ${sql} AND status = 'completed'
                     ORDER BY seconds ${isFromTop ? 'DESC' : 'ASC'} LIMIT ? OFFSET ?`;
      return this.db.all(query, ...parameters, take, skip).map((row) => numberOf(row, 'seconds') ?? 0);
    });
  }

  async countByOriginal(
    accountId: string,
    filter: CountedFilter,
    limit: number,
  ): Promise<{ items: readonly OriginalCount[]; withoutOriginal: number }> {
    const { facts, sql, parameters } = this.where(accountId, filter);
    const derived = this.db.all(
      `SELECT origin_id AS id, count(*) AS count, sum(status = 'completed') AS completed, sum(status = 'failed') AS failed
       FROM ${facts} WHERE ${sql} AND origin_id <> id GROUP BY origin_id ORDER BY origin_id DESC LIMIT ?`,
      ...parameters,
      limit,
    );
    const originals = this.db.all(
      `SELECT id, 1 AS count, status = 'completed' AS completed, status = 'failed' AS failed
       FROM ${facts} WHERE ${sql} AND origin_id = id ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...parameters,
      limit,
    );
    const items = mergeCounts([...originals, ...derived].map(countOf), limit);
    if (isAll(filter, await this.runsSpan(accountId))) return { items, withoutOriginal: 0 };
    // An original is older than what repeats it: the index has it first.
    const without = this.db.get(
      `SELECT count(*) AS n FROM (SELECT DISTINCT origin_id AS origin FROM ${facts} WHERE ${sql} AND origin_id <> id)
       WHERE NOT EXISTS (SELECT 1 FROM ${OF_FAMILY} WHERE ${sql} AND origin_id = origin AND id = origin)`,
      ...parameters,
      ...parameters,
    );
    return { items, withoutOriginal: Number(without?.['n']) };
  }

  async executions(
    accountId: string,
    filter: CountedFilter,
    after: ExecutionPlace | null,
    limit: number,
  ): Promise<readonly Execution[]> {
    const { facts, sql, parameters } = this.where(accountId, filter);
    const rest = after === null ? [] : [after.createdAt, after.createdAt, after.id];
    const isAfter = after === null ? '' : 'AND created_at <= ? AND (created_at, id) < (?, ?)';
    const rows = this.db.all(
      `SELECT id, created_at, status, completed_at, evaluations, seconds, cpu_micros, gpu_micros FROM ${facts}
       WHERE ${sql} ${isAfter} ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...parameters,
      ...rest,
      limit,
    );
    const result = `SELECT ending -> '$.bestFitness' AS best, ending ->> '$.strategies[#-1].name' AS strategy
                    FROM runs WHERE id = ? AND ending IS NOT NULL`;
    const executions: Execution[] = [];
    const turns = new LoopTurns();
    for (const row of rows) {
      // One by one, because an ending may be large.
      executions.push(executionOf(row, this.db.get(result, textOf(row, 'id'))));
      await turns.after(CHARACTERS_PER_ENDING);
    }
    return executions;
  }
}

function executionOf(row: Row, result: Row | undefined): Execution {
  const completedAt = numberOf(row, 'completed_at');
  const used = (name: string): number | null => (completedAt === null ? null : numberOf(row, name));
  const best = result?.['best'];
  const strategy = result?.['strategy'];
  return {
    id: textOf(row, 'id'),
    createdAt: Number(row['created_at']),
    status: textOf(row, 'status') as RunStatus,
    completedAt,
    evaluations: used('evaluations'),
    seconds: used('seconds'),
    cpuMicros: used('cpu_micros'),
    gpuMicros: used('gpu_micros'),
    bestFitness: typeof best === 'string' ? decode<number | null>(best) : null,
    strategy: typeof strategy === 'string' ? strategy : null,
  };
}

const countOf = (row: Row): OriginalCount => ({
  id: textOf(row, 'id'),
  count: Number(row['count']),
  completed: Number(row['completed']),
  failed: Number(row['failed']),
});

const tallyIn = (row: Row, fields: readonly TallyField[]): Partial<RunTally> =>
  Object.fromEntries(fields.map((field) => [field, numberOf(row, column(field))]));

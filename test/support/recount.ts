/** Reports of a store against a recount of all of its runs, from their records alone. */
import {
  countedEnding,
  createdFacts,
  endedFacts,
  NOTHING_ENDED,
  sumTallies,
  TALLY_FIELDS,
  tallyOf,
  type RunFacts,
  type TallyField,
} from '../../src/model/run-facts.js';
import type { RunRecord } from '../../src/model/run-record.js';
import { DAY_MS, dayOf, HOUR_MS, hourOf } from '../../src/storage/rules/rollups.js';
import type { Store } from '../../src/storage/store.js';

const PAGE = 100;
/** Traffic of the last seconds before a kill is lost (docs/adr/0028-analytics.md). */
const FIELDS = TALLY_FIELDS.filter((field) => field !== 'bytesIn' && field !== 'bytesOut');
/** Sums of these depend on their order, in the last digits. */
const INEXACT: ReadonlySet<TallyField> = new Set<TallyField>(['seconds', 'completedSeconds']);

function factsOf({ id, accountId, createdAt, status, completedAt, request, ending }: RunRecord): RunFacts {
  const created = createdFacts(id, request);
  const ended = ending === null ? NOTHING_ENDED : endedFacts(created, countedEnding(ending));
  return { id, accountId, createdAt, status, completedAt, ...created, ...ended, bytesIn: 0, bytesOut: 0 };
}

async function allFacts(store: Store, accountId: string): Promise<RunFacts[]> {
  const facts: RunFacts[] = [];
  for (;;) {
    const { items } = await store.listRuns(accountId, {}, { limit: PAGE, offset: facts.length });
    if (items.length === 0) break;
    facts.push(...items.map(factsOf));
  }
  // Records of earlier versions name only the run before.
  const before = new Map(facts.map(({ id, originId }) => [id, originId]));
  const rootOf = (id: string): string => {
    const of = before.get(id);
    return of === undefined || of === id ? id : rootOf(of);
  };
  return facts.map((one) => ({ ...one, originId: rootOf(one.id) }));
}

/** What is wrong. Nobody may write meanwhile. */
export async function recount(store: Store, accountName: string): Promise<string[]> {
  const { id } = (await store.findAccount(accountName)) ?? { id: '' };
  const facts = await allFacts(store, id);
  const times = facts.map(({ createdAt }) => createdAt);
  const [first, end] = [Math.min(...times), Math.max(...times) + 1];
  const problems: string[] = [];
  const every = (length: number, from: number): number[] =>
    Array.from({ length: Math.ceil((end - from) / length) + 1 }, (_, i) => from + i * length);
  for (const boundaries of [every(HOUR_MS, hourOf(first)), every(DAY_MS, dayOf(first)), [0, end], [first, end - 1]]) {
    const found = await store.tallies(id, boundaries, FIELDS);
    found.forEach((tally, i) => {
      const [from, to] = [boundaries[i], boundaries[i + 1]];
      const wanted = sumTallies(facts.filter((one) => one.createdAt >= from && one.createdAt < to).map(tallyOf));
      for (const field of FIELDS) {
        const [is, must] = [tally[field] ?? 0, wanted[field] ?? 0];
        const most = INEXACT.has(field) ? 1e-9 * Math.max(1, must) : 0;
        if (Math.abs(is - must) > most) {
          problems.push(
            `${field} of ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${is}, not ${must}`,
          );
        }
      }
    });
  }
  const seconds = facts
    .filter(({ status }) => status === 'completed')
    .map((one) => one.seconds)
    .sort((a, b) => a - b);
  const durations = await store.durationsAt(id, seconds.length, [...seconds.keys()]);
  if (JSON.stringify(durations) !== JSON.stringify(seconds)) problems.push('durations are not those of the runs');
  const originals = new Map<string, number>();
  for (const { originId } of facts) originals.set(originId, (originals.get(originId) ?? 0) + 1);
  const { items } = await store.countByOriginal(id, { from: 0, to: end }, facts.length);
  const counts = items.map((item) => `${item.id}: ${item.count}`).sort();
  const wanted = [...originals].map(([origin, count]) => `${origin}: ${count}`).sort();
  if (JSON.stringify(counts) !== JSON.stringify(wanted)) problems.push('counts by original are not those of the runs');
  return problems;
}

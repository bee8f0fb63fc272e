/**
 * The largest problems that are accepted, solved by a real service over HTTP: they end in time with an answer or an
 * honest failure, end when they are cancelled, never hold up the event loop, stay within the memory limit, and leave
 * nothing behind.
 *
 * `npm run check:domains:largest [-- -t 'vehicle_routing']`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../../src/domains/registry.js';
import { Draw, LARGEST, type LargestProblem } from '../support/largest-problems.js';
import { ASYNC, endAll, KEY, startProcess, type ServiceProcess } from '../support/service-process.js';
import type { Json } from '../support/service.js';

const SEED = Number(process.env['EXTREMUM_LARGEST_SEED'] ?? 1);
const MOST_EVALUATIONS = 1_000_000_000;
const TIMEOUT_SECONDS = 3;
const CANCEL_AFTER_MS = 1_000;
/** A run ends a second after its time or its cancellation, on an idle machine; here others may be at work. */
const GRACE_SECONDS = 3;
/** Of one run, on however busy a machine. */
const MOST_WAIT_MS = 120_000;
/** Of the whole process, beside which a container of 2 GiB has room for the system's own. */
const MEMORY_LIMIT_MIB = 1_536;
/** Longest answer to a probe: to read a request of 4 MiB takes a tenth of a second, longer where others are at work. */
const PROBE_LIMIT_MS = 1_000;

const SMALL = {
  problem_type: 'warehouse',
  config: { model: 'bin_packing', bin_capacity: 100, item_sizes: [45, 36, 34, 30, 29, 26] },
};
/** Keeps HiGHS busy, so that its thread is counted once it has gone. */
const LINEAR = {
  problem_type: 'pricing',
  config: {
    model: 'linear_demand_system',
    intercepts: [200, 150],
    slope_matrix: [
      [4, -1],
      [-0.8, 3],
    ],
    unit_costs: [10, 8],
  },
};

interface Figures {
  readonly problem: string;
  readonly mib: number;
  readonly end: string;
  readonly seconds: number;
  readonly cancelledAs: string;
  readonly cancelSeconds: number;
  readonly probeP99: number;
  readonly probeMax: number;
  readonly peakMib: number;
}

const figures: Figures[] = [];
const dataDir = mkdtempSync(path.join(tmpdir(), 'extremum-largest-'));
let service: ServiceProcess;
let threads = 0;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const statusOf = (name: string): number => {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1]);
};
const rssMib = (): number => statusOf('VmRSS') / 1024;
const threadCount = (): number => readdirSync(`/proc/${service.child.pid}/task`).length;

/** Asks the service whether it is there, again and again, until `done`. */
async function probe(done: () => boolean, times: number[], peak: { mib: number }): Promise<void> {
  while (!done()) {
    const startedAt = performance.now();
    const { status } = await fetch(`${service.url}/livez`);
    times.push(performance.now() - startedAt);
    expect(status).toBe(200);
    peak.mib = Math.max(peak.mib, rssMib());
    await pause(20);
  }
}

const isOver = ({ status }: Json): boolean => ['completed', 'failed', 'cancelled'].includes(status as string);

async function ended(id: string): Promise<Json> {
  const deadline = performance.now() + MOST_WAIT_MS;
  for (;;) {
    const record = await service.call('GET', `/v1/optimize/${id}`);
    if (isOver(record)) return record;
    if (performance.now() > deadline) throw new Error(`it does not end: ${JSON.stringify(record).slice(0, 500)}`);
    await pause(30);
  }
}

const domainOf = (problemType: string): string =>
  PROBLEM_TYPES.find((type) => type.name === problemType)?.domain ?? problemType;

async function submit(body: Json): Promise<Json> {
  const record = await service.call('POST', `/v1/domains/${domainOf(body.problem_type)}/optimize`, body, ASYNC);
  if (record.id === undefined) throw new Error(JSON.stringify(record).slice(0, 500));
  return record;
}

async function look(visuals: readonly Json[]): Promise<void> {
  for (const { url } of visuals) {
    const picture = await fetch(service.url + (url as string), { headers: { authorization: `Bearer ${KEY}` } });
    expect(picture.status).toBe(200);
    await picture.text();
  }
}

/** Small problems are solved and drawn as ever, and no thread is left over. */
async function isAsBefore(): Promise<void> {
  for (const body of [SMALL, LINEAR]) {
    const { status, optimality, error, visuals } = await ended(
      (await submit({ ...body, preset: 'research' })).id as string,
    );
    expect({ status, error, optimality: optimality?.status }).toMatchObject({
      status: 'completed',
      optimality: 'optimal',
    });
    await look(visuals);
  }
  if (threads === 0) return;
  const deadline = performance.now() + 5_000;
  while (threadCount() > threads && performance.now() < deadline) await pause(50);
  expect(threadCount()).toBeLessThanOrEqual(threads);
}

/** Why a run may end without an answer. */
const HONEST = /^(timeout|infeasible|unbounded|unsolved)$/;

function endOf(record: Json): string {
  if (record.status === 'completed') {
    const { status, proof } = record.optimality;
    if (status === 'optimal') expect(proof).toEqual(expect.any(String));
    return `${status} (${record.termination_reason})`;
  }
  const why = record.termination_reason === 'timeout' ? 'timeout' : record.error.code;
  expect(why, JSON.stringify(record.error)).toMatch(HONEST);
  return why as string;
}

async function check({ model: named, what, config, maxEvaluations = MOST_EVALUATIONS }: LargestProblem): Promise<void> {
  const [problem_type = '', model] = named.split('.');
  const given = { ...config(Draw.of(SEED, what)), ...(model === undefined ? {} : { model }) };
  const body = { problem_type, config: given, seed: 1, max_evaluations: maxEvaluations, preset: 'research' };
  const times: number[] = [];
  const peak = { mib: 0 };
  let isDone = false;
  const probing = probe(() => isDone, times, peak);
  try {
    const timed = await submit({ ...body, timeout_seconds: TIMEOUT_SECONDS });
    let startedAt = performance.now();
    const record = await ended(timed.id as string);
    const seconds = (performance.now() - startedAt) / 1_000;
    const end = endOf(record);
    await look(record.visuals);

    const { id } = await submit({ ...body, timeout_seconds: 60 });
    await pause(CANCEL_AFTER_MS);
    startedAt = performance.now();
    await service.call('POST', `/v1/optimize/${id}/cancel`, {});
    const cancelled = await ended(id as string);
    const cancelSeconds = (performance.now() - startedAt) / 1_000;
    const cancelledAs = cancelled.termination_reason as string;
    isDone = true;
    await probing;
    await isAsBefore();

    times.sort((a, b) => a - b);
    const [probeP99 = 0, probeMax = 0] = [times[Math.floor(0.99 * times.length)], times.at(-1)];
    const mib = JSON.stringify(body).length / 1024 ** 2;
    const own = {
      problem: `${named}: ${what}`,
      mib,
      end,
      seconds,
      cancelledAs,
      cancelSeconds,
      probeP99,
      probeMax,
      peakMib: peak.mib,
    };
    figures.push(own);
    console.log(rowOf(own));
    expect(seconds).toBeLessThan(TIMEOUT_SECONDS + GRACE_SECONDS);
    expect(cancelSeconds).toBeLessThan(GRACE_SECONDS);
    // A run that was over before it could be cancelled is none of a solver that does not listen.
    if (seconds > CANCEL_AFTER_MS / 1_000 + GRACE_SECONDS) expect(cancelledAs).toBe('cancelled');
    expect(probeMax).toBeLessThan(PROBE_LIMIT_MS);
    expect(peak.mib).toBeLessThan(MEMORY_LIMIT_MIB);
  } finally {
    isDone = true;
    await probing;
  }
}

const rowOf = (own: Figures): string =>
  [
    own.problem,
    `${own.mib.toFixed(2)} MiB`,
    own.end,
    `${own.seconds.toFixed(2)} s`,
    own.cancelledAs,
    `${own.cancelSeconds.toFixed(2)} s`,
    `${own.probeP99.toFixed(0)} ms`,
    `${own.probeMax.toFixed(0)} ms`,
    `${own.peakMib.toFixed(0)} MiB`,
  ].join(' | ');

it('has a problem of every model', () => {
  const known = new Set(LARGEST.map(({ model }) => model));
  const models = PROBLEM_TYPES.flatMap(({ name, models }) =>
    models.map((one) => (one.name === null ? name : `${name}.${one.name}`)),
  );
  expect([...known].sort()).toEqual([...models].sort());
});

describe.skipIf(process.platform !== 'linux')('the largest problems', () => {
  beforeAll(async () => {
    service = await startProcess('--data-dir', dataDir, '--log-level', 'warn');
    await isAsBefore();
    await pause(1_000);
    threads = threadCount();
    console.log('problem | request | end | after | cancelled | after | probe p99 | longest | peak');
  }, 60_000);

  afterAll(async () => {
    expect(service.output()).not.toMatch(/"level":(50|60)/);
    await endAll();
    rmSync(dataDir, { recursive: true, force: true });
    const most = (of: (own: Figures) => number): number => Math.max(...figures.map(of));
    console.log(
      `most of ${figures.length}: ${most(({ seconds }) => seconds).toFixed(2)} s, cancelled after ${most(({ cancelSeconds }) => cancelSeconds).toFixed(2)} s, ` +
        `probe ${most(({ probeMax }) => probeMax).toFixed(0)} ms, ${most(({ peakMib }) => peakMib).toFixed(0)} MiB`,
    );
  });

  it.each(LARGEST.map((one) => [`${one.model}: ${one.what}`, one] as const))('%s', (_name, one) => check(one));
});

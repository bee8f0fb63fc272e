/** The service as a process of its own, for tests of what survives its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { distEntry, packageRoot } from '../../src/common/dist-entry.js';
import { generateKey } from '../../src/identity/key-format.js';
import { SPHERE, type Json } from './service.js';

/** The admin key of every service that is started here. */
export const KEY = generateKey();

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  call(method: string, path: string, body?: object, headers?: object): Promise<Json>;
  /** Sends the signal and resolves with exit code or signal name. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
}

const started: ChildProcess[] = [];

/** For `afterEach`: kills what was started and still runs. */
export async function endAll(): Promise<void> {
  await Promise.all(started.splice(0).map((child) => ended(child, 'SIGKILL')));
}

export function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? child.signalCode);
  return new Promise((resolve) => {
    child.once('exit', (code, by) => resolve(code ?? by));
    if (signal !== undefined) child.kill(signal);
  });
}

export function spawnService(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = distEntry('main'),
): ChildProcess {
  const child = spawn(process.execPath, [program, ...flags], {
    cwd: packageRoot(),
    env: { PATH: process.env['PATH'] ?? '', BOOTSTRAP_API_KEY: KEY, ...env },
  });
  started.push(child);
  return child;
}

/** Resolves when it listens, on a free port; without CPython, with one thread for runs, without a rate limit. */
export async function startProcess(...flags: string[]): Promise<ServiceProcess> {
  return startProgram(distEntry('main'), flags);
}

/** The same with these variables in its environment. */
export function startProcessWith(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<ServiceProcess> {
  return startProgram(distEntry('main'), flags, env);
}

/** Its compiled code is wrong (`faulty-programs.mjs`). */
export async function startFaultyProcess(...flags: string[]): Promise<ServiceProcess> {
  return startProgram(path.join(packageRoot(), 'test', 'support', 'faulty-service.mjs'), flags);
}

/** No clock decides whether a run comes to a device (`cuda/counted-places.mjs`). */
export async function startCountedProcess(
  env: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<ServiceProcess> {
  return startProgram(path.join(packageRoot(), 'test', 'support', 'cuda', 'counted-service.mjs'), flags, env);
}

async function startProgram(
  program: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const place = ['--port', '0', '--python', 'off', '--workers', '1', '--rate-limit-per-minute', '0'];
  const child = spawnService([...place, ...flags], env, program);
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      const found = /listens on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)));
  });
  return {
    child,
    url,
    output: () => output,
    async call(method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return response.json();
    },
    end: (signal) => ended(child, signal),
  };
}

export async function upload(service: ServiceProcess): Promise<string> {
  const { id } = await service.call('POST', '/v1/functions', { name: 'f', code: SPHERE, language: 'python' });
  return id as string;
}

/**
 * Its program is not read: that takes a second of the processor (`mixed-load.ts` has runs that read theirs). Its best
 * solution is not the first one that is tried, the middle, and no earlier run tells it.
 */
export const task = (id: string, maxEvaluations: number): object => ({
  objective_function_id: id,
  bounds: Array.from({ length: 20 }, () => [-5, 4]),
  max_evaluations: maxEvaluations,
  seed: 7,
  learned_version: 0,
  black_box: true,
});

/**
 * A run that takes at least `seconds`, carried out undisturbed: long enough to be ended on its way on any machine. Not
 * much longer: it is carried out again, more than once.
 */
export async function undisturbedRun(
  service: ServiceProcess,
  functionId: string,
  seconds: number,
  more: object = {},
): Promise<Json> {
  for (let budget = 200_000; ;) {
    const record = await service.call('POST', '/v1/optimize', { ...task(functionId, budget), ...more });
    if (record.status !== 'completed' || record.evaluations !== budget) {
      throw new Error(`not carried out: ${JSON.stringify(record)}`);
    }
    if (record.duration_seconds >= seconds) return record;
    budget = largerBudget(budget, record.duration_seconds as number, seconds);
  }
}

/** Where a run with `budget` took `took` seconds: one that should take `wanted`. A part of `took` is the start. */
export const largerBudget = (budget: number, took: number, wanted: number): number =>
  Math.ceil(budget * Math.min(50, Math.max(1.3, (1.4 * wanted) / took)));

export const ASYNC = { prefer: 'respond-async' };

/** Looks less often at what takes long: a look takes the service's time, too. */
export async function until(service: ServiceProcess, id: string, done: (record: Json) => boolean): Promise<Json> {
  for (let looks = 0; ; looks++) {
    const record = await service.call('GET', `/v1/optimize/${id}`);
    if (done(record)) return record;
    await new Promise((resolve) => setTimeout(resolve, looks < 20 ? 25 : 100));
  }
}

export const isDone = (record: Json): boolean => record.status === 'completed' || record.status === 'failed';
export const hasProgress = (record: Json): boolean => record.progress.evaluations > 0;

/** What must not depend on what happened to the process. Strategies tell it where nothing better was found any more. */
export const resultOf = (record: Json): object => {
  const { best_solution, best_fitness, evaluations, status, termination_reason, seed, strategies } = record;
  return { best_solution, best_fitness, evaluations, status, termination_reason, seed, strategies };
};

/** The convergence of a run: the fitness of every improvement. */
export async function historyOf(service: ServiceProcess, id: string): Promise<number[]> {
  const { data } = await service.call('GET', `/v1/optimize/${id}/history`);
  return data.map((point: Json) => point.best_fitness as number);
}

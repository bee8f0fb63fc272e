/**
 * A process with one job whose handler takes `workMs`, for tests of what survives its end: says `begun` and `done` on
 * stdout, and ends with the code 0 on SIGTERM. `node jobs-worker.mjs URL LOCK_MS EVERY_MS WORK_MS`
 */
import { setTimeout as sleep } from 'node:timers/promises';

const dist = (path) => new URL(`../../dist/jobs/${path}`, import.meta.url).href;
const { AgendaJobs } = await import(dist('agenda-jobs.js'));
const { openMongodbBackend } = await import(dist('mongodb/mongodb-backend.js'));

const [url, lockMs, everyMs, workMs] = process.argv.slice(2);
const say = (text) => process.stdout.write(`${text}\n`);
const jobs = new AgendaJobs({
  openBackend: () => openMongodbBackend(url),
  clock: Date.now,
  logger: { debug() {}, info() {}, warn: (facts, message) => say(`${message} ${facts.err}`), error() {} },
  metrics: { jobRan: (_name, outcome) => say(outcome) },
  lockMs: Number(lockMs),
  processEveryMs: 50,
});
const handler = async (signal) => {
  say('begun');
  await sleep(Number(workMs), undefined, { signal }).catch(() => {});
  say('done');
  return null;
};
jobs.define('expire', handler, { everyMs: Number(everyMs) });
process.on('unhandledRejection', (error) => say(`unhandled: ${error}`));
process.on('SIGTERM', async () => {
  await jobs.stop();
  process.exit(0);
});
await jobs.start();
say('started');

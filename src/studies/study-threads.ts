/** The threads of studies: each study has one of them, so that its state is made once and stays there. */
import { Piscina } from 'piscina';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import type { Logger } from '../common/logger.js';
import { movable } from '../common/movable.js';
import { workerExecArgv } from '../common/worker-threads.js';
import type { StudyJob, StudyReply } from './study-protocol.js';

/** Requests that may wait for a thread; one more is refused at once. */
const QUEUE = 256;
const IDLE_MS = 60_000;
const TIMEOUT_MS = 60_000;

export class StudyThreads {
  private readonly pools: readonly Piscina[];
  private closed = false;

  constructor(threads: number, logger: Logger) {
    const options = {
      filename: distEntry('studies/study-worker'),
      execArgv: workerExecArgv(),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: QUEUE,
    };
    this.pools = Array.from({ length: threads }, () => new Piscina(options));
    for (const pool of this.pools) {
      pool.on('error', (error: unknown) => logger.warn({ err: error }, 'a thread of studies died'));
    }
  }

  /** @throws {ExtremumError} `unavailable`: too many wait, it takes too long, or the service stops. */
  async work(job: StudyJob): Promise<StudyReply> {
    const pool = this.pools[Number(job.study.id.slice(-6)) % this.pools.length];
    if (pool.queueSize >= QUEUE) {
      throw new ExtremumError('unavailable', 'Too many requests of studies are waiting; try again.', {
        retryable: true,
      });
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const transferList = movable(job.start?.snapshot);
    try {
      return (await pool.run(job, { name: 'work', signal, transferList })) as StudyReply;
    } catch (cause) {
      if (this.closed) throw new ExtremumError('unavailable', 'The service is stopping.', { cause });
      if (!signal.aborted) throw cause;
      const message = `The strategy took longer than ${TIMEOUT_MS / 1000} s; try again.`;
      throw new ExtremumError('unavailable', message, { retryable: true, cause });
    }
  }

  /** Ends all threads at once. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.pools.map((pool) => pool.destroy()));
  }
}

/**
 * A file with one row for each evaluation of a run, in their order: `evaluation`, `reading` (model/reading.ts),
 * `failed`, `value` (with several objectives `value1` ...), `x1` ... Numbers are the objective's own, in its own
 * direction, and keep all their bits. A value that there is not is empty: of an evaluation that failed, and of a
 * reading that gives none.
 *
 * It is written from the thread that evaluates, in large pieces. A failure to write ends the log and not the run.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EvaluationLog } from '../../engine/ports.js';
import { CsvLog } from './csv-log.js';

/** What a run's thread is told. A file that is there is replaced. */
export interface LogWish {
  readonly file: string;
}

export interface OpenLog extends EvaluationLog {
  /** Why the file is not whole; null: it is, so far. */
  readonly failure: string | null;
  /** Nothing is added any more. The file has its name from now on. */
  close(): void;
}

/** Writes to `FILE.part` until it is closed. */
export function openLog({ file }: LogWish, dimension: number, objectives: number): OpenLog {
  const part = `${file}.part`;
  let failure: string | null = null;
  const attempt = <T>(work: () => T): T | null => {
    if (failure !== null) return null;
    try {
      return work();
    } catch (error) {
      failure = (error as Error).message;
      return null;
    }
  };
  const log = attempt(() => {
    mkdirSync(dirname(file), { recursive: true });
    return new CsvLog(part, dimension, objectives);
  });
  return {
    add: (...row) => void attempt(() => log?.add(...row)),
    get failure() {
      return failure;
    },
    close() {
      const isWhole = failure === null;
      try {
        log?.close();
        if (isWhole) renameSync(part, file);
      } catch (error) {
        failure ??= (error as Error).message;
      }
    },
  };
}

/** The thread of HiGHS: one programme after another, as they come (see flat-program.ts). Ended from outside. */
import { parentPort, workerData } from 'node:worker_threads';
import highs from 'highs';
import { errorData } from '../../../common/thread-call.js';
import type { FlatJob, FlatReport } from './flat-program.js';
import { solveFlat } from './solve-flat.js';

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const report = (message: FlatReport): void => port.postMessage(message);
// The types are of the CommonJS build, which has the function one level deeper.
const loadHighs = highs as unknown as typeof highs.default;
// Compiled by whoever started the thread.
const loaded = loadHighs({ wasmModule: workerData as object });

port.on('message', (job: FlatJob) => {
  void loaded
    .then((library) => {
      const solution = solveFlat(library, job, (values, bound) => report({ kind: 'incumbent', values, bound }));
      report({ kind: 'solved', solution });
    })
    .catch((error: unknown) => {
      report({ kind: 'failed', error: errorData(error) });
    });
});

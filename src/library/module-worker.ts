/** A worker thread that evaluates the function which a module exports. Started by `module-kernel.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { callBatch, callEach, failureOf, type RowFailure } from './calls.js';
import type { ModuleReply, ModuleRequest, ModuleSetup } from './module-protocol.js';
import type { BatchObjectiveFunction, ObjectiveFunction } from './types.js';

const { href, name, isBatch } = workerData as ModuleSetup;
const port = parentPort!;
const reply = (message: ModuleReply, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

let loading: Promise<unknown> | null = null;

async function load(): Promise<unknown> {
  const exports = (await import(href)) as Readonly<Record<string, unknown>>;
  const found = exports[name];
  if (typeof found === 'function') return found;
  throw new Error(
    `it exports no function ${JSON.stringify(name)}; it has ${Object.keys(exports).join(', ') || 'nothing'}`,
  );
}

port.on('message', (rows: ModuleRequest) => {
  void evaluate(rows);
});

async function evaluate(rows: ModuleRequest): Promise<void> {
  let call: unknown;
  try {
    call = await (loading ??= load());
  } catch (error) {
    return reply({ kind: 'refused', message: `The module ${href} cannot be used: ${failureOf(0, error).message}.` });
  }
  const values = new Float64Array(rows.count);
  const failures: RowFailure[] = [];
  const sink = {
    values,
    fail: (index: number, error: unknown) => {
      failures.push(failureOf(index, error));
    },
    isOver: () => false,
  };
  try {
    if (isBatch) await callBatch(call as BatchObjectiveFunction, rows, sink);
    else await callEach(call as ObjectiveFunction, rows, sink, 1);
  } catch (error) {
    return reply({ kind: 'refused', message: failureOf(0, error).message });
  }
  reply({ kind: 'evaluated', values, failures }, [values.buffer]);
}

/** The sandboxed CPython of a process: what the service, the command line and the library start alike. A composition root. */
import { MessageChannel } from 'node:worker_threads';
import { createCPythonBackend } from './backends/cpython/cpython-backend.js';
import { probePython } from './backends/cpython/interpreter.js';
import type { PoolObserver } from './backends/cpython/pool.js';
import { ProcessMeter } from './backends/cpython/process-meter.js';
import { serveKernel } from './backends/remote-kernel.js';
import type { Logger } from './common/logger.js';
import type { PythonConfig } from './config.js';
import { resultsIn } from './model/objective.js';
import { NO_USE, type ProcessUse } from './model/run-usage.js';
import type { PythonHost } from './runs/python-host.js';

/** Python 3 semantics without an interpreter to ask. */
const DEFAULT_PYTHON_MINOR = 12;

/** The CPython backend as the main thread offers it to others. */
export async function startPython(
  { python: name, pythonLimits: wanted }: PythonConfig,
  logger: Logger,
  observer: PoolObserver = {},
): Promise<PythonHost & { close(): Promise<void> }> {
  const python = name ?? 'off';
  const { evaluationSeconds, loadSeconds, ...rest } = wanted;
  // Beyond what the service's own control group has, a process would be ended instead of getting a MemoryError.
  const memoryBytes = Math.min(wanted.memoryBytes, process.constrainedMemory() || Infinity);
  if (memoryBytes < wanted.memoryBytes) {
    logger.warn(
      { wanted: wanted.memoryBytes, memoryBytes },
      'PYTHON_MEMORY_BYTES is more than this service may use itself',
    );
  }
  const backend = createCPythonBackend({
    python,
    ...rest,
    memoryBytes,
    observer,
    evaluationTimeoutMs: evaluationSeconds * 1000,
    loadTimeoutMs: loadSeconds * 1000,
  });
  const [availability, interpreter] = await Promise.all([backend.probe(), probePython(python)]);
  const inForce = availability.available ? await backend.limits() : null;
  const limits =
    inForce === null ? null : { ...wanted, memoryBytes: inForce.memoryBytes, cpuSeconds: inForce.cpuSeconds };
  if (availability.available) logger.info({ device: availability.device, limits }, 'CPython in its sandbox');
  if (!availability.available && name !== null) {
    logger.warn(
      { reason: availability.reason },
      'CPython is not available: sources outside the compiled subset are refused',
    );
  }
  return {
    availability,
    limits,
    counts: () => backend.counts(),
    pythonMinor: interpreter.available ? interpreter.minor : DEFAULT_PYTHON_MINOR,
    offer(source, dimension, loadWithinMs) {
      if (!availability.available) {
        return { access: { port: null, reason: availability.reason }, withdraw: async () => NO_USE };
      }
      const { port1, port2 } = new MessageChannel();
      const meter = new ProcessMeter();
      const server = serveKernel(
        port1,
        () => backend.open({ source, dimension, ir: null }, loadWithinMs, meter),
        resultsIn(source),
      );
      const withdraw = async (): Promise<ProcessUse> => {
        await server.close().catch((error: unknown) => logger.warn({ err: error }, 'a Python kernel did not close'));
        return meter.use;
      };
      return { access: { port: port2 }, withdraw };
    },
    close: () => backend.close(),
  };
}
